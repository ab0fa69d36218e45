"""Tables of a recording: declarations, the values of fields as arrays, groups with their aggregates, and their views."""
