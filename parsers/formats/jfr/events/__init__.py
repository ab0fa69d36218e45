"""Events as rows: their values as text, rows, searches, and views before and after there is an index."""
