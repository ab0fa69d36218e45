"""Keys and commands."""
