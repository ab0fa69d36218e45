"""Names of keys, sequences of keys, the registry of commands."""
