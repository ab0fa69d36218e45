"""Index checks in kernels, if the variable `CHECKS` is set: a negative index is an error, too.

Numba's own check lets negative indexes count from the end, as in Python, and doesn't report the place. No kernel uses
that, so negative ones are reported here, each with its source line. Reports go to a file, because callers may continue
without the kernel after any exception.
"""

from __future__ import annotations

import os
import sys
from types import FrameType
from typing import Any

from numba import core, types
from numba.np import arrayobj

from parsers.kernels.groups import CHECKS

PATH = os.environ.get(CHECKS)
"""The file of reports; None: nothing is checked."""


class OutOfBounds(IndexError):
    """An index outside its array; creating one adds a line to the file of reports."""

    def __init__(self, place: str) -> None:
        """place: file and line of the kernel"""
        super().__init__(f"index out of bounds: {place}")
        if PATH is not None:
            with open(PATH, "a") as file:
                file.write(f"{place} {os.environ.get('PYTEST_CURRENT_TEST', ' '.join(sys.argv))}\n")


def check(context: Any, builder: Any, index: Any, length: Any, axis: Any = None) -> None:
    """Generates code that raises `OutOfBounds` unless 0 <= index < length."""
    outside = builder.icmp_unsigned(">=", index, length)
    with core.cgutils.if_unlikely(builder, outside):
        context.call_conv.return_user_exc(builder, OutOfBounds, (_place(),))


def install() -> None:
    """Makes numba use `check`, without negative indexes, for kernels compiled from now on."""
    core.cgutils.do_boundscheck = check
    arrayobj.fix_integer_index = _as_it_is


def _as_it_is(context: Any, builder: Any, kind: Any, index: Any, size: Any) -> Any:
    return context.cast(builder, index, kind, types.intp if kind.signed else types.uintp)


def _place() -> str:
    """File and line being compiled, from numba's stack frames: it stores them only in the compiling object."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        compiler = frame.f_locals.get("self")
        if isinstance(compiler, core.lowering.BaseLower):
            return f"{os.path.relpath(compiler.loc.filename)}:{compiler.loc.line}"
        frame = frame.f_back
    return "somewhere"
