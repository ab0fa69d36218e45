"""Comparison of reports, rules for builds, export to other formats."""
