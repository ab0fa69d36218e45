"""Child processes that search, filter and query, and their jobs."""
