"""Joins events to tables."""
