"""Base classes of views: lists, groups, charts, time lines, switches, previews."""
