"""Shared by call tree and object tree: the tree over an index or plain rows, the report, its first view."""
