"""What stands between Coffeetree and the terminal: frames, keys, signals, streams, clipboard."""
