"""Shared parts of the views of a recording."""
