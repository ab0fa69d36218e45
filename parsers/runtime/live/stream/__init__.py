"""The stored stream of a JVM and its records."""
