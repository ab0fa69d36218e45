"""The files of a run and their columns of tasks, events and threads."""
