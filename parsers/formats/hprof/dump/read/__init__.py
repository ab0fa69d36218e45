"""Sub-records of binary heap dumps, by plain code and by kernels."""
