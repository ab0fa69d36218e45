"""Bars and line charts."""
