"""The terminal browser and the headless commands. Nothing here knows a format by name."""
