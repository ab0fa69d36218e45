"""The rows that filters and patterns leave of a tree."""
