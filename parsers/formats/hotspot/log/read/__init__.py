"""From bytes of a log to columns, by plain code and by kernels."""
