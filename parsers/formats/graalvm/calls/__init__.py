"""Call trees: their views and their graph."""
