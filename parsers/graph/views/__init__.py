"""Views of any graph: Dominators, Cut, Between."""
