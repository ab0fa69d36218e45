"""Caller pairs of `java.prof`."""
