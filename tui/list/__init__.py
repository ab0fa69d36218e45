"""Lists and pages that take the place of the tree: where their rows come from, and how they are drawn."""
