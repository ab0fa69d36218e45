"""Arrays of a whole CSV set that kernels write into: names, ids, calls, the tree."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from parsers.formats.graalvm.csv.read.chunk import MethodChunk
from parsers.formats.graalvm.csv.read.name_kernel import KEPT, gather_texts, note_methods
from parsers.formats.graalvm.text.read.buffers import is_full
from parsers.index.writer import GrowingArray, Writer
from parsers.kernels.id_table import new_ids, with_capacity
from parsers.kernels.large_pages import large
from parsers.kernels.text_table import larger_slots
from parsers.kernels.vector import SLACK

if TYPE_CHECKING:
    from parsers.kernels.id_table import IdTable
    from parsers.model.arrays import AnyArray, I64Array, RecordArray, U8Array, U16Array, U32Array, U64Array

BYTES_PER_METHOD = 110
"""Approximate bytes of a row of a table of methods."""
BYTES_PER_ID = 8
"""Ids up to the size of their table divided by this are indexes of an array. Larger ones are in a hash table, so no id
makes an array large."""


Wait = Callable[[], None]
"""Waits until all names registered before are written."""


class AddedNames(NamedTuple):
    """Names that a chunk added."""

    names: int
    place: int
    """Number of bytes of names before them."""


COUNTS = "names name_bytes classes class_bytes packages package_bytes last_class duplicates"
NAME_FACTS = np.dtype([(name, "i8") for name in COUNTS.split()], align=True)
"""Counts of all names so far."""


class CsvNameTable(NamedTuple):
    """Unique names of methods, their classes, the packages of these; as in `parsers.kernels.text_table`."""

    facts: RecordArray
    """NAME_FACTS[1]"""
    slots: U64Array
    starts: U64Array
    blob: U8Array
    opening: U32Array
    """uint32 by name: place of the parenthesis before the parameters, its length if there is none"""
    name_class: U32Array
    class_slots: U64Array
    class_starts: U64Array
    class_bytes: U8Array
    class_package: U32Array
    package_slots: U64Array
    package_starts: U64Array
    package_bytes: U8Array


class MethodIds(NamedTuple):
    """The methods of a table by id."""

    table: U32Array
    """uint32 by id: number of the method + 1; 0: none"""
    large: IdTable
    """methods of other ids"""
    duplicate: I64Array
    """First methods with a repeated id."""


class CallTable(NamedTuple):
    """All calls."""

    to: U32Array
    """uint32: the target method of a direct call, the name of the target of another call"""
    list: U32Array
    """uint32: number of the list of its possible targets; NONE: it is direct"""
    bci: U32Array
    """uint32: as in `kernel`"""
    strange: U8Array
    strange_start: I64Array
    strange_first: I64Array


class CallArrays(NamedTuple):
    """Calls of each method."""

    first: U32Array
    """uint32 by method: its first call"""
    list_first: U32Array
    members: U32Array
    is_done: U8Array
    declares: U8Array
    """uint8 by call: 1 if it is the first to reach a method"""
    vertex: U32Array
    """uint32 by method: its vertex; NONE: it is not printed"""


class ReachedMethods(NamedTuple):
    """Methods in the order in which they are reached."""

    method: U32Array
    parent: U32Array
    local: U32Array
    call: U32Array
    place: U32Array
    depth: U16Array
    kind: U8Array
    distance: U32Array
    below: U32Array
    row: U32Array


class UnfoldedRows(NamedTuple):
    """The rows of the tree."""

    depth: U16Array
    kind: U8Array
    below: U8Array
    vertex: U32Array
    bci: U16Array
    large_row: U32Array
    large_end: U32Array
    strange_row: U32Array
    strange_code: I64Array


MEMORY = {"starts": "u8", "opening": "u4", "name_class": "u4"}
"""Type of each field of `CsvNameTable` that is in memory. Each has an entry for each name, and one more."""
GROWING = {
    "blob": ("name_bytes", "u1", "name_bytes"),
    "class_starts": ("class_starts", "u8", "classes"),
    "class_bytes": ("class_bytes", "u1", "class_bytes"),
    "class_package": ("class_of_package", "u4", "classes"),
    "package_starts": ("package_starts", "u8", "packages"),
    "package_bytes": ("package_bytes", "u1", "package_bytes"),
}
"""By field of `CsvNameTable`: its file, its type, the count of its used entries."""
SLOTS = (
    ("slots", "starts", "blob", "names"),
    ("class_slots", "class_starts", "class_bytes", "classes"),
    ("package_slots", "package_starts", "package_bytes", "packages"),
)


class NameBuffers:
    """All names of a set; `table` is replaced when they grow."""

    def __init__(self, writer: Writer, size: int) -> None:
        """size: bytes of the tables of methods"""
        guess = size // BYTES_PER_METHOD + (1 << 12)
        self._writer = writer
        self._growing: dict[str, GrowingArray] = {}
        for field, (name, type, _) in GROWING.items():
            capacity = guess if type != "u1" else size * 3 // 4 + (1 << 16) if field == "blob" else guess * 8
            self._growing[field] = writer.grow(name, type, capacity, is_kept=field == "blob")
        facts = np.zeros(1, NAME_FACTS)
        facts["last_class"] = -1
        self.table = CsvNameTable(
            facts=facts,
            slots=large("u8", 1 << max(12, guess.bit_length())),
            class_slots=large("u8", 1 << max(12, (guess // 4).bit_length())),
            package_slots=np.zeros(1 << 12, np.uint64),
            **{field: large(type, guess) for field, type in MEMORY.items()},
            **{field: growing.array for field, growing in self._growing.items()},
        )

    def count(self, what: str) -> int:
        """One of the counts."""
        return int(self.table.facts[0][what])

    def make(self, rows: int, text: int, wait: Wait) -> None:
        """Enlarges the arrays for so many methods with so many bytes of text. wait: until all names are written"""
        grown = {}
        for field, (_, type, count) in GROWING.items():
            more = text if type == "u1" else rows
            if self._growing[field].ensure(self.count(count) + more + 2 * SLACK):
                grown[field] = self._growing[field].array
        for field, type in MEMORY.items():
            array, needed = getattr(self.table, field), self.count("names") + rows + 2
            if needed > len(array):
                grown[field] = large(type, 2 * needed)
                grown[field][: len(array)] = array
        table = self.table._replace(**grown)
        for slots, starts, blob, count in SLOTS:
            known = getattr(table, slots)
            if is_full(self.count(count) + rows, known):
                wait()
                larger = larger_slots(known, self.count(count) + rows, getattr(table, starts), getattr(table, blob))
                table = table._replace(**{slots: larger})
        self.table = table

    def write(self, chunk: MethodChunk, added: AddedNames) -> None:
        """Writes the names that a chunk added. Overwrites `chunk.texts`."""
        is_all = added.names == chunk.facts[0]["good"]
        size = int(chunk.facts[0]["text"]) if is_all else gather_texts(chunk, added.names)
        self._growing["blob"].put(added.place, chunk.texts[:size])

    def save(self, slots: U64Array) -> None:
        """Saves the stored arrays of names. slots: uint64, their hash table"""
        self._writer.save("name_slots", slots.astype(np.uint32))
        self._writer.save("name_starts", self.table.starts[: self.count("names") + 1])
        self._growing["blob"].length = self.count("name_bytes")


COLUMNS = {"name": "u4", "id": "i8", "flag": "u1"}
"""Types of the arrays of a `MethodBuffers`."""


class MethodBuffers:
    """The methods of a table, and their ids."""

    def __init__(self, size: int) -> None:
        """size: bytes of the table"""
        self.count = 0
        self.ids = MethodIds(
            table=large("u4", size // BYTES_PER_ID + 4096),
            large=new_ids(),
            duplicate=np.zeros(KEPT, np.int64),
        )
        guess = size // BYTES_PER_METHOD + 1024
        self._arrays: dict[str, AnyArray] = {name: large(type, guess) for name, type in COLUMNS.items()}
        self.duplicates = 0

    def of(self, what: str) -> AnyArray:
        """By method its `name` (NONE: its id is repeated), `id` or `flag`."""
        return self._arrays[what][: self.count]

    def note(self, chunk: MethodChunk, names: NameBuffers, readable: int, wait: Wait) -> AddedNames:
        """Registers the methods of a chunk. readable: bytes of names that are written"""
        rows = int(chunk.facts[0]["good"])
        names.make(rows, int(chunk.facts[0]["text"]), wait)
        if self.count + rows > len(self._arrays["id"]):
            for name, array in self._arrays.items():
                larger = large(COLUMNS[name], 2 * (self.count + rows))
                larger[: self.count] = array[: self.count]
                self._arrays[name] = larger
        if chunk.facts[0]["highest"] >= len(self.ids.table):
            self.ids = self.ids._replace(large=with_capacity(self.ids.large, rows))
        facts = names.table.facts[0]
        facts["duplicates"] = self.duplicates
        before, place = names.count("names"), names.count("name_bytes")
        name_of, id_of, flag_of = self._arrays["name"], self._arrays["id"], self._arrays["flag"]
        done = 0
        while done < rows:
            done = note_methods(
                chunk, names.table, self.ids, self.count, name_of, id_of, flag_of, done, before, readable
            )
            if done < rows:
                wait()
                readable = place
        self.duplicates = int(facts["duplicates"])
        self.count += rows
        return AddedNames(names.count("names") - before, place)
