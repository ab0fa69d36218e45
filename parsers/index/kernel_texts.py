"""Unique texts by number in arrays that grow: the hash table of `text_table`. Twin: `texts.UniqueTexts`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from parsers.index.texts import Texts
from parsers.kernels.text_table import number_all, rehash
from parsers.kernels.vector import SLACK

if TYPE_CHECKING:
    from parsers.model.arrays import I64Array, U8Array, U32Array, U64Array

FIRST = 1 << 10
"""Slots of the hash table at first."""
FIRST_BYTES = 1 << 16


class TextSlots(NamedTuple):
    """The arrays as kernels take them."""

    slots: U64Array
    starts: U64Array
    blob: U8Array


class KernelTexts(Sequence[bytes]):
    """A set of texts with numbers, in the order in which they are added."""

    def __init__(self) -> None:
        self.table = TextSlots(np.zeros(FIRST, np.uint64), np.zeros(FIRST, np.uint64), np.zeros(FIRST_BYTES, np.uint8))
        self.known = 0
        """Number of texts. A kernel that adds texts returns it."""

    def __len__(self) -> int:
        return self.known

    def __getitem__(self, number: Any) -> Any:
        return self.texts[number]

    @property
    def texts(self) -> Texts:
        """The texts so far."""
        starts, data = self.arrays()
        return Texts(starts.data, data.data)

    def ensure_capacity(self, texts: int, size: int) -> None:
        """Ensures room for so many more texts, of so many bytes together."""
        slots, starts, blob = self.table
        used = int(starts[self.known])
        if used + size + 2 * SLACK > len(blob):
            blob = np.zeros(2 * (used + size + 2 * SLACK), np.uint8)
            blob[:used] = self.table.blob[:used]
        least = 2 * (self.known + texts) + 2
        if least > len(slots):
            slots, starts = np.zeros((2, 1 << least.bit_length()), np.uint64)
            starts[: self.known + 1] = self.table.starts[: self.known + 1]
            rehash(self.table.slots, slots, starts, blob)
        self.table = TextSlots(slots, starts, blob)

    def number(self, text: bytes) -> int:
        """The number of a text, which may be new."""
        return self.numbers([text])[0]

    def numbers(self, texts: Iterable[bytes]) -> list[int]:
        """The numbers of many texts, which may be new."""
        texts = list(texts)
        starts = np.fromiter(accumulate(map(len, texts), initial=0), np.int64, len(texts) + 1)
        data = bytearray().join((*texts, bytes(SLACK)))
        found: list[int] = self.numbers_of(starts, np.frombuffer(data, np.uint8)).tolist()
        return found

    def numbers_of(self, starts: I64Array, texts: U8Array) -> U32Array:
        """The same of texts in an array: int64[n+1], where each starts; SLACK bytes after the last one are readable."""
        numbers = np.zeros(len(starts) - 1, np.uint32)
        self.ensure_capacity(len(numbers), int(starts[-1] - starts[0]))
        self.known = int(number_all(*self.table, self.known, starts, texts, numbers))
        return numbers

    def arrays(self, first: int = 0) -> tuple[U64Array, U8Array]:
        """The starts of the texts from a number on, and the end of the last one; and the bytes of these texts."""
        starts = self.table.starts[first : self.known + 1]
        return starts, self.table.blob[int(starts[0]) : int(starts[-1])]
