"""State and operations that commands act through."""
