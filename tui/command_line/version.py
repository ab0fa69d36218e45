"""The versions of the program and its libraries, and the engine of each group of kernels."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version

from parsers.kernels.library import engine_of
from parsers.runtime.compile import all_groups
from tui.command_line.registry import VERSION

LIBRARIES = ("textual", "rich", "numpy", "stringzilla", "numba")
ENGINES = {
    "library": "compiled ahead",
    "jit": "compiled by numba when they are used",
    "plain": "not compiled: large reports are read slowly",
}
"""Descriptions of the engines."""


def version_text() -> str:
    """Versions of the program, of Python and of its libraries, and the engines of its kernels, a line each."""
    installed = ", ".join(_installed())
    engines = sorted({engine_of(group) for group in all_groups()})
    return f"coffeetree {VERSION}\nPython {platform.python_version()}, {installed}\nkernels: {', '.join(engines)}"


def engine_text() -> str:
    """The engine of each group of kernels, a line each."""
    return "\n".join(f"{group.name:16} {(engine := engine_of(group)):8} {ENGINES[engine]}" for group in all_groups())


def _installed() -> Iterator[str]:
    for name in LIBRARIES:
        try:
            yield f"{name} {version(name)}"
        except PackageNotFoundError:
            continue
