"""Keys and the registry of commands: what a key is called, what keys typed one after the other mean."""
