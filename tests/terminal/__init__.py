"""Tests of what only a terminal shows."""
