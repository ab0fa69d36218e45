"""Reports of GraalVM native-image: call trees, object trees, and the tables beside them."""
