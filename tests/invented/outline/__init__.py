"""An invented format, to prove that a new one needs its own folder and a line in the registry, and nothing else.

A file begins with `OUTLINE 1`. Each further line is a name and a whole number, indented by a tab for each level.
"""
