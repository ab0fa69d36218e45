"""Plain code that joins events to tables: the twin of the kernels."""
