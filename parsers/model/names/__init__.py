"""Java names, their parts and patterns for them; numbers that are names; suggestions for mistyped names; secrets."""
