"""Cached properties that are computed again after what they were made from has changed."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, cast


def forget(instance: object, *properties: Callable[[Any], object]) -> None:
    """Clears cached properties of an object, as `Class.name`; all of them if none is given."""
    known = vars(instance)
    # To type checkers a property of a class is its function.
    names = [cast("cached_property[Any]", each).attrname or "" for each in properties] or [
        name for name in known if isinstance(getattr(type(instance), name, None), cached_property)
    ]
    for name in names:
        known.pop(name, None)
