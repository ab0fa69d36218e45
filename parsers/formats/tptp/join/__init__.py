"""Events to tables."""
