"""Everything a key, a `:` command or the palette does: the registry, the reading of keys, and the commands by group."""
