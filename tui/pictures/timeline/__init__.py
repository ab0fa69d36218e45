"""Time lines: lanes of states over an axis of time."""
