"""Lists and pages shown instead of the tree."""
