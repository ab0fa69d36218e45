"""The graph that the rows of a text tree describe."""
