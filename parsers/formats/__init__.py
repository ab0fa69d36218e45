"""One folder for each family of formats. They do not import each other."""
