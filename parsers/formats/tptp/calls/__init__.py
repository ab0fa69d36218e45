"""Calls: as profiles, in their order, by method."""
