"""Kernels that are plain functions, compiled as they are: one source for plain code and for arrays of any size."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from types import FunctionType, ModuleType
from typing import Any, TypeVar, cast

Function = TypeVar("Function", bound=Callable[..., Any])


@cache
def compiled(function: Function) -> Function:
    """Returns the kernel of a function that takes lists or arrays; the function itself without library and compiler.

    In the kernel `int` converts to int64, so that unsigned elements of arrays are calculated with as in Python.
    `unsigned`, if the function uses it, converts to uint64, and `signed` wraps to int64.
    """
    from parsers.kernels.decorators import kernel

    try:
        return kernel(with_fixed_width(function))
    except ImportError:
        return function


def run_loop(function: Callable[..., Any], is_plain: bool, inputs: Sequence[Any], outputs: Sequence[Any]) -> Any:
    """Calls a function that takes lists or arrays: on lists, which takes less time than loading a kernel, or compiled.

    inputs   numpy arrays, and numbers
    outputs  the last arguments: numpy arrays, filled
    """
    if not is_plain:
        return compiled(function)(*inputs, *outputs)
    filled = [array.tolist() for array in outputs]
    result = function(*(each if isinstance(each, int) else each.tolist() for each in inputs), *filled)
    for array, values in zip(outputs, filled, strict=True):
        array[:] = values
    return result


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
        found = compiled(getattr(self._module, name))
        setattr(self, name, found)
        return found


Functions = ModuleType | CompiledFunctions
"""A module of plain functions, or the kernels of one."""
