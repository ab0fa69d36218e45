"""A summary of a recording: its facts, problems and totals."""
