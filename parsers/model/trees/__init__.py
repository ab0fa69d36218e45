"""Trees as positions: preorders, and graphs unfolded to trees."""
