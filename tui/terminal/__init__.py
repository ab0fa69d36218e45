"""The terminal: frames, signals, streams, clipboard, private names of Textual."""
