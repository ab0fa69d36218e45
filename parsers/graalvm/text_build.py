"""Builds the index of a text tree with kernels: two threads read chunks in turn. See `text_kernel` for the steps."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from parsers.graalvm.charset import Boxes
from parsers.graalvm.chunk import (
    BIG_IDS,
    BIG_USED,
    BLOCK,
    CHUNK,
    CLASS_BYTES,
    CLASSES,
    CONTINUED_ROWS,
    DECLARED,
    FAR,
    FARTHEST,
    GAPS,
    KINDS,
    LINES,
    LOADERS,
    LONG_TAIL,
    MOST_CHILDREN,
    NAME_BYTES,
    NAMES,
    PACKAGE_BYTES,
    PACKAGES,
    PATCHES,
    ROWS,
    STACK,
    TAGS,
    TAIL,
    THINGS,
    Chunk,
    Whole,
    new_chunk,
    prefix_words,
)
from parsers.graalvm.join_kernel import join_chunk, join_lines, move_big_ids
from parsers.graalvm.line import DEEPEST
from parsers.graalvm.shape_kernel import shape_chunk
from parsers.graalvm.summary import KEPT_PROBLEMS
from parsers.graalvm.text_columns import LARGE
from parsers.graalvm.text_kernel import CALL, MORE, parse_chunk
from parsers.index.text_table import note_text, rehash
from parsers.index.vector import SLACK
from parsers.index.writer import Growing, Writer

THREADS = 2
MOST_ROWS = 0xFFFFFF00
"""Rows have numbers of 32 bits."""
MOST_THINGS = 0x7FFFFF00
"""Things have 31."""

SMALL_IDS = 4096
BYTES_PER_ID = 64
"""Ids up to the file's size divided by this have a place of their own, larger ones are looked up in a hash table. Real
files have an id in two thousand bytes, so a damaged one can't make the table large."""

COLUMNS = {"offset_delta": "u2", "depth": "u2", "kind": "u1", "end": "u4", "thing": "u4"}
"""Arrays with an entry for each row, written as chunks come."""

PUBLISHED = {**COLUMNS, "offset_base": "u8", "far_row": "u4", "far_offset": "u8", "gap_row": "u4", "gap_lines": "u8"}
PUBLISHED |= {"continued_row": "u4", "continued_lines": "u4"}
"""Arrays that readers may look into while the index grows."""

GROWING = {
    "name_starts": "u8",
    "name_bytes": "u1",
    "thing_name": "u4",
    "declaration": "u4",
    "gap_row": "u4",
    "gap_lines": "u8",
    "continued_row": "u4",
    "continued_lines": "u4",
    "far_row": "u4",
    "far_offset": "u8",
}
SCRATCH = {
    "name_target": "u4",
    "thing_text": "u8",
    "thing_id": "i8",
    "thing_class": "u4",
    "distance": "u4",
    "entries": "u4",
    "declared_row": "u4",
    "class_starts": "u8",
    "class_bytes": "u1",
    "class_package": "u4",
    "package_starts": "u8",
    "package_bytes": "u1",
}
BYTES = ("name_bytes", "class_bytes", "package_bytes")
TABLES = (
    ("name_slots", "name_starts", "name_bytes", NAMES),
    ("class_slots", "class_starts", "class_bytes", CLASSES),
    ("package_slots", "package_starts", "package_bytes", PACKAGES),
)
"""Hash tables, their texts, and which count says how many they are."""
"""Arrays that kernels write into: those that are kept, and those that are only needed while building."""


class ChangedFile(Exception):
    """The file became shorter while it was read."""


Tell = Callable[[int, int, dict[str, int]], None]
"""Told of bytes and rows that are ready, and the lengths of the arrays that may be looked into."""


@dataclass
class Sums:
    """Counts of all chunks."""

    kinds: Any = field(default_factory=lambda: np.zeros(KINDS, np.int64))
    tags: Any = field(default_factory=lambda: np.zeros(TAGS, np.int64))
    depths: Any = field(default_factory=lambda: np.zeros(DEEPEST + 1, np.int64))
    counts: Any = None
    """uint32 by thing: its rows"""
    otherwise: dict[int, list[tuple[int, int, bytes]]] = field(default_factory=dict)
    """By chunk: rows that call a thing otherwise than its first row did: row, thing, name."""


class TextBuild:
    """One file on its way to an index. After `read` all rows, things and names are there."""

    def __init__(
        self, writer: Writer, descriptor: int, size: int, boxes: Boxes, format: int, chunk: int = CHUNK
    ) -> None:
        self.writer = writer
        self.size = size
        self.boxes = boxes
        self.sums = Sums()
        self._descriptor = descriptor
        self._words = prefix_words(boxes)
        self._format = format
        self._chunk = chunk
        self._chunks = -(-size // chunk)
        self._next = 0
        self._turn = 0
        self._turns = threading.Condition()
        self._failure: BaseException | None = None
        self._tell: Tell | None = None
        self._written: dict[int, tuple[int, int, Any, Any, dict[str, int]]] = {}
        self._ready = 0
        for name, type in COLUMNS.items():
            if name != "end":
                writer.open(name, type)
        writer.open("offset_base", "u8")
        guess = size // 1500 + (1 << 14)
        self._end = writer.grow("end", "u4", size // 120 + 1024)
        self._below = writer.grow("below", "u2", size // 120 + 1024)
        self._growing = {name: writer.grow(name, type, guess) for name, type in GROWING.items()}
        self._growing |= {name: writer.grow(name, type, guess, is_kept=False) for name, type in SCRATCH.items()}
        self._growing["name_bytes"].ensure(size // 20 + (1 << 16))
        self._ids = writer.grow("ids", "u4", max(SMALL_IDS, size // BYTES_PER_ID), is_kept=False)
        self.whole = self._new_whole()

    def _new_whole(self) -> Whole:
        def numbers(kind: Any, length: int) -> Any:
            return np.zeros(length, kind)

        growing = {name: array.array for name, array in self._growing.items()}
        word = np.uint32
        return Whole(
            facts=_new_facts(),
            id_thing=self._ids.array,
            big_id=np.full(1024, -1, np.int64),
            big_thing=numbers(word, 1024),
            name_slots=numbers(np.uint64, 1 << max(16, (self.size // 1100).bit_length())),
            class_slots=numbers(np.uint64, 1 << max(14, (self.size // 8000).bit_length())),
            package_slots=numbers(np.uint64, 1 << 14),
            stack_row=numbers(word, DEEPEST + 2),
            stack_depth=numbers(np.uint16, DEEPEST + 2),
            stack_children=numbers(word, DEEPEST + 2),
            stack_owner=numbers(word, DEEPEST + 2),
            loader_slots=numbers(np.uint64, 1024),
            loader_starts=numbers(np.uint64, 1024),
            loader_bytes=numbers(np.uint8, 1 << 16),
            loader_counts=numbers(np.int64, 1024),
            stray_line=numbers(np.int64, KEPT_PROBLEMS),
            stray_offset=numbers(np.int64, KEPT_PROBLEMS),
            unknown_row=numbers(word, KEPT_PROBLEMS),
            jump_row=numbers(word, KEPT_PROBLEMS),
            duplicate_row=numbers(word, KEPT_PROBLEMS),
            **growing,
        )

    @property
    def facts(self) -> Any:
        """Counts of the whole: int64[64], see `chunk`."""
        return self.whole.facts

    def read(self, tell: Tell | None = None) -> None:
        """Reads the whole file. Raises what one of the threads raised."""
        self._tell = tell
        threads = [threading.Thread(target=self._work, daemon=True) for _ in range(min(THREADS, self._chunks))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if self._failure is not None:
            raise self._failure
        self._close_tree()

    def _work(self) -> None:
        try:
            self._take_chunks()
        except BaseException as error:
            with self._turns:
                self._failure = self._failure or error
                self._turns.notify_all()

    def _take_chunks(self) -> None:
        chunk = new_chunk(self._chunk)
        counts = np.zeros(1 << 16, np.uint32)
        while True:
            with self._turns:
                number = self._next
                self._next += 1
            if number >= self._chunks or self._failure is not None:
                break
            place, stop, is_end = self._parse(chunk, number)
            with self._turns:
                while self._turn != number and self._failure is None:
                    self._turns.wait()
            if self._failure is not None:
                return
            base = int(self.facts[ROWS])
            self._make_room(chunk)
            whole = self.whole
            join_lines(chunk, whole, place, stop, is_end)
            join_chunk(chunk, whole, place, self._format == CALL)
            patches = int(self.facts[PATCHES])
            rows, ends = chunk.patch_row[:patches].copy(), chunk.patch_end[:patches].copy()
            lengths = self._lengths()
            things = int(self.facts[THINGS])
            with self._turns:
                self._turn += 1
                self._turns.notify_all()
            if things > len(counts):
                counts = np.append(counts, np.zeros(max(things, len(counts)), np.uint32))
            self._write(chunk, whole, number, base, place, counts)
            self._note(number, base + int(chunk.facts[ROWS]), place + stop, rows, ends, lengths)
        self._add(chunk, counts)

    def _parse(self, chunk: Chunk, number: int) -> tuple[int, int, bool]:
        """Reads a chunk and finds its rows: offset of `data`, where it ends in it, whether the file does."""
        begin = number * self._chunk
        end = min(begin + self._chunk, self.size)
        place = max(begin - 1, 0)
        for tail in (TAIL, LONG_TAIL):
            filled = min(end + tail, self.size) - place
            self._pread(chunk.data, filled, place)
            is_end = place + filled == self.size
            found = parse_chunk(
                chunk,
                begin - place,
                end - place,
                filled,
                number == 0,
                is_end,
                self._words,
                self._format,
                self.whole.id_thing,
            )
            if found != MORE:
                return place, end - place, end == self.size
        raise AssertionError("a line ends in the long tail, or is too long to be taken apart")

    def _pread(self, data: Any, count: int, place: int) -> None:
        view = memoryview(data)[:count]
        while len(view):
            done = os.preadv(self._descriptor, [view], place)
            if not done:
                raise ChangedFile
            view = view[done:]
            place += done
        data[count : count + 2 * SLACK] = 0

    def _make_room(self, chunk: Chunk) -> None:
        """Room in all arrays of the whole for what a chunk may bring."""
        facts = self.facts
        rows = int(chunk.facts[ROWS])
        if facts[ROWS] + rows > MOST_ROWS:
            raise OverflowError(f"more than {MOST_ROWS:,} rows")
        if facts[THINGS] + rows > MOST_THINGS:
            raise OverflowError(f"more than {MOST_THINGS:,} methods or objects")
        grown = {}
        for name, growing in self._growing.items():
            room = int(facts[USED[name]]) + (self._chunk + LONG_TAIL if name in BYTES else rows) + 2 * SLACK
            if growing.ensure(room):
                grown[name] = growing.array
        for slots, starts, texts, count in TABLES:
            # Not each row brings a class or package; but each may.
            if is_full(int(facts[count]) + rows, getattr(self.whole, slots)):
                grown[slots] = larger_table(
                    getattr(self.whole, slots),
                    int(facts[count]) + rows,
                    getattr(self.whole, starts),
                    getattr(self.whole, texts),
                )
        if chunk.facts[LOADERS]:
            grown |= self._loader_room(int(facts[LOADERS] + chunk.facts[LOADERS]))
        self._end.ensure(int(facts[ROWS]) + rows)
        self._below.ensure(int(facts[ROWS]) + rows)
        old = self.whole
        if grown:
            self.whole = self.whole._replace(**grown)
        if chunk.facts[BIG_IDS] and 2 * (facts[BIG_USED] + chunk.facts[BIG_IDS]) > len(old.big_id):
            size = 1 << int(4 * (facts[BIG_USED] + chunk.facts[BIG_IDS])).bit_length()
            self.whole = self.whole._replace(big_id=np.full(size, -1, np.int64), big_thing=np.zeros(size, np.uint32))
            move_big_ids(old.big_id, old.big_thing, self.whole.big_id, self.whole.big_thing)

    def _loader_room(self, count: int) -> dict[str, Any]:
        whole = self.whole
        used = int(whole.loader_starts[self.facts[LOADERS]])
        grown = {}
        if 2 * count > len(whole.loader_slots):
            grown["loader_slots"] = larger_table(whole.loader_slots, count, whole.loader_starts, whole.loader_bytes)
        if count + 2 > len(whole.loader_counts):
            grown["loader_starts"] = np.append(whole.loader_starts, np.zeros(2 * count, np.uint64))
            grown["loader_counts"] = np.append(whole.loader_counts, np.zeros(2 * count, np.int64))
        if used + self._chunk + LONG_TAIL + SLACK > len(whole.loader_bytes):
            more = np.zeros(used + self._chunk + LONG_TAIL + SLACK, np.uint8)
            grown["loader_bytes"] = np.append(whole.loader_bytes, more)
        return grown

    def _write(self, chunk: Chunk, whole: Whole, number: int, base: int, place: int, counts: Any) -> None:
        """Writes the rows of a chunk that was joined."""
        strange = shape_chunk(chunk, whole, base, place, counts)
        if strange:
            found = []
            for row in chunk.otherwise[:strange]:
                start = int(chunk.name_start[row])
                name = chunk.data[start : start + int(chunk.name_length[row])].tobytes()
                found.append((base + int(row), int(chunk.thing[row]), name))
            self.sums.otherwise[number] = found
        rows = int(chunk.facts[ROWS])
        if not rows:
            return
        put = self.writer.put
        put("offset_delta", base, chunk.delta[:rows])
        put("depth", base, chunk.depth[:rows])
        put("kind", base, chunk.kind[:rows])
        put("thing", base, chunk.thing[:rows])
        self._end.put(base, chunk.end[:rows])
        self._below.put(base, chunk.below[:rows])
        first = -(-base // BLOCK)
        blocks = -(-(base + rows) // BLOCK) - first
        if blocks:
            put("offset_base", first, chunk.base[:blocks])

    def _note(self, number: int, rows: int, bytes: int, patch: Any, ends: Any, lengths: dict[str, int]) -> None:
        """A chunk is written: closes the subtrees that ended in it, and tells readers, both in order of the file."""
        with self._turns:
            self._written[number] = (rows, bytes, patch, ends, lengths)
            while self._ready in self._written:
                rows, bytes, patch, ends, lengths = self._written.pop(self._ready)
                self._close(patch, ends)
                self._ready += 1
                if self._tell is not None:
                    self._tell(bytes, rows, lengths)

    def _close(self, rows: Any, ends: Any) -> None:
        """Says where the subtrees of rows end that went on behind their chunks."""
        self._end.array[rows] = ends
        self._below.array[rows] = np.minimum(ends - rows - np.uint32(1), LARGE)

    def _lengths(self) -> dict[str, int]:
        """Lengths of the arrays that readers may look into, once all rows so far are written."""
        facts = self.facts
        rows = int(facts[ROWS])
        lengths = dict.fromkeys(COLUMNS, rows)
        lengths |= {"offset_base": -(-rows // BLOCK)}
        lengths |= dict.fromkeys(("far_row", "far_offset"), int(facts[FAR]))
        lengths |= dict.fromkeys(("gap_row", "gap_lines"), int(facts[GAPS]))
        lengths |= dict.fromkeys(("continued_row", "continued_lines"), int(facts[CONTINUED_ROWS]))
        return lengths

    def _add(self, chunk: Chunk, counts: Any) -> None:
        """Adds what a thread counted."""
        with self._turns:
            sums = self.sums
            sums.kinds += chunk.kinds
            sums.tags += chunk.tags
            sums.depths += chunk.depths
            things = int(self.facts[THINGS])
            if sums.counts is None:
                sums.counts = np.zeros(things, np.uint32)
            elif len(sums.counts) < things:
                sums.counts = np.append(sums.counts, np.zeros(things - len(sums.counts), np.uint32))
            shared = min(things, len(counts))
            sums.counts[:shared] += counts[:shared]

    def _close_tree(self) -> None:
        """Ends the subtrees that are open at the end of the file, and cuts all arrays to their lengths."""
        whole, facts = self.whole, self.facts
        still_open = int(facts[STACK])
        rows = int(facts[ROWS])
        self._close(whole.stack_row[:still_open], np.uint32(rows))
        facts[MOST_CHILDREN] = max([facts[MOST_CHILDREN], *whole.stack_children[:still_open]])
        for name, length in self._lengths().items():
            if name in self._growing:
                self._growing[name].length = length
            elif name != "end":
                self.writer.length(name, length)
        self._end.length = self._below.length = rows
        for name in ("thing_name", "declaration"):
            self._growing[name].length = int(facts[THINGS])
        if self.sums.counts is None:
            self.sums.counts = np.zeros(0, np.uint32)

    @property
    def rows(self) -> int:
        """Rows that were found."""
        return int(self.facts[ROWS])

    @property
    def ends(self) -> Any:
        """uint32 by row: first row after the subtree."""
        return self._end.array[: int(self.facts[ROWS])]

    @property
    def below(self) -> Any:
        """uint16 by row: rows below it, LARGE for so many and more."""
        return self._below.array[: int(self.facts[ROWS])]

    def line(self, row: int) -> int:
        """Number of a row's line, from 1."""
        gap = int(np.searchsorted(self.whole.gap_row[: int(self.facts[GAPS])], row, "right")) - 1
        return row + 1 + (int(self.whole.gap_lines[gap]) if gap >= 0 else 0)

    def offset(self, row: int) -> int:
        """Byte offset of a row's line."""
        delta = int(self.writer.column("offset_delta", self.rows)[row])
        if delta == FARTHEST:
            far = int(np.searchsorted(self.whole.far_row[: int(self.facts[FAR])], row))
            return int(self.whole.far_offset[far])
        return int(self.writer.column("offset_base", -(-self.rows // BLOCK))[row // BLOCK]) + delta

    def of_things(self, name: str) -> Any:
        """An array by thing."""
        return getattr(self.whole, name)[: int(self.facts[THINGS])]

    def name_aliases(self) -> tuple[list[tuple[int, int]], dict[int, int]]:
        """Numbers the names by which rows call things otherwise than their first rows did.

        Gives (name, thing) for each such pair, and the name of each such row.
        """
        aliases: dict[tuple[int, int], None] = {}
        of_row = {}
        for _, found in sorted(self.sums.otherwise.items()):
            for row, thing, text in found:
                of_row[row] = name = self._name(text)
                aliases.setdefault((name, thing))
        self.sums.otherwise.clear()
        self._cut_names()
        return list(aliases), of_row

    def _name(self, text: bytes) -> int:
        """The number of a name, noted if it is new."""
        facts = self.facts
        grown = {}
        for name, room in (("name_starts", 4), ("name_bytes", len(text) + 2 * SLACK)):
            if self._growing[name].ensure(int(facts[USED[name]]) + room):
                grown[name] = self._growing[name].array
        if is_full(int(facts[NAMES]) + 2, self.whole.name_slots):
            starts, texts = self._growing["name_starts"].array, self._growing["name_bytes"].array
            grown["name_slots"] = larger_table(self.whole.name_slots, int(facts[NAMES]) + 2, starts, texts)
        self.whole = self.whole._replace(**grown)
        data = np.frombuffer(text.ljust(len(text) + 2 * SLACK, b"\0"), np.uint8)
        whole, count = self.whole, int(facts[NAMES])
        number = int(note_text(whole.name_slots, whole.name_starts, whole.name_bytes, count, data, len(text)))
        if number == count:
            facts[NAMES] += 1
            facts[NAME_BYTES] += len(text)
        return number

    def _cut_names(self) -> None:
        self._growing["name_starts"].length = int(self.facts[NAMES]) + 1
        self._growing["name_bytes"].length = int(self.facts[NAME_BYTES])

    def growing(self, name: str) -> Growing:
        """An array that kernels write into."""
        return self._growing[name]


USED = {
    "name_starts": NAMES,
    "name_bytes": NAME_BYTES,
    "name_target": NAMES,
    "thing_name": THINGS,
    "thing_text": THINGS,
    "thing_id": THINGS,
    "declaration": THINGS,
    "distance": THINGS,
    "declared_row": DECLARED,
    "thing_class": THINGS,
    "entries": THINGS,
    "class_starts": CLASSES,
    "class_bytes": CLASS_BYTES,
    "class_package": CLASSES,
    "package_starts": PACKAGES,
    "package_bytes": PACKAGE_BYTES,
    "gap_row": GAPS,
    "gap_lines": GAPS,
    "continued_row": CONTINUED_ROWS,
    "continued_lines": CONTINUED_ROWS,
    "far_row": FAR,
    "far_offset": FAR,
}
"""Which count says how much of a growing array is used."""


def is_full(count: int, slots: Any) -> bool:
    """Whether so many texts are too many for a hash table."""
    return 8 * count > 5 * len(slots)


def larger_table(slots: Any, count: int, starts: Any, texts: Any) -> Any:
    """A hash table of the same texts that has room for `count` of them."""
    larger = np.zeros(1 << (2 * count).bit_length(), np.uint64)
    rehash(slots, larger, starts, texts)
    return larger


def _new_facts() -> Any:
    from parsers.graalvm.chunk import LAST_DEPTH, LAST_LINE, MAX_ID, OPEN_LINE

    facts = np.zeros(64, np.int64)
    facts[MAX_ID] = facts[OPEN_LINE] = facts[LAST_LINE] = facts[LAST_DEPTH] = -1
    assert facts[LINES] == 0
    return facts
