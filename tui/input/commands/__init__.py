"""The commands by group."""
