"""Heap dumps of a recording as object graphs."""
