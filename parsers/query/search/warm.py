"""Compiles or loads the kernels of searching."""

from __future__ import annotations

from importlib import import_module


def warm() -> None:
    """Kernels that search; each of these functions compiles one by using it."""
    for module in ("line_finder", "state_finder", "names", "text_lines"):
        import_module(f"parsers.query.search.{module}")._load_kernel()
