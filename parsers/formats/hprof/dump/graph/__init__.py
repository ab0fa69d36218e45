"""The object graph of a binary heap dump, and views that only it has."""
