"""HPROF profiles: what the profiling agent of JDK 1.2 to 8 writes, as text (`format=a`) and as binary."""
