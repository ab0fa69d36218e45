"""Columns of small numbers in one, two or four bytes each."""
