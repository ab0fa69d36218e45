"""The stages of a heap dump's index: classes, sizes, references, dominators, strings."""
