"""Kernels that are plain functions, compiled as they are: one source for plain code and for machine code."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, TypeVar, cast

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray

Function = TypeVar("Function", bound=Callable[..., Any])


@cache
def compiled(function: Function) -> Function:
    """Returns the kernel of a function of arrays and numbers; without library and compiler the function itself.

    In the kernel `int` converts to int64, so that unsigned elements of arrays are calculated with as in Python.
    `unsigned`, if the function uses it, converts to uint64, and `signed` wraps to int64. The plain function gets
    memory views of the arrays, whose elements are Python's numbers.
    """
    from parsers.kernels.decorators import kernel

    try:
        return kernel(with_fixed_width(function))
    except ImportError:
        return cast(Function, partial(_run_plainly, function))


def fixed(values: AnyArray) -> AnyArray:
    """Returns a read-only view of an array: for kernels it has another type than a writable one."""
    view = values.view()
    view.flags.writeable = False
    return view


def _run_plainly(function: Callable[..., Any], *arguments: Any) -> Any:
    from numpy import ndarray

    return function(*(each.data if isinstance(each, ndarray) else each for each in arguments))


def unsigned(number: int) -> int:
    """Wraps a number to 64 bits without sign."""
    return int(number) & (1 << 64) - 1


def signed(number: int) -> int:
    """Wraps a number to int64."""
    return (number + (1 << 63) & (1 << 64) - 1) - (1 << 63)


def with_fixed_width(function: Function) -> Function:
    """Returns a copy of a plain function, and of those that it calls, whose numbers have 64 bits."""
    from parsers.kernels.decorators import int64, part, uint64

    plain = cast(FunctionType, function)
    names: dict[str, Any] = {"int": int64, "unsigned": uint64, "signed": int64}
    for name in plain.__code__.co_names:
        called = plain.__globals__.get(name)
        if isinstance(called, FunctionType) and name not in names:
            names[name] = part(with_fixed_width(called))
    copy = FunctionType(plain.__code__, {**plain.__globals__, **names}, plain.__name__, plain.__defaults__)
    copy.__qualname__, copy.__module__ = plain.__qualname__, plain.__module__
    return cast(Function, copy)


class CompiledFunctions:
    """The kernels of a module of plain functions, by their names."""

    def __init__(self, module: ModuleType) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        return compiled(getattr(self._module, name))


Functions = ModuleType | CompiledFunctions
"""A module of plain functions, or the kernels of one."""
