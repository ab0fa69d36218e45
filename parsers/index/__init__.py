"""The index on disk: arrays, header, stages, the child that builds it."""
