"""Numbers as lengths and lines: bars beside numbers, small charts of the pane, views of shape "chart"."""
