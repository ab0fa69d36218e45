"""Tables of a recording for SQL."""
