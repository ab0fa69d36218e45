"""The data of a recording: arrays of the index, values of events, JVMs, names of methods, time ranges."""
