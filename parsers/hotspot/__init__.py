"""HotSpot's LogCompilation logs: what the JIT compiled, inlined, gave up and threw away."""
