"""Prompts, questions, the palette, help, lists."""
