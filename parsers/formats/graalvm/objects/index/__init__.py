"""Rows of object trees to arrays: types, totals."""
