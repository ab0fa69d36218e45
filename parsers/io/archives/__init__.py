"""Compressed files, zip archives and gzip members as plain bytes."""
