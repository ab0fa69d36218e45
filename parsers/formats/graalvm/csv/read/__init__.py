"""Converts the tables of a CSV set to a call graph and its tree, by plain code and by kernels."""
