"""Compiles or loads the kernels for searching."""

from __future__ import annotations

from importlib import import_module


def warm() -> None:
    """Calls each loader, which compiles a kernel by using it."""
    for module in ("line_finder", "state_finder", "names", "text_lines"):
        import_module(f"parsers.query.search.{module}")._load_kernel()
