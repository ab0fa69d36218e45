"""Threads and monitors, of any format."""
