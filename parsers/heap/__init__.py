"""Graphs of objects as heap dumps of any format have them: arrays of references, and what follows from these."""
