"""Reading recordings: chunks, types, field programs, constants, events."""
