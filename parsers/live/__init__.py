"""Live HPROF: JVMs that send their profile over a socket, and heap dumps that running JVMs are asked for."""
