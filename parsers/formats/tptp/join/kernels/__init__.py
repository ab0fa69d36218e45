"""Events to tables by kernels."""
