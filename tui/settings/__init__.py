"""Configuration, options, and where they are stored."""
