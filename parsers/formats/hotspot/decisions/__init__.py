"""The contents of tasks: calls inlined or not, traps, phases, merged to tables."""
