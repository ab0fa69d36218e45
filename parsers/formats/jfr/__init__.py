"""JDK Flight Recorder: recordings of HotSpot and of async-profiler."""
