"""From HPROF text to tables, by plain code and by kernels."""
