"""The one way a kernel is compiled: `@kernel`. Importing this module imports numba.

Kernels take what they need from `numba` itself, never `from numba.core`: of two threads that import both in another
order one would go on with half a module.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba.extending import intrinsic as numba_intrinsic

from parsers.kernels.groups import CHECKS, folder_of, group_of, prepare

IS_CHECKED = CHECKS in os.environ
"""Whether kernels check each index."""
if IS_CHECKED:
    from parsers.kernels import bounds

    bounds.install()

int32: Any = np.int32
int64: Any = np.int64
uint32: Any = np.uint32
uint64: Any = np.uint64
"""Numbers of fixed width, which kernels write as calls; what these give is of no type that a checker could follow."""

OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "_nrt": False, "boundscheck": IS_CHECKED}
"""Options of all functions of kernels."""
INSIDE: dict[str, Any] = {**OPTIONS, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
"""Options of functions that Python doesn't call: what makes them callable would take a third of the time to compile."""

Function = TypeVar("Function", bound=Callable[..., Any])

__all__ = ["apart", "int32", "int64", "intrinsic", "kernel", "part", "uint32", "uint64"]

intrinsic = cast(Callable[[Callable[..., Any]], Any], numba_intrinsic)
"""A function that gives machine code; called by kernels with other arguments than it has itself."""


def kernel(function: Function) -> Function:
    """A function that Python calls: without the interpreter's lock, compiled once and kept on disk.

    Arrays are counted by their owners in Python alone, so none can be made in it: `_nrt` is numba's own switch for
    that. Counting them in the loops would cost a third of the speed.
    """
    numba.config.CACHE_DIR = folder_of(prepare(), group_of(function.__module__))
    return cast(Function, numba.njit(cache=True, **OPTIONS)(function))


def part(function: Function) -> Function:
    """A function that only kernels call; it is compiled into each of them."""
    return cast(Function, numba.njit(forceinline=True, **INSIDE)(function))


def apart(function: Function) -> Function:
    """A large function that kernels call from several places; it stays one function, so that it is compiled once."""
    return cast(Function, numba.njit(**INSIDE)(function))
