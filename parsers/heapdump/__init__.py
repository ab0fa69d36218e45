"""Object graphs of heap dumps, whatever format they come from."""
