"""The rows that filters and patterns select from a tree."""
