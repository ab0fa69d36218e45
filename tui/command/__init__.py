"""Everything a key, a `:` command or the palette does, by group; nothing here knows which key it is."""
