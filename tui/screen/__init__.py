"""The screen of a report: frame, status line, side pane, colours; base widgets."""
