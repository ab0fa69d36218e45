"""Compiled functions: decorators, folders of compiled code, vector operations, hash tables of texts."""
