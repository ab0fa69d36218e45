"""Filters and their prompts."""
