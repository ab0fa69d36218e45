"""State of one thread that reads tasks with the kernel: tables that grow when the kernel needs it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from parsers.formats.hotspot.decisions.decision_tables import (
    CATEGORIES,
    ELEMENTS,
    LONGEST_METHOD,
    MOST_IDS,
    MOST_PATHS,
    PATH,
    PLACE,
    SCALARS,
    SITE,
    TIMES,
    Attribute,
    ReaderResult,
    TaskCounts,
)
from parsers.formats.hotspot.decisions.method_text import DEFINITION
from parsers.formats.hotspot.decisions.tables_kernel import (
    FRAME,
    FULL_COUNTS,
    FULL_METHOD_BYTES,
    FULL_METHODS,
    FULL_PLACES,
    FULL_RECORDS,
    FULL_SITES,
    FULL_WORD_BYTES,
    FULL_WORDS,
    LEVELS,
    METHODS,
    NOTE,
    PATHS,
    PLACES,
    SITES,
    TAKEN,
    TASK_FACTS,
    WANTED,
    WORDS,
    ThreadBuffers,
    ThreadTables,
    fill_sites,
    read_tasks,
)
from parsers.formats.hotspot.decisions.tag import SPAN
from parsers.formats.hotspot.decisions.tasks import LONGEST_TASK, MakeArray, texts_of
from parsers.index.kernel_texts import TextSlots
from parsers.kernels.text_table import larger_slots, number_all
from parsers.kernels.vector import SLACK
from parsers.model.none import NONE

if TYPE_CHECKING:
    from parsers.formats.hotspot.decisions.tasks import Tasks
    from parsers.model.arrays import AnyArray, I64Array, U8Array, U32Array


class KernelDecisionReader:
    """Collects the contents of tasks. Twin: `tables_plain.PlainDecisionReader`."""

    def __init__(self, tasks: Tasks, run: int = 0, make_array: MakeArray = np.zeros, smallest: int = 1 << 13) -> None:
        """make_array: for tables that grow; smallest: their initial capacity in entries"""
        self._tasks = tasks
        self._run = run
        self._make_array = make_array
        self._data = np.zeros(0, np.uint8)
        self._counts: dict[int, tuple[I64Array, I64Array]] = {}
        self._tables = self._new_tables(smallest)
        self._buffers = ThreadBuffers(
            ids=np.zeros(MOST_IDS, DEFINITION),
            frames=np.zeros(64, FRAME),
            task=np.zeros(TASK_FACTS, np.int64),
            text=np.zeros(LONGEST_METHOD + SLACK, np.uint8),
            attributes=np.zeros(len(Attribute), SPAN),
            calls=np.zeros(smallest, SITE),
            phases=np.zeros(smallest, TAKEN),
            notes=np.zeros(2 * smallest, NOTE),
        )

    def read(self, file: int, first: int, last: int, free: U32Array, inlined: U32Array, failed: U32Array) -> None:
        """Reads the tasks from `first` to `last` of a file; by task the last three are filled."""
        tasks = self._tasks
        begin, length = tasks.span(first, last)
        if len(self._data) < length + SLACK:
            self._data = np.zeros(length + SLACK, np.uint8)
        tasks.read_into(memoryview(self._data.data)[:length], begin)
        starts = (tasks.starts[first:last] - np.uint64(begin)).astype(np.int64)
        ends = np.minimum((tasks.ends[first:last] - np.uint64(begin)).astype(np.int64), starts + LONGEST_TASK)
        if file in tasks.commented:
            for place, (start, end) in enumerate(zip(starts.tolist(), ends.tolist(), strict=True)):
                text = tasks.without_comments(file, self._data[start:end].tobytes())
                ends[place] = start + len(text)
                self._data[start : start + len(text)] = np.frombuffer(text, np.uint8)
        if file not in self._counts:
            self._counts[file] = self._new_counts(), np.zeros(SCALARS, np.int64)
        done = 0
        while done < last - first:
            counts, scalars = self._counts[file]
            done += read_tasks(
                self._tables,
                self._buffers,
                self._data,
                starts[done:],
                ends[done:],
                # Copies: columns of an index are read-only, which would be another type, and another kernel.
                tasks.methods[first + done : last].copy(),
                tasks.levels[first + done : last].copy(),
                tasks.fragments[first + done : last].copy(),
                first + done,
                counts,
                scalars,
                free[done:],
                inlined[done:],
                failed[done:],
            )
            if done < last - first:
                self._grow(file, int(ends[done] - starts[done]))

    def _new_counts(self) -> I64Array:
        return np.zeros((CATEGORIES, len(self._tables.words.starts)), np.int64)

    def _grow(self, file: int, length: int) -> None:
        """Enlarges the table that the kernel reported; length: bytes of the current task."""
        tables, buffers = self._tables, self._buffers
        wanted, calls = int(tables.facts[WANTED]), len(buffers.calls)
        if wanted == FULL_COUNTS:
            counts, scalars = self._counts[file]
            larger = self._new_counts()
            larger[:, : counts.shape[1]] = counts
            self._counts[file] = larger, scalars
        elif wanted == FULL_WORDS:
            self._tables = tables._replace(words=self._more_texts(tables.words))
        elif wanted == FULL_WORD_BYTES:
            blob = self._doubled(tables.words.blob, length + 2 * SLACK)
            self._tables = tables._replace(words=tables.words._replace(blob=blob))
        elif wanted == FULL_METHODS:
            self._tables = tables._replace(
                methods=self._more_texts(tables.methods),
                method_code=self._doubled(tables.method_code),
                method_holder=self._doubled(tables.method_holder),
            )
        elif wanted == FULL_METHOD_BYTES:
            blob = self._doubled(tables.methods.blob, LONGEST_METHOD + 2 * SLACK)
            self._tables = tables._replace(methods=tables.methods._replace(blob=blob))
        elif wanted == FULL_SITES:
            sites = self._doubled(tables.sites, calls)
            slots = np.zeros(2 * _power(len(sites)), np.uint32)
            fill_sites(slots, sites, int(tables.facts[SITES]))
            self._tables = tables._replace(sites=sites, site_slots=slots)
        elif wanted == FULL_PLACES:
            self._tables = tables._replace(places=self._doubled(tables.places, calls))
        elif wanted == FULL_RECORDS:
            self._buffers = buffers._replace(
                calls=self._doubled(buffers.calls),
                phases=self._doubled(buffers.phases),
                notes=self._doubled(buffers.notes),
            )
        else:
            self._buffers = buffers._replace(frames=self._doubled(buffers.frames))

    def _more_texts(self, texts: TextSlots) -> TextSlots:
        """Returns texts with space for more of them."""
        starts = self._doubled(texts.starts)
        return TextSlots(larger_slots(texts.slots, len(starts) - 1, starts, texts.blob), starts, texts.blob)

    def _new_tables(self, smallest: int) -> ThreadTables:
        tasks, new = self._tasks, self._make_array
        known = tasks.known
        capacity = known + smallest
        method_starts = np.asarray(tasks.method_starts[: known + 1]).astype(np.int64)
        methods = self._texts_of(
            method_starts, tasks.method_blob, capacity, int(method_starts[-1]) + LONGEST_METHOD + smallest * 16
        )
        words, sites = max(smallest, 64), max(smallest, 64)
        facts = np.zeros(16, np.int64)
        facts[WORDS], facts[METHODS] = len(ELEMENTS), known
        names = np.frombuffer(b"".join(ELEMENTS), np.uint8)
        name_starts = np.cumsum([0, *map(len, ELEMENTS)])
        return ThreadTables(
            facts=facts,
            words=self._texts_of(name_starts, names, words, smallest * 16 + 1024),
            methods=methods,
            method_code=np.full(capacity, NONE, np.uint32),
            method_holder=np.full(capacity, NONE, np.uint32),
            site_slots=new(2 * _power(sites), np.uint32),
            sites=new(sites, SITE),
            places=new(2 * sites, PLACE),
            paths=np.zeros(MOST_PATHS, PATH),
            times=np.zeros((MOST_PATHS, LEVELS), TIMES),
        )

    def _texts_of(self, starts: I64Array, texts: U8Array, capacity: int, size: int) -> TextSlots:
        """Returns a table of some different texts with space for `capacity` of them and `size` bytes."""
        slots = self._make_array(2 * _power(capacity), np.uint64)
        table = TextSlots(slots, self._make_array(capacity, np.uint64), self._make_array(size + SLACK, np.uint8))
        data = np.zeros(int(starts[-1]) + SLACK, np.uint8)
        data[:-SLACK] = texts[: starts[-1]]
        number_all(*table, 0, starts, data, np.zeros(len(starts) - 1, np.uint32))
        return table

    def _doubled(self, array: AnyArray, more: int = 0) -> AnyArray:
        """Returns the array with at least so many entries more."""
        larger: AnyArray = self._make_array(len(array) + max(len(array), more), array.dtype)
        larger[: len(array)] = array
        return larger

    def _copy_of(self, array: AnyArray) -> AnyArray:
        """Returns a copy of an array in the memory of the tables."""
        copy: AnyArray = self._make_array(len(array), array.dtype)
        copy[:] = array
        return copy

    def found(self) -> ReaderResult:
        """Returns all that was read so far; a copy that doesn't change when reading continues."""
        tables = self._tables
        facts = tables.facts
        words, methods, paths = int(facts[WORDS]), int(facts[METHODS]), int(facts[PATHS])
        times = tables.times[:paths]
        return ReaderResult(
            words=texts_of(tables.words.starts, tables.words.blob, 0, words),
            methods=texts_of(tables.methods.starts, tables.methods.blob, self._tasks.known, methods),
            method_bytes=tables.method_code[:methods].copy(),
            method_holder=tables.method_holder[:methods].copy(),
            sites=self._copy_of(tables.sites[: int(facts[SITES])]),
            places=self._copy_of(tables.places[: int(facts[PLACES])]),
            paths=tables.paths[:paths].copy(),
            times=times[times["count"] > 0],
            counts={
                file: TaskCounts(counts[:, :words].copy(), scalars.copy())
                for file, (counts, scalars) in self._counts.items()
            },
            run=self._run,
        )


def _power(count: int) -> int:
    """Returns a power of two that is not smaller."""
    return 1 << max(count - 1, 1).bit_length()
