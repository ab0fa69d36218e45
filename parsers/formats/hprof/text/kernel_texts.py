"""Unique texts of a profile while kernels read it: growing arrays, and hash tables over them. See `text_table`."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from parsers.formats.hprof.text.chunk import CLASS_BYTES, CLASSES, FRAME_BYTES, FRAMES, WORD_BYTES, WORDS
from parsers.index.writer import GrowingArray, Writer
from parsers.kernels.text_table import larger_slots, number_all
from parsers.kernels.vector import SLACK

if TYPE_CHECKING:
    from parsers.model.arrays import I64Array, U8Array, U64Array

TEXT_COUNTS = {"class": (CLASSES, CLASS_BYTES), "word": (WORDS, WORD_BYTES), "frame": (FRAMES, FRAME_BYTES)}
"""Tables of texts that kernels fill: the indexes of their lengths in `Whole.state`. Methods are computed at the end."""

MOST_RECENT = 1 << 14
"""Texts from which on the numbers that plain code asked for are forgotten."""


class KernelTextTables:
    """The three tables. `arrays` are those of `Whole`; methods that replace arrays return the new ones."""

    def __init__(self, writer: Writer) -> None:
        self._growing: dict[str, GrowingArray] = {}
        self.arrays: dict[str, Any] = {}
        self._recent: dict[str, dict[bytes, int]] = {table: {} for table in TEXT_COUNTS}
        """Numbers of texts that plain code asked for."""
        for table in TEXT_COUNTS:
            for name, type in ((f"{table}_starts", "u8"), (f"{table}_bytes", "u1")):
                growing = self._growing[name] = writer.grow(name, type, 1 << 14)
                self.arrays[name] = growing.array
            self.arrays[f"{table}_slots"] = np.zeros(1 << 12, np.uint64)

    def _of(self, table: str) -> tuple[U64Array, U64Array, U8Array]:
        slots, starts, blob = (self.arrays[f"{table}_{part}"] for part in ("slots", "starts", "bytes"))
        return slots, starts, blob

    def reserve(self, state: I64Array, rows: int, size: int) -> dict[str, Any]:
        """Enlarges each table for so many more texts of so many bytes."""
        changed: dict[str, Any] = {}
        for table, (count, bytes_count) in TEXT_COUNTS.items():
            for name, capacity in (
                (f"{table}_starts", int(state[count]) + rows + 2),
                (f"{table}_bytes", int(state[bytes_count]) + size + 2 * SLACK),
            ):
                if self._growing[name].ensure(capacity):
                    changed[name] = self._growing[name].array
        self.arrays |= changed
        for table, (count, _) in TEXT_COUNTS.items():
            changed |= self._make_slots(table, int(state[count]) + rows)
        return changed

    def has_capacity(self, state: I64Array, table: str, texts: int, length: int) -> bool:
        """True if there is space for so many more texts, of so many bytes together."""
        count, size = (int(state[place]) for place in TEXT_COUNTS[table])
        slots, starts, blob = self._of(table)
        count += texts
        return 2 * count <= len(slots) and count + 2 <= len(starts) and size + length + 2 * SLACK <= len(blob)

    def _make_slots(self, table: str, count: int) -> dict[str, Any]:
        slots, starts, blob = self._of(table)
        if 2 * count <= len(slots):
            return {}
        larger = larger_slots(slots, count, starts, blob)
        self.arrays[f"{table}_slots"] = larger
        return {f"{table}_slots": larger}

    def larger_slots(self) -> dict[str, Any]:
        """Enlarges all hash tables, as many texts would."""
        changed: dict[str, Any] = {}
        for table in TEXT_COUNTS:
            changed |= self._make_slots(table, len(self.arrays[f"{table}_slots"]))
        return changed

    def known(self, table: str, texts: Sequence[bytes]) -> list[int] | None:
        """Returns the numbers of texts if plain code has used all of them lately."""
        try:
            return [*map(self._recent[table].__getitem__, texts)]
        except KeyError:
            return None

    def numbers(self, state: I64Array, table: str, texts: Sequence[bytes]) -> list[int]:
        """Returns the numbers of texts, which may be new; there must be space for them."""
        count, size = TEXT_COUNTS[table]
        data = np.frombuffer(bytearray().join((*texts, bytes(SLACK))), np.uint8)
        starts = np.fromiter(itertools.accumulate(map(len, texts), initial=0), np.int64, len(texts) + 1)
        numbers = np.zeros(len(texts), np.uint32)
        state[count] = number_all(*self._of(table), int(state[count]), starts, data, numbers)
        state[size] = self.arrays[f"{table}_starts"][state[count]]
        found: list[int] = numbers.tolist()
        recent = self._recent[table]
        if len(recent) > MOST_RECENT:
            recent.clear()
        recent.update(zip(texts, found, strict=True))
        return found

    def all(self, state: I64Array, table: str) -> list[bytes]:
        """Returns all texts of a table."""
        count, size = (int(state[place]) for place in TEXT_COUNTS[table])
        _, starts, blob = self._of(table)
        texts = blob[:size].tobytes()
        return [texts[start:end] for start, end in itertools.pairwise(starts[: count + 1].tolist())]

    def lengths(self, state: I64Array) -> dict[str, int]:
        """Returns the number of used entries of each array."""
        found: dict[str, int] = {}
        for table, (count, size) in TEXT_COUNTS.items():
            found |= {f"{table}_starts": int(state[count]) + 1, f"{table}_bytes": int(state[size])}
        return found

    def finish(self, state: I64Array) -> None:
        """Sets the lengths of the arrays."""
        for name, length in self.lengths(state).items():
            self._growing[name].length = length
