"""Unique texts of a profile while kernels read it: their bytes are in files that readers map. See `text_table`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from parsers.formats.hprof.text.chunk import CLASSES, FRAMES, WORDS
from parsers.index.kernel_texts import KernelTexts, TextSlots
from parsers.index.writer import Writer
from parsers.kernels.text_table import larger_slots
from parsers.kernels.vector import SLACK

if TYPE_CHECKING:
    from parsers.model.arrays import U64Array

TEXT_COUNTS = {"class": CLASSES, "word": WORDS, "frame": FRAMES}
"""Tables of texts that kernels fill: the indexes of their lengths in `JoinedProfile.state`. Methods are computed at the
end.
"""
MOST_RECENT = 1 << 14
"""Texts from which on the numbers that plain code asked for are forgotten."""


class FileTexts(KernelTexts):
    """A table of texts in the folder of an index."""

    def __init__(self, writer: Writer, table: str) -> None:
        super().__init__()
        self._files = {
            name: writer.grow(name, type, 1 << 14)
            for name, type in ((f"{table}_starts", "u8"), (f"{table}_bytes", "u1"))
        }
        self._recent: dict[bytes, int] = {}
        """Numbers of texts that plain code asked for."""
        self._use(np.zeros(1 << 12, np.uint64))

    def _use(self, slots: U64Array) -> None:
        self.table = TextSlots(slots, *(growing.array for growing in self._files.values()))

    def ensure_capacity(self, texts: int, size: int) -> None:
        """Ensures room for so many more texts, of so many bytes together."""
        count, used = self.known + texts, int(self.table.starts[self.known])
        starts, data = self._files.values()
        has_grown = starts.ensure(count + 2) | data.ensure(used + size + 2 * SLACK)
        slots = self.table.slots
        if 2 * count > len(slots):
            self._use(larger_slots(slots, count, starts.array, data.array))
        elif has_grown:
            self._use(slots)

    def numbers(self, texts: Iterable[bytes]) -> list[int]:
        """The numbers of many texts, which may be new; without a kernel if plain code has used all of them lately."""
        recent, texts = self._recent, list(texts)
        try:
            return [*map(recent.__getitem__, texts)]
        except KeyError:
            found = super().numbers(texts)
        if len(recent) > MOST_RECENT:
            recent.clear()
        recent.update(zip(texts, found, strict=True))
        return found

    @property
    def lengths(self) -> dict[str, int]:
        """The number of used entries of each array."""
        return dict(zip(self._files, (self.known + 1, int(self.table.starts[self.known])), strict=True))

    def finish(self) -> None:
        """Sets the lengths of the arrays."""
        for name, length in self.lengths.items():
            self._files[name].length = length
