"""Base classes of reports: indexed by a child process, read whole, or made of several members."""
