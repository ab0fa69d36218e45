"""Reads the contents of tasks with kernels: batches of tasks, and tables with capacity for what a batch may add."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from parsers.formats.hotspot.decisions.decision_tables import (
    CATEGORIES,
    ELEMENTS,
    LONGEST_METHOD,
    MOST_IDS,
    MOST_PATHS,
    MOST_WORDS,
    PATH,
    PLACE,
    SCALARS,
    SITE,
    TIMES,
    ReaderResult,
    TaskCounts,
)
from parsers.formats.hotspot.decisions.method_text import DEFINITION
from parsers.formats.hotspot.decisions.tables_kernel import (
    FRAME,
    LEVELS,
    METHODS,
    NOTE,
    PATHS,
    PLACES,
    SHORTEST_METHOD,
    SHORTEST_RECORD,
    SHORTEST_TAG,
    SITES,
    TAKEN,
    TASK_FACTS,
    WORDS,
    DecisionTexts,
    ThreadBuffers,
    ThreadTables,
    fill_sites,
    read_tasks,
)
from parsers.formats.hotspot.decisions.tag import ATTRIBUTES, SPAN
from parsers.formats.hotspot.decisions.tasks import LONGEST_TASK, MakeArray, texts_of
from parsers.formats.hotspot.log.columns import NONE
from parsers.kernels.text_table import larger_slots, number_all
from parsers.kernels.vector import SLACK

if TYPE_CHECKING:
    from parsers.formats.hotspot.decisions.tasks import Tasks
    from parsers.model.arrays import AnyArray, I64Array, U8Array, U32Array


class KernelDecisionReader:
    """Collects the contents of tasks. Twin: `tables_plain.PlainDecisionReader`."""

    def __init__(self, tasks: Tasks, run: int = 0, make_array: MakeArray = np.zeros) -> None:
        """make_array: for tables that grow"""
        self._tasks = tasks
        self._run = run
        self._make_array = make_array
        self._data = np.zeros(0, np.uint8)
        self._counts: dict[int, tuple[I64Array, I64Array]] = {}
        self._tables = self._new_tables()
        self._buffers = new_buffers(0)

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
            self._counts[file] = np.zeros((CATEGORIES, MOST_WORDS + 1), np.int64), np.zeros(SCALARS, np.int64)
        self._ensure_capacity(ends - starts)
        done = 0
        while True:
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
                *self._counts[file],
                free[done:],
                inlined[done:],
                failed[done:],
            )
            if done == last - first:
                return
            # The text of a method may be much longer than the tags that it is composed of.
            methods = self._tables.methods
            blob = self._ensured(methods.blob, len(methods.blob) + LONGEST_METHOD + 2 * SLACK)
            self._tables = self._tables._replace(methods=methods._replace(blob=blob))

    def _ensure_capacity(self, lengths: I64Array) -> None:
        """Enlarges the tables for tasks of these lengths in bytes. Memory that is not used costs nothing."""
        longest, size = int(lengths.max(initial=0)), int(lengths.sum())
        if len(self._buffers.frames) < longest // SHORTEST_TAG + 2:
            self._buffers = new_buffers(longest)
        tables, facts = self._tables, self._tables.facts
        words, texts = tables.words, tables.methods
        methods, records = int(facts[METHODS]) + size // SHORTEST_METHOD + 2, size // SHORTEST_RECORD + 1
        starts = self._ensured(texts.starts, methods + 1)
        text_bytes = int(texts.starts[facts[METHODS]]) + size + LONGEST_METHOD + 2 * SLACK
        blob = self._ensured(texts.blob, text_bytes)
        slots = texts.slots if 2 * methods <= len(texts.slots) else larger_slots(texts.slots, methods, starts, blob)
        sites = self._ensured(tables.sites, int(facts[SITES]) + records)
        site_slots = tables.site_slots
        if 2 * len(sites) > len(site_slots):
            site_slots = self._make_array(1 << (2 * len(sites)).bit_length(), np.uint32)
            fill_sites(site_slots, sites, int(facts[SITES]))
        word_bytes = int(words.starts[facts[WORDS]]) + size + 2 * SLACK
        self._tables = tables._replace(
            words=words._replace(blob=self._ensured(words.blob, word_bytes)),
            methods=DecisionTexts(slots, starts, blob),
            method_code=self._ensured(tables.method_code, methods),
            method_holder=self._ensured(tables.method_holder, methods),
            site_slots=site_slots,
            sites=sites,
            places=self._ensured(tables.places, int(facts[PLACES]) + records),
        )

    def _new_tables(self) -> ThreadTables:
        tasks = self._tasks
        known = tasks.known
        method_starts = np.asarray(tasks.method_starts[: known + 1]).astype(np.int64)
        facts = np.zeros(16, np.int64)
        facts[WORDS], facts[METHODS] = len(ELEMENTS), known
        names = np.frombuffer(b"".join(ELEMENTS), np.uint8)
        return ThreadTables(
            facts=facts,
            words=texts_in_table(np.cumsum([0, *map(len, ELEMENTS)]), names, MOST_WORDS, np.zeros),
            methods=texts_in_table(method_starts, tasks.method_blob, known, self._make_array),
            method_code=np.full(known, NONE, np.uint32),
            method_holder=np.full(known, NONE, np.uint32),
            site_slots=np.zeros(0, np.uint32),
            sites=np.zeros(0, SITE),
            places=np.zeros(0, PLACE),
            paths=np.zeros(MOST_PATHS, PATH),
            times=np.zeros((MOST_PATHS, LEVELS), TIMES),
        )

    def _ensured(self, array: AnyArray, capacity: int) -> AnyArray:
        """Returns the array if it has so many entries, else a larger one that begins with the same."""
        if capacity <= len(array):
            return array
        larger: AnyArray = self._make_array(max(capacity, 2 * len(array)), array.dtype)
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


def new_buffers(longest: int) -> ThreadBuffers:
    """Makes the working memory for tasks of so many bytes. Memory is allocated as it is used."""
    tags, records = longest // SHORTEST_TAG + 2, longest // SHORTEST_RECORD + 1
    return ThreadBuffers(
        ids=np.zeros(MOST_IDS, DEFINITION),
        frames=np.zeros(tags, FRAME),
        task=np.zeros(TASK_FACTS, np.int64),
        text=np.zeros(LONGEST_METHOD + SLACK, np.uint8),
        attributes=np.zeros(len(ATTRIBUTES), SPAN),
        calls=np.zeros(records, SITE),
        phases=np.zeros(records, TAKEN),
        notes=np.zeros(tags, NOTE),
    )


def texts_in_table(starts: I64Array, texts: U8Array, capacity: int, make_array: MakeArray) -> DecisionTexts:
    """Returns a table of some different texts with capacity for so many texts, but for no more bytes."""
    slots = make_array(1 << (2 * capacity).bit_length(), np.uint64)
    blob = make_array(int(starts[-1]) + SLACK, np.uint8)
    table = DecisionTexts(slots, make_array(capacity + 1, np.uint64), blob)
    data = np.zeros(int(starts[-1]) + SLACK, np.uint8)
    data[:-SLACK] = texts[: starts[-1]]
    number_all(*table, 0, starts, data, np.zeros(len(starts) - 1, np.uint32))
    return table
