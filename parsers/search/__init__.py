"""Finding text: in whole files, and among the unique names of a report."""
