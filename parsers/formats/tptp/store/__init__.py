"""Tables of a recording as readers see them, and its names."""
