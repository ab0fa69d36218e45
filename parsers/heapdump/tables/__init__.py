"""Arrays derived from a heap dump: objects by id, sums by class, equal strings."""
