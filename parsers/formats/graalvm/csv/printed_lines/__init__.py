"""The rows of a CSV call tree as lines."""
