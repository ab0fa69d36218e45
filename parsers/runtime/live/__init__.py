"""JVMs that send their profile over a socket."""
