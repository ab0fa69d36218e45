"""TPTP traces: recordings of objects, threads and calls as a stream of small XML elements."""
