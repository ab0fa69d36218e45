"""Rows of call trees to arrays: classes, packages, totals."""
