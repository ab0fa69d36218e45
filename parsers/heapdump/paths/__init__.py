"""Reachability from GC roots and shortest paths to them."""
