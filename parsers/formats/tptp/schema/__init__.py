"""Names of elements and attributes, and the columns of the tables that they become."""
