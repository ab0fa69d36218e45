"""What the two text trees share: the tree over an index or plain rows, the report, its first view."""
