"""Places, history, marks, bread crumbs, next and previous row of a kind."""
