"""Objects of heap dumps that are text: HPROF text and TPTP traces."""
