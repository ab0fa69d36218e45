"""Kernels that join events to tables."""
