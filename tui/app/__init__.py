"""The application: command line, start, the screens it opens, following files."""
