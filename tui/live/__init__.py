"""JVMs that connect: the screen that waits for them, their reports while they grow, what they can be asked."""
