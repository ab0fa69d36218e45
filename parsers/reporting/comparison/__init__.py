"""Differences between two reports of one program."""
