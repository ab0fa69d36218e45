"""Builds the library of compiled kernels. Not part of the installed package."""
