"""The child process that answers what takes longer than a frame, and its jobs."""
