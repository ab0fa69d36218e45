"""A tree on the screen: which rows are shown, where the cursor stands, how a row looks."""
