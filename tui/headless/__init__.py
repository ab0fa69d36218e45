"""Commands without the browser: sessions, text rows and JSON rows."""
