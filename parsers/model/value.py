"""Immutable value classes.

`value_class` replaces `dataclass(frozen=True, slots=True)`, which generates and compiles the methods of each class when
its module is imported. That takes 0.3 to 0.6 ms a class, a seventh of the time until the first screen of a report. Here
classes share their methods, and `__init__` is generated with the first object.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, Field, FrozenInstanceError, field, make_dataclass
from inspect import get_annotations
from operator import attrgetter
from typing import Any, TypeVar, dataclass_transform

Class = TypeVar("Class", bound=type)


class _Fields:
    """The `__dataclass_fields__` of a class, made on first access by `fields` or `replace`."""

    def __get__(self, instance: object, owner: Any) -> Mapping[str, Field[Any]]:
        fields = [(name, Any, default) for name, default in _fields(owner)]
        made: Any = make_dataclass("Fields", fields, init=False, repr=False, eq=False, namespace={"__doc__": "None"})
        owner.__dataclass_fields__ = made.__dataclass_fields__
        found: Mapping[str, Field[Any]] = made.__dataclass_fields__
        return found


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def value_class(cls: Class) -> Class:
    """Makes an immutable class of the fields in the class body. Values of one class are equal if all fields are."""
    names = tuple(get_annotations(cls))
    defaults = {name: default for name, default in vars(cls).items() if name in names}
    hidden = [name for name, default in defaults.items() if isinstance(default, Field) and not default.compare]
    body = {name: each for name, each in vars(cls).items() if name not in (*names, "__dict__", "__weakref__")}
    body |= {
        "__slots__": names,
        "__match_args__": names,
        "__dataclass_fields__": _Fields(),
        "__defaults__": defaults,
        "__compared__": attrgetter(*(name for name in names if name not in hidden)),
        "__init__": _first_init,
        "__setattr__": _refuse,
        "__delattr__": _refuse,
        "__eq__": _equal,
        "__hash__": _hash,
        "__reduce__": _reduce,
    }
    body.setdefault("__repr__", _repr)
    made: Any = type(cls)(cls.__name__, cls.__bases__, body)
    made.__qualname__ = cls.__qualname__
    return made  # type: ignore[no-any-return]  # a class cannot be made otherwise than as any


def fields_of(value: Any) -> dict[str, Any]:
    """The fields of a value by their names: unlike `asdict` without copies of what is in them."""
    return {name: getattr(value, name) for name in value.__slots__}


def _fields(cls: Any) -> Iterator[tuple[str, Field[Any]]]:
    """Yields the names of a class's fields with their defaults."""
    for name in cls.__slots__:
        default = cls.__defaults__.get(name, MISSING)
        yield name, default if isinstance(default, Field) else field(default=default)


def _first_init(self: Any, *arguments: Any, **named: Any) -> None:
    """Initialises the first object of a class, after generating `__init__` for all objects."""
    cls = type(self)
    cls.__init__ = _init_of(cls)
    cls.__init__(self, *arguments, **named)


def _init_of(cls: Any) -> Callable[..., None]:
    """Generates `__init__` as if written by hand: no alternative is as fast."""
    known: dict[str, Any] = {"MISSING": MISSING}
    parameters, lines = [], []
    for name, each in _fields(cls):
        if not each.init:
            continue
        known[f"set_{name}"] = getattr(cls, name).__set__
        if each.default_factory is not MISSING:
            known[f"make_{name}"] = each.default_factory
            parameters.append(f"{name}=MISSING")
            lines.append(f"    set_{name}(self, make_{name}() if {name} is MISSING else {name})")
            continue
        known[f"default_{name}"] = each.default
        parameters.append(name if each.default is MISSING else f"{name}=default_{name}")
        lines.append(f"    set_{name}(self, {name})")
    if hasattr(cls, "__post_init__"):
        lines.append("    self.__post_init__()")
    exec("\n".join([f"def __init__(self, {', '.join(parameters)}):", *lines]), known)
    made: Callable[..., None] = known["__init__"]
    made.__qualname__ = f"{cls.__qualname__}.__init__"
    return made


def _refuse(self: object, name: str, *_: object) -> None:
    raise FrozenInstanceError(f"{type(self).__name__}: {name!r} is given once")


def _equal(self: Any, other: Any) -> Any:
    if other.__class__ is not self.__class__:
        return NotImplemented
    return self.__compared__(self) == other.__compared__(other)


def _hash(self: Any) -> int:
    return hash(self.__compared__(self))


def _repr(self: Any) -> str:
    shown = ", ".join(f"{name}={getattr(self, name)!r}" for name, each in _fields(type(self)) if each.repr)
    return f"{type(self).__qualname__}({shown})"


def _reduce(self: Any) -> tuple[type, tuple[Any, ...]]:
    return type(self), tuple(getattr(self, name) for name, each in _fields(type(self)) if each.init)
