"""The application: start, the screens it opens, following files."""
