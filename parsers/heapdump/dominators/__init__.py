"""Results from a dominator tree: retained sizes of groups, suspects."""
