"""Kernels that check each index, if the variable `CHECKS` is set: a negative one is outside, too.

Numba's own check lets negative indexes count from the end, as Python does, and doesn't say where. No kernel means them
to: so here they are reported, and each report has its line of the source. It goes to a file, since whoever calls a
kernel may go on without it after any exception.
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
    """An index outside its array; making one adds a line to the file of reports."""

    def __init__(self, place: str) -> None:
        """place: file and line of the kernel"""
        super().__init__(f"index out of bounds: {place}")
        if PATH is not None:
            with open(PATH, "a") as file:
                file.write(f"{place} {os.environ.get('PYTEST_CURRENT_TEST', ' '.join(sys.argv))}\n")


def check(context: Any, builder: Any, index: Any, length: Any, axis: Any = None) -> None:
    """Adds code to a kernel that raises `OutOfBounds` unless 0 <= index < length."""
    outside = builder.icmp_unsigned(">=", index, length)
    with core.cgutils.if_unlikely(builder, outside):
        context.call_conv.return_user_exc(builder, OutOfBounds, (_place(),))


def install() -> None:
    """Has numba use `check`, and no negative indexes, for kernels that are compiled from now on."""
    core.cgutils.do_boundscheck = check
    arrayobj.fix_integer_index = _as_it_is


def _as_it_is(context: Any, builder: Any, kind: Any, index: Any, size: Any) -> Any:
    return context.cast(builder, index, kind, types.intp if kind.signed else types.uintp)


def _place() -> str:
    """File and line of what is being compiled: numba tells them only to the object that does so."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        compiler = frame.f_locals.get("self")
        if isinstance(compiler, core.lowering.BaseLower):
            return f"{os.path.relpath(compiler.loc.filename)}:{compiler.loc.line}"
        frame = frame.f_back
    return "somewhere"
