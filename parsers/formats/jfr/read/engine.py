"""The engine of the loops: plain functions, or the kernels made of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from parsers.formats.jfr.read import loops, stack_loops, string_loops
from parsers.formats.jfr.read.loops import MOST_LOOPS, SLOTS
from parsers.index.bitpacked import block_loops
from parsers.kernels.compiled import CompiledFunctions


class Engine:
    """Loops, and the arrays that they need for themselves; one for each thread."""

    def __init__(self, is_plain: bool) -> None:
        self.is_plain = is_plain
        self.loops: Any = loops if is_plain else CompiledFunctions(loops)
        self.stacks: Any = stack_loops if is_plain else CompiledFunctions(stack_loops)
        self.strings: Any = string_loops if is_plain else CompiledFunctions(string_loops)
        self.blocks: Any = block_loops if is_plain else CompiledFunctions(block_loops)
        self.counters = np.zeros(2 * MOST_LOOPS, np.int64)
        self.slots = np.zeros(SLOTS, np.int64)

    def data(self, piece: bytes | bytearray | memoryview) -> Any:
        """Returns bytes of a file as the loops take them."""
        return piece if self.is_plain else np.frombuffer(piece, np.uint8)
