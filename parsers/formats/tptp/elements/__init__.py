"""The view of a file's elements, and their positions."""
