"""The decorators of compiled functions, such as `@kernel`.

A kernel comes from the library of compiled kernels (`library`), or is compiled now (`jit`) where the library was not
built from the present sources. Only the latter imports numba.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, TypeVar, cast

import numpy as np

from parsers.kernels import library
from parsers.kernels.callees import CALLED, IS_CHECKED, apart, intrinsic, part

Conversion = Callable[[Any], int]
int64: Conversion = cast(Conversion, np.int64)
uint32: Conversion = cast(Conversion, np.uint32)
uint64: Conversion = cast(Conversion, np.uint64)
"""Conversions to numbers of fixed width. In kernels a number of any width has the type `int`."""

Function = TypeVar("Function", bound=Callable[..., Any])

__all__ = [
    "IS_CHECKED",
    "apart",
    "core",
    "int64",
    "intrinsic",
    "ir",
    "kernel",
    "part",
    "types",
    "uint32",
    "uint64",
]


class _CompilerModule:
    """A module that generators of machine code use; imported when the first of them runs."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        return getattr(import_module(self._name), name)


ir: Any = _CompilerModule("llvmlite.ir")
types: Any = _CompilerModule("numba.types")
core: Any = _CompilerModule("numba.core")


def kernel(function: Function) -> Function:
    """Decorates a function that Python calls, without the GIL.

    Raises `ImportError` if neither the library nor a compiler is there.
    """
    found = library.find(function)
    if found is None:
        from parsers.kernels.jit import JitKernel

        found = JitKernel(function)
    CALLED[found] = "kernel", function
    return cast(Function, found)
