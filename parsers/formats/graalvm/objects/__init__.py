"""Object trees: their views and their graph."""
