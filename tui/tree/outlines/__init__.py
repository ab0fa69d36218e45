"""Outlines: which rows of a tree are shown, by its folds."""
