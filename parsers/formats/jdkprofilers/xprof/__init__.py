"""Output of `-Xprof` and `-Xaprof`."""
