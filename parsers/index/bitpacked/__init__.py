"""Columns of small numbers: of one, two or four bytes each, or in blocks of so many bits as they need."""
