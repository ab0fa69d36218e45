"""The engine of the loops: plain functions, or the kernels made of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from parsers.formats.jfr.read import loops, stack_loops, string_loops
from parsers.formats.jfr.read.loops import MOST_LOOPS, SLOTS
from parsers.index.bitpacked import block_loops
from parsers.kernels.compiled import CompiledFunctions, Functions

if TYPE_CHECKING:
    from parsers.model.arrays import U8Array

    Data = bytes | memoryview | U8Array
    """Bytes of a file: an array for kernels."""


class Engine:
    """Loops, and the arrays that they need for themselves; one for each thread."""

    def __init__(self, is_plain: bool) -> None:
        self.is_plain = is_plain
        modules = (loops, stack_loops, string_loops, block_loops)
        functions: list[Functions] = [each if is_plain else CompiledFunctions(each) for each in modules]
        self.loops, self.stacks, self.strings, self.blocks = functions
        self.counters = np.zeros(2 * MOST_LOOPS, np.int64)
        self.slots = np.zeros(SLOTS, np.int64)

    def data(self, piece: bytes | memoryview) -> Data:
        """Returns bytes of a file as the loops take them."""
        return piece if self.is_plain else np.frombuffer(piece, np.uint8)
