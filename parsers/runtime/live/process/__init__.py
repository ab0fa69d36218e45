"""JVMs that run on this machine, and heap dumps of them."""
