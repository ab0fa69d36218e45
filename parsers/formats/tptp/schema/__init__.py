"""Names of elements and attributes, and the columns of the tables made from them."""
