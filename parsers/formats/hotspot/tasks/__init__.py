"""The view of compile tasks and the reader of one task."""
