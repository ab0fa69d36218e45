"""Tables of reports: columns with types, their values as arrays, and the Arrow streams in which they go out."""
