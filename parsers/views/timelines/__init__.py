"""Views of shape "timeline": lanes, their states, moments and ranges of time."""
