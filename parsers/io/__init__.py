"""Files, pipes and charsets as bytes at offsets; the private cache."""
