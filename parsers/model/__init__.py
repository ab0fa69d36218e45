"""The vocabulary of all formats and front ends: reports, views, rows, capabilities, trees as positions."""
