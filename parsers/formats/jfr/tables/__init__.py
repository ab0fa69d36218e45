"""Tables of a recording: declarations, values of fields as arrays, groups with their aggregates, and views."""
