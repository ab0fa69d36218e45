"""Functions and classes by name, so that their modules are imported on first use."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any


def late(name: str, *first: Any) -> Callable[..., Any]:
    """Returns a function that imports and calls an object ("module:name").

    first  arguments that are passed before those of the call
    """

    def call(*arguments: Any) -> Any:
        module, _, attribute = name.partition(":")
        return getattr(import_module(module), attribute)(*first, *arguments)

    return call
