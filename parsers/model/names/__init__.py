"""Java names: their notations and parts, patterns for them, suggestions for mistyped ones."""
