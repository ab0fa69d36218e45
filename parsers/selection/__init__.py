"""What is left of a tree after filters and patterns."""
