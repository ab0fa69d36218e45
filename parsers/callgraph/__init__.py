"""Graphs of what refers to what, by arrays: weight, cuts, ways between, of methods that call and of objects."""
