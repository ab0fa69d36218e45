"""Dominator trees and retained sizes, by plain code and by kernels."""
