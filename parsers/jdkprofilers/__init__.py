"""The profilers of JDK 1.0 to 9 that print text: `java.prof` (also hprof's `cpu=old`), `-Xprof` and `-Xaprof`."""
