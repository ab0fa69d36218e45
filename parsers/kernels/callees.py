"""Functions that only kernels call, and how the compiler treats them."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, TypeVar

from parsers.kernels.groups import CHECKS

IS_CHECKED = CHECKS in os.environ
"""True if kernels check each index."""

Function = TypeVar("Function", bound=Callable[..., Any])

CALLED: dict[Any, tuple[str, Callable[..., Any]]] = {}
"""Role and function of each decorated function, by the object that modules of kernels see."""


def part(function: Function) -> Function:
    """Decorates a function that only kernels call; it is inlined into each of them."""
    CALLED[function] = "part", function
    return function


def apart(function: Function) -> Function:
    """Decorates a large function that kernels call from several places; it is not inlined, so it is compiled once."""
    CALLED[function] = "apart", function
    return function


def intrinsic(function: Callable[..., Any]) -> Callable[..., int]:
    """Decorates a function that generates machine code; kernels call it with different arguments than its own."""
    CALLED[function] = "intrinsic", function
    return function
