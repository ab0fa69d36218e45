"""Monitor dumps and contention of HPROF."""
