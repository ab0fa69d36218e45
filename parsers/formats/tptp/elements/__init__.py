"""The file element by element."""
