"""The vocabulary that all formats and front ends share."""
