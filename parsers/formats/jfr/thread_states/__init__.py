"""States of threads over time, derived from events."""
