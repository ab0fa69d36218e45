"""Profiles: stack traces that weigh something, merged to call trees, callers, and what each method costs."""
