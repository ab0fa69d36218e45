"""Object graphs of heap dumps of any format."""
