"""The engine of the loops: plain functions, or the kernels made of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from parsers.formats.jfr.read import loops, stack_loops, string_loops
from parsers.formats.jfr.read.loops import MOST_LOOPS, SLOTS
from parsers.index.bitpacked import block_loops
from parsers.kernels.compiled import CompiledFunctions


class _Kernels(CompiledFunctions):
    """Looks each kernel up once: chunks may be tiny and very many."""

    def __getattr__(self, name: str) -> Any:
        found = super().__getattr__(name)
        setattr(self, name, found)
        return found


class Engine:
    """Loops, and the arrays that they need for themselves; one for each thread."""

    def __init__(self, is_plain: bool) -> None:
        self.is_plain = is_plain
        self.loops: Any = loops if is_plain else _Kernels(loops)
        self.stacks: Any = stack_loops if is_plain else _Kernels(stack_loops)
        self.strings: Any = string_loops if is_plain else _Kernels(string_loops)
        self.blocks: Any = block_loops if is_plain else _Kernels(block_loops)
        self.counters = np.zeros(2 * MOST_LOOPS, np.int64)
        self.slots = np.zeros(SLOTS, np.int64)

    def data(self, piece: bytes | bytearray | memoryview) -> Any:
        """Returns bytes of a file as the loops take them."""
        return piece if self.is_plain else np.frombuffer(piece, np.uint8)
