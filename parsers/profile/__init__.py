"""Stack traces with weights, of any format, merged to call trees, callers and costs by method."""
