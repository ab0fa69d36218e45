"""JVMs that run on this machine: which there are, heap dumps of them."""
