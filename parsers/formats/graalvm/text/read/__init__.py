"""Lines of a text tree to arrays, by plain code and by kernels."""
