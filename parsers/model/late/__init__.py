"""Functions and classes by name, numpy, values and sequences: imported, computed or read on first use."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any


def named(name: str) -> Any:
    """Imports and returns an object, as `module:name`."""
    module, _, attribute = name.partition(":")
    return getattr(import_module(module), attribute)


def late(name: str, *first: Any) -> Callable[..., Any]:
    """Returns a function that imports and calls an object ("module:name").

    first  arguments that are passed before those of the call
    """

    def call(*arguments: Any) -> Any:
        return named(name)(*first, *arguments)

    return call
