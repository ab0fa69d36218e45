"""Searching a report and going to names."""
