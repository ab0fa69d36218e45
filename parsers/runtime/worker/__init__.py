"""The child process that searches and filters, and its jobs."""
