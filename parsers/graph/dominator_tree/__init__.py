"""Dominator trees and retained sizes, in plain Python and by kernels."""
