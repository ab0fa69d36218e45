"""Questions to many rows or names at once."""
