"""Growable arrays of a whole text tree that kernels write into, with capacity for the next chunk."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from parsers.formats.graalvm.text.columns import LISTS
from parsers.formats.graalvm.text.read.chunk import FACTS, LONG_TAIL, TextChunk, TextState
from parsers.formats.graalvm.text.read.line import DEEPEST
from parsers.formats.graalvm.text.summary import KEPT_PROBLEMS
from parsers.index.writer import Writer
from parsers.kernels.id_table import new_ids, with_capacity
from parsers.kernels.text_table import larger_slots, note_text
from parsers.kernels.vector import SLACK

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray, RecordArray, U64Array

MOST_ROWS = 0xFFFFFF00
"""Largest number of rows: row numbers have 32 bits."""
MOST_VERTICES = 0x7FFFFF00
"""Largest number of vertices: vertex numbers have 31 bits."""

SMALL_IDS = 4096
BYTES_PER_ID = 64
"""Ids up to the file's size divided by this are indexes of an array; larger ones are in a hash table. Real files have
one id per two thousand bytes, so a damaged file can't make the array large."""

COUNTS = {"gap": "gaps", "continued": "continued_rows", "far": "far", "listed": "listed"}
"""By the first word of the names of LISTS: the count of their entries."""
KEPT = {
    "name_starts": ("u8", "names"),
    "name_bytes": ("u1", "name_bytes"),
    "vertex_name": ("u4", "vertices"),
    "declaration": ("u4", "vertices"),
    **{name: (type, COUNTS[name.partition("_")[0]]) for name, type in LISTS.items()},
}
SCRATCH = {
    "name_target": ("u4", "names"),
    "vertex_text": ("u8", "vertices"),
    "vertex_id": ("i8", "vertices"),
    "vertex_class": ("u4", "vertices"),
    "distance": ("u4", "vertices"),
    "entries": ("u4", "vertices"),
    "declared_row": ("u4", "declared"),
    "class_starts": ("u8", "classes"),
    "class_bytes": ("u1", "class_bytes"),
    "class_package": ("u4", "classes"),
    "package_starts": ("u8", "packages"),
    "package_bytes": ("u1", "package_bytes"),
}
"""Arrays that are files, and those needed only while building: their types, and the count of their used entries."""
TABLES = (
    ("name_slots", "name_starts", "name_bytes", "names"),
    ("class_slots", "class_starts", "class_bytes", "classes"),
    ("package_slots", "package_starts", "package_bytes", "packages"),
)
"""Hash tables, their texts, and the count of these."""


class TextBuffers:
    """All arrays of one text tree. `whole` holds them for kernels and is replaced when they grow."""

    def __init__(self, writer: Writer, size: int, chunk: int) -> None:
        """size: bytes of the file; chunk: bytes of one chunk, which is joined at once"""
        self._size = size
        self._chunk = chunk
        guess = size // 1500 + (1 << 14)
        self._growing = {name: writer.grow(name, type, guess) for name, (type, _) in KEPT.items()}
        self._growing |= {name: writer.grow(name, type, guess, is_kept=False) for name, (type, _) in SCRATCH.items()}
        self._growing["name_bytes"].ensure(size // 20 + (1 << 16))
        self._ids = writer.grow("ids", "u4", max(SMALL_IDS, size // BYTES_PER_ID), is_kept=False)
        self.whole = self._new_whole()

    def _new_whole(self) -> TextState:
        def numbers(kind: type, length: int, *names: str) -> dict[str, AnyArray]:
            return {name: np.zeros(length, kind) for name in names}

        word, slots = np.uint32, np.uint64
        return TextState(
            facts=_new_facts(),
            id_vertex=self._ids.array,
            large_ids=new_ids(),
            **numbers(slots, 1 << max(16, (self._size // 1100).bit_length()), "name_slots"),
            **numbers(slots, 1 << max(14, (self._size // 8000).bit_length()), "class_slots"),
            **numbers(slots, 1 << 14, "package_slots"),
            **numbers(np.uint16, DEEPEST + 2, "stack_depth"),
            **numbers(word, DEEPEST + 2, "stack_row", "stack_children", "stack_owner", "stack_listed"),
            **numbers(slots, 1024, "loader_slots", "loader_starts"),
            **numbers(np.uint8, 1 << 16, "loader_bytes"),
            **numbers(np.int64, 1024, "loader_counts"),
            **numbers(np.int64, KEPT_PROBLEMS, "stray_line", "stray_offset"),
            **numbers(word, KEPT_PROBLEMS, "unknown_row", "jump_row", "duplicate_row"),
            **{name: array.array for name, array in self._growing.items()},
        )

    @property
    def facts(self) -> Any:
        """Counts of the whole: a record FACTS."""
        return self.whole.facts[0]

    def used(self, name: str) -> int:
        """Returns the number of used entries of a growing array."""
        _, count = KEPT.get(name) or SCRATCH[name]
        return int(self.facts[count])

    def make(self, chunk: TextChunk) -> None:
        """Enlarges all arrays to take the content of a chunk."""
        facts = self.facts
        rows = int(chunk.facts[0]["rows"])
        if facts["rows"] + rows > MOST_ROWS:
            raise OverflowError(f"more than {MOST_ROWS:,} rows")
        if facts["vertices"] + rows > MOST_VERTICES:
            raise OverflowError(f"more than {MOST_VERTICES:,} methods or objects")
        grown = {}
        for name, growing in self._growing.items():
            more = self._chunk + LONG_TAIL if growing.type == "u1" else rows
            if growing.ensure(self.used(name) + more + 2 * SLACK):
                grown[name] = growing.array
        for slots, starts, texts, count in TABLES:
            # Few rows add a class or package, but each may.
            if is_full(int(facts[count]) + rows, getattr(self.whole, slots)):
                grown[slots] = larger_slots(
                    getattr(self.whole, slots),
                    int(facts[count]) + rows,
                    getattr(self.whole, starts),
                    getattr(self.whole, texts),
                )
        if chunk.facts[0]["loaders"]:
            grown |= self._for_loaders(int(facts["loaders"] + chunk.facts[0]["loaders"]))
        if chunk.facts[0]["big_ids"]:
            grown["large_ids"] = with_capacity(self.whole.large_ids, int(chunk.facts[0]["big_ids"]))
        if grown:
            self.whole = self.whole._replace(**grown)

    def _for_loaders(self, count: int) -> dict[str, AnyArray]:
        whole = self.whole
        used = int(whole.loader_starts[self.facts["loaders"]])
        grown = {}
        if 2 * count > len(whole.loader_slots):
            grown["loader_slots"] = larger_slots(whole.loader_slots, count, whole.loader_starts, whole.loader_bytes)
        if count + 2 > len(whole.loader_counts):
            grown["loader_starts"] = np.append(whole.loader_starts, np.zeros(2 * count, np.uint64))
            grown["loader_counts"] = np.append(whole.loader_counts, np.zeros(2 * count, np.int64))
        if used + self._chunk + LONG_TAIL + SLACK > len(whole.loader_bytes):
            more = np.zeros(used + self._chunk + LONG_TAIL + SLACK, np.uint8)
            grown["loader_bytes"] = np.append(whole.loader_bytes, more)
        return grown

    def note_name(self, text: bytes) -> int:
        """Returns the number of a name; a new name gets the next number."""
        facts = self.facts
        grown = {}
        for name, needed in (("name_starts", 4), ("name_bytes", len(text) + 2 * SLACK)):
            if self._growing[name].ensure(self.used(name) + needed):
                grown[name] = self._growing[name].array
        if is_full(int(facts["names"]) + 2, self.whole.name_slots):
            starts, texts = self._growing["name_starts"].array, self._growing["name_bytes"].array
            grown["name_slots"] = larger_slots(self.whole.name_slots, int(facts["names"]) + 2, starts, texts)
        self.whole = self.whole._replace(**grown)
        data = np.frombuffer(text.ljust(len(text) + 2 * SLACK, b"\0"), np.uint8)
        whole, count = self.whole, int(facts["names"])
        number = int(note_text(whole.name_slots, whole.name_starts, whole.name_bytes, count, data, len(text)))
        if number == count:
            facts["names"] += 1
            facts["name_bytes"] += len(text)
        return number

    def lengths(self) -> dict[str, int]:
        """Returns the lengths of the arrays about some rows."""
        return {name: self.used(name) for name in LISTS}

    def cut(self) -> None:
        """Cuts each stored array to its used length."""
        for name in KEPT:
            self._growing[name].length = self.used(name)
        self._growing["name_starts"].length += 1


def is_full(count: int, slots: U64Array) -> bool:
    """Returns True if a hash table is too small for so many texts."""
    return 8 * count > 5 * len(slots)


def _new_facts() -> RecordArray:
    facts = np.zeros(1, FACTS)
    for name in ("max_id", "open_line", "last_line", "last_depth"):
        facts[name] = -1
    return facts
