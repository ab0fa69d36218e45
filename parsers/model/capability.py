"""`Capability`: the metaclass of protocols of optional abilities, which makes `isinstance` fast."""

from __future__ import annotations

from functools import cache
from inspect import get_annotations
from typing import Any, Protocol


class Capability(type(Protocol)):  # type: ignore[misc]  # the metaclass of protocols has no public name
    """Tests an object for a protocol by the names of the members, in a few microseconds instead of 50.

    Members that an object delegates to another one count in any version of Python.
    """

    def __instancecheck__(cls, instance: Any) -> bool:
        if not cls._is_protocol:
            return bool(super().__instancecheck__(instance))
        return all(hasattr(instance, name) for name in _members(cls))


@cache
def _members(protocol: type) -> list[str]:
    """Names of the members of a protocol and its bases."""
    names = (name for base in protocol.__mro__ for name in (*vars(base), *get_annotations(base)))
    return [name for name in dict.fromkeys(names) if not name.startswith("_")]
