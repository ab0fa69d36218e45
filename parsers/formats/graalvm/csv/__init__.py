"""Call trees as CSV: a set of tables shown as the tree that the printer would have written."""
