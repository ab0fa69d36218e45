"""Reachability from GC roots and shortest paths from them."""
