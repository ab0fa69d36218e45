"""The SQL prompt: the schema and completion, queries in a child, results as views."""
