"""Charts over time: processors, memory and garbage collections."""
