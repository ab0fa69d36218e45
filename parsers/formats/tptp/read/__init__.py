"""Bytes of a recording to events, by plain code and by kernels."""
