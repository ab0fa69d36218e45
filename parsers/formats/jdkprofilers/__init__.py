"""Text of the old JDK profilers: `java.prof`, `-Xprof`, `-Xaprof`."""
