"""Tables of a profile for SQL."""
