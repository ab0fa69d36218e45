"""Queries over many rows or names at once."""
