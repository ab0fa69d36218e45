"""HotSpot's LogCompilation logs: what the JIT compiled, inlined and deoptimised."""
