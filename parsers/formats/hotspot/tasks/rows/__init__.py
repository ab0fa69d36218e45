"""Rows of the view of tasks: labels, references, side pane."""
