"""Kernels that are plain functions, compiled as they are: one source for plain code and for arrays of any size."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from types import FunctionType, MappingProxyType, ModuleType
from typing import Any, TypeVar, cast

NO_HELPERS: Mapping[str, Any] = MappingProxyType({})
Function = TypeVar("Function", bound=Callable[..., Any])


@cache
def compiled(function: Function, *helpers: Callable[..., Any]) -> Function:
    """Returns the kernel of a function that takes lists or arrays. The first call imports numba.

    In the kernel `int` converts to int64, so that unsigned elements of arrays are calculated with as in Python.
    `unsigned`, if the function uses it, converts to uint64, and `signed` wraps to int64.
    helpers: functions that it calls
    """
    from parsers.kernels.decorators import kernel

    return kernel(_with_fixed_width(function, helpers))


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


def _with_fixed_width(function: Function, helpers: tuple[Callable[..., Any], ...]) -> Function:
    from parsers.kernels.decorators import int64, part, uint64

    names: dict[str, Any] = {"int": int64, "unsigned": uint64, "signed": int64}
    for helper in helpers:
        names[helper.__name__] = part(_with_fixed_width(helper, ()))
    plain = cast(FunctionType, function)
    copy = FunctionType(plain.__code__, {**plain.__globals__, **names}, plain.__name__, plain.__defaults__)
    copy.__qualname__, copy.__module__ = plain.__qualname__, plain.__module__
    return cast(Function, copy)


class CompiledFunctions:
    """The kernels of a module of plain functions, by their names."""

    def __init__(self, module: ModuleType, helpers: Mapping[str, tuple[Callable[..., Any], ...]] = NO_HELPERS) -> None:
        """helpers: functions that a function calls, by its name"""
        self._module, self._helpers = module, helpers

    def __getattr__(self, name: str) -> Any:
        return compiled(getattr(self._module, name), *self._helpers.get(name, ()))


Functions = ModuleType | CompiledFunctions
"""A module of plain functions, or the kernels of one."""
