"""Views of a heap dump: Classes, Objects, Referrers, Paths, Dominators, Suspects, Roots, Unreachable."""
