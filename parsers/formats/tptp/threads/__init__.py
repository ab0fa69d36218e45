"""Threads, their states, monitors, deadlocks, time line."""
