"""Graphs of methods or objects as arrays: reachability, shortest paths, dominators, cuts, paths between nodes."""
