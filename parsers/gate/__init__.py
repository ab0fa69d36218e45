"""Rules that a report must keep, for builds: what they say, what they find, how it is told to other programs."""
