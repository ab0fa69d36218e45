"""Views of shape "timeline": lanes of states over an axis of time."""
