"""Kernels that read elements, tags, markup and prologues of recordings."""
