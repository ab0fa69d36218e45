"""A tree on the screen: visible rows, cursor, drawing of a row."""
