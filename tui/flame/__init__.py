"""A tree as a flame: the root on top, each box as wide as what it weighs."""
