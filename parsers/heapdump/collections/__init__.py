"""Logical contents of maps, lists and sets of the JDK."""
