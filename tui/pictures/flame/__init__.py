"""Flame graphs."""
