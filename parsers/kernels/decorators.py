"""The decorators of compiled functions, such as `@kernel`. Importing this module imports numba.

Kernels import only from `numba` itself, never from `numba.core`. Two threads that import both in different orders could
otherwise see a half initialised module.
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
"""True if kernels check each index."""
if IS_CHECKED:
    from parsers.kernels import bounds

    bounds.install()

int32: Any = np.int32
int64: Any = np.int64
uint32: Any = np.uint32
uint64: Any = np.uint64
"""Numbers of fixed width, used as conversions in kernels; type checkers can't follow their results."""

OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "_nrt": False, "boundscheck": IS_CHECKED}
"""Options of all compiled functions."""
INSIDE: dict[str, Any] = {**OPTIONS, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
"""Options of functions that Python doesn't call: their wrappers would take a third of the compile time."""

Function = TypeVar("Function", bound=Callable[..., Any])

__all__ = ["apart", "int32", "int64", "intrinsic", "kernel", "part", "uint32", "uint64"]

intrinsic = cast(Callable[[Callable[..., Any]], Any], numba_intrinsic)
"""Decorates a function that generates machine code; kernels call it with different arguments than its own."""


def kernel(function: Function) -> Function:
    """Decorates a function that Python calls: without the GIL, compiled once and cached on disk.

    Only Python counts references to arrays, so none can be created in a kernel: `_nrt` is numba's switch for that.
    Counting them in the loops would cost a third of the speed.
    """
    numba.config.CACHE_DIR = folder_of(prepare(), group_of(function.__module__))
    return cast(Function, numba.njit(cache=True, **OPTIONS)(function))


def part(function: Function) -> Function:
    """Decorates a function that only kernels call; it is inlined into each of them."""
    return cast(Function, numba.njit(forceinline=True, **INSIDE)(function))


def apart(function: Function) -> Function:
    """Decorates a large function that kernels call from several places; it is not inlined, so it is compiled once."""
    return cast(Function, numba.njit(**INSIDE)(function))
