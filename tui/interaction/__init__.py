"""What commands act through: searching, filters, marks, places, prompts."""
