"""Lists that take the place of the tree: references, names, marks, help, the palette, the reports of a folder."""
