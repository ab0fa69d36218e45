"""Differences between two builds."""
