"""Screens for JVMs that connect."""
