"""Views of profiles: Call tree, Callers, Flame, Methods."""
