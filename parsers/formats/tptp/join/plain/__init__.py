"""Events to tables by plain code: the twin of the kernels."""
