"""Numbers for the texts of two sides: equal texts have equal numbers, so that comparing numbers is enough."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from parsers.index.texts import UniqueTexts
from parsers.query.selection.texts_met import arrays_of

if TYPE_CHECKING:
    from parsers.model.arrays import I64Array, U8Array, U32Array

FEW = 20_000
"""Number of texts up to which plain Python is faster than loading the kernels."""
SLACK = 128
"""Bytes after the last text that kernels read."""


@dataclass(frozen=True, slots=True)
class EncodedTexts:
    """Texts in UTF-8, concatenated."""

    starts: I64Array
    """Start of each, and the end of the last one."""
    data: U8Array

    @property
    def count(self) -> int:
        """Number of texts."""
        return len(self.starts) - 1

    def text(self, number: int) -> str:
        """Returns one text."""
        return self.bytes_of(number).decode("utf-8", "replace")

    def bytes_of(self, number: int) -> bytes:
        """Returns one text as bytes."""
        return bytes(self.data[self.starts[number] : self.starts[number + 1]])

    def replaced(self, numbers: I64Array, texts: Sequence[bytes]) -> EncodedTexts:
        """Returns a copy with some texts replaced. numbers: ascending"""
        data, end = self.data.data, 0
        pieces: list[bytes | memoryview] = []
        for number, text in zip(numbers.tolist(), texts, strict=True):
            pieces += (data[end : self.starts[number]], text)
            end = self.starts[number + 1]
        lengths = np.diff(self.starts)
        lengths[numbers] = list(map(len, texts))
        return EncodedTexts(
            np.append(0, np.cumsum(lengths)), np.frombuffer(b"".join((*pieces, data[end : self.starts[-1]])), np.uint8)
        )


def texts_of(texts: Sequence[bytes]) -> EncodedTexts:
    """Concatenates texts."""
    starts, data = arrays_of(texts)
    return EncodedTexts(starts, data[: starts[-1]])


def number_together(old: EncodedTexts, new: EncodedTexts) -> tuple[U32Array, U32Array, int]:
    """Returns the numbers of the old and of the new texts (uint32), and the count of different numbers."""
    if old.count + new.count <= FEW:
        few = UniqueTexts()
        plain = [np.array(few.numbers(map(texts.bytes_of, range(texts.count))), np.uint32) for texts in (old, new)]
        return plain[0], plain[1], len(few.texts)
    from parsers.index.kernel_texts import KernelTexts

    known = KernelTexts()
    known.ensure_capacity(old.count + new.count, int(old.starts[-1] + new.starts[-1]))
    found = [known.numbers_of(*_with_slack(texts)) for texts in (old, new)]
    return found[0], found[1], known.known


def _with_slack(texts: EncodedTexts) -> tuple[I64Array, U8Array]:
    """Returns the arrays for the kernel: always of the same types, and readable after the last text."""
    data = np.empty(int(texts.starts[-1]) + SLACK, np.uint8)
    data[: texts.starts[-1]] = texts.data[: texts.starts[-1]]
    return np.ascontiguousarray(texts.starts, np.int64), data
