"""HPROF profiles and heap dumps, as text and as binary files."""
