"""Calls: as profiles, in order, by method."""
