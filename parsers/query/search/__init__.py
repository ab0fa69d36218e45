"""Text search in files and among the unique names of a report."""
