"""The commands that answer without the browser: one module a command, one for JSON rows, one for text rows."""
