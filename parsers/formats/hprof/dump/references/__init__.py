"""References of the objects of a heap dump, by plain code and by kernels."""
