"""The tables of a recording as readers see them, and its names."""
