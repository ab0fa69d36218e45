"""Samples, times and allocation sites of HPROF as profiles; traces; threads."""
