"""The second pass over a log, as a step of building its index: reads the contents of the tasks, makes the tables of the
aggregate views, and saves all of it.
"""

from __future__ import annotations

import html
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from parsers.formats.hotspot.aggregates.deoptimisation_table import build_table
from parsers.formats.hotspot.aggregates.method_table import ARRAYS, build_methods, build_stories
from parsers.formats.hotspot.decisions.decision_tables import (
    CATEGORIES,
    MOST_DEPTH,
    MOST_PARSES,
    MOST_WORDS,
    TRAPS_WITH_METHOD,
    MergedDecisions,
    TaskCounts,
)
from parsers.formats.hotspot.decisions.published_tables import READ, name_at
from parsers.formats.hotspot.decisions.tables_build import DecisionTablesBuild
from parsers.formats.hotspot.decisions.tasks import Tasks, texts_of
from parsers.formats.hotspot.grouped import as_declared
from parsers.formats.hotspot.log.columns import EVENTS, IN_FRAGMENT, TASKS
from parsers.formats.hotspot.log.read.tags import COMMENT
from parsers.index.texts import UniqueTexts, text_arrays
from parsers.model.none import NONE

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

    from parsers.formats.hotspot.log.part import LogFile
    from parsers.index.writer import Writer
    from parsers.model.arrays import AnyArray, U8Array, U32Array

IN_MEMORY = 1 << 18
"""Maximum bytes of an array that is kept in memory."""
MOST_FREQUENT = 10
"""Entries of a table of counts by word, the most frequent first."""
MOST_INTRINSICS = 5


@dataclass(frozen=True)
class DecisionCounts:
    """Counts of some tasks, outside of fragments unless a category says so."""

    tables: Sequence[Counter[str]]
    """Counts by text, for each of the categories ELEMENT to DEPENDENCY."""
    traps_with_method: int
    max_inlining_depth: int
    max_element_depth: int

    @classmethod
    def of(cls, counts: TaskCounts, words: Sequence[bytes]) -> DecisionCounts:
        """Makes the counts from numbers by the words of the merged statistics."""
        texts = [html.unescape(word.decode("utf-8", "replace")) for word in words]
        tables = [
            Counter({texts[word]: int(row[word]) for word in np.flatnonzero(row).tolist()}) for row in counts.words
        ]
        scalars = (int(counts.scalars[scalar]) for scalar in (TRAPS_WITH_METHOD, MOST_PARSES, MOST_DEPTH))
        return cls(tables, *scalars)

    @classmethod
    def sum(cls, decision_counts: Iterable[DecisionCounts]) -> DecisionCounts:
        """Returns the sum of several counts."""
        parts = list(decision_counts)
        return cls(
            [sum((part.tables[category] for part in parts), Counter[str]()) for category in range(CATEGORIES)],
            sum(part.traps_with_method for part in parts),
            max((part.max_inlining_depth for part in parts), default=0),
            max((part.max_element_depth for part in parts), default=0),
        )

    def totals(self) -> dict[str, object]:
        """Returns counts by name, as in `Totals`. `elements` and `fragment_elements` are those of tasks alone."""
        elements, in_fragments, success, fail, intrinsics, traps, failures, thrown_away, _ = self.tables
        return {
            "compiled_in_traps": traps.total(),
            "compiled_in_traps_with_method": self.traps_with_method,
            "compiled_in_trap_reasons": most_frequent(traps, MOST_FREQUENT),
            "failures": failures.total() + thrown_away.total(),
            "failure_reasons": most_frequent(failures, MOST_FREQUENT),
            "thrown_away_attempts": most_frequent(thrown_away, MOST_FREQUENT),
            "inline_success": success.total(),
            "inline_fail": fail.total(),
            "late_inline": elements["late_inline"],
            "inline_fail_distinct": len(fail),
            "inline_fail_top": most_frequent(fail, MOST_FREQUENT),
            "inline_success_top": most_frequent(success, MOST_FREQUENT),
            "intrinsics": intrinsics.total(),
            "intrinsics_top": most_frequent(intrinsics, MOST_INTRINSICS),
            "max_inlining_depth": self.max_inlining_depth,
            "max_element_depth": self.max_element_depth,
            "elements": dict(sorted(elements.items())),
            "fragment_elements": dict(sorted(in_fragments.items())),
        }


def most_frequent(counts: Counter[str], most: int | None = None) -> dict[str, int]:
    """Returns the most frequent entries, equal ones ordered by text."""
    return dict(sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))[:most])


class TableMaker:
    """Makes the tables of a log from the contents of its tasks: repeatedly, as more tasks are read."""

    def __init__(self, columns: Mapping[str, AnyArray], methods: list[bytes], words: list[bytes]) -> None:
        """columns: of pass 1, joined; methods, words: its texts"""
        self._columns = columns
        self._methods = methods
        self._words = words
        self._stories: Mapping[str, AnyArray] = {}
        self._classes: Mapping[str, AnyArray] = {}
        self._holders: AnyArray | None = None
        """Lengths of the class names in the texts of methods for which `_classes` was made."""

    def tables(self, found: MergedDecisions, build: DecisionTablesBuild, tasks: int) -> dict[str, AnyArray]:
        """Returns all arrays by name. build: has the columns of tasks; tasks: how many were read"""
        words = UniqueTexts(found.words, MOST_WORDS)
        events = build_table(self._columns, self._words, words, found.arrays)
        return {
            **{f"decisions_{name}": values for name, values in found.arrays.items()},
            **text_arrays("decisions_word", words.texts),
            **text_arrays("decisions_method", found.methods),
            "decisions_free": build.free,
            "decisions_inlined": build.inlined,
            "decisions_failed": build.failed,
            READ: np.array([tasks], np.uint32),
            **events,
            **self._of_methods(found.arrays["holder_bytes"][: len(self._methods)]),
        }

    def _of_methods(self, holders: U32Array) -> Mapping[str, AnyArray]:
        """Returns the tables of methods; made again only if a class name turned out to contain a blank."""
        if self._holders is None:
            self._stories = build_stories(self._columns, len(self._methods))
            self._holders = np.array([method.find(b" ") for method in self._methods], np.int64)
        holders = np.where(holders == NONE, self._holders, holders)
        if not self._classes or not np.array_equal(holders, self._holders):
            self._classes = build_methods(self._columns, self._methods, holders)
            self._holders = holders
        return as_declared({**self._classes, **self._stories}, ARRAYS)


class TablePublisher:
    """Writes tables that are not complete yet, and removes earlier ones."""

    def __init__(self, writer: Writer, report_progress: Callable[[Mapping[str, int], Mapping[str, str]], None]) -> None:
        """report_progress: receives lengths and types of the current arrays"""
        self._writer = writer
        self._report_progress = report_progress
        self._times = 0
        self._names: list[str] = []

    @property
    def has_shown(self) -> bool:
        """True if there are tables to read."""
        return self._times > 0

    def show(self, arrays: Mapping[str, AnyArray]) -> None:
        """Writes a new snapshot of the tables."""
        before = self._names
        named = {name_at(name, self._times): np.ascontiguousarray(values) for name, values in arrays.items()}
        for name, values in named.items():
            self._writer.save(name, values)
        self._names = list(named)
        self._times += 1
        self._report_progress(
            {name: len(values) for name, values in named.items()},
            {name: values.dtype.str[1:] for name, values in named.items()},
        )
        self._forget(before)

    def forget(self) -> None:
        """Removes the tables: the complete ones replace them."""
        self._forget(self._names)

    def _forget(self, names: Sequence[str]) -> None:
        for name in names:
            self._writer.forget(name)


def count_decisions(
    writer: Writer,
    lengths: Mapping[str, int],
    parts: Sequence[LogFile],
    read_into: Callable[[memoryview, int], None],
    has_kernels: bool,
    report_progress: Callable[[int], None],
    report_tables: Callable[[Mapping[str, int], Mapping[str, str]], None],
) -> dict[tuple[int, int], DecisionCounts]:
    """Reads the tasks of an index whose columns are written and joined, and saves their contents.

    Returns the counts by file and run.

    lengths      of the arrays in the index
    read_into    fills a buffer with the bytes of the run from an offset on
    has_kernels  True if kernels are compiled
    report_progress         receives the number of tasks read, now and then
    report_tables  receives lengths and types of tables of what is known so far
    """
    columns = {name: writer.column(name, lengths[name]) for name in (*TASKS, *EVENTS)}
    bases = np.array([part.base for part in parts[1:]], np.uint64)
    count = len(columns["task_start"])
    tasks = Tasks(
        starts=columns["task_start"],
        ends=columns["task_end"],
        methods=columns["task_method"],
        levels=columns["task_level"],
        fragments=(columns["task_flags"] & IN_FRAGMENT != 0).astype(np.uint8),
        runs=columns["task_run"],
        files=np.concatenate(([0], np.searchsorted(columns["task_start"], bases), [count])),
        method_starts=writer.column("method_starts", lengths["method_starts"]),
        method_blob=writer.column("method_bytes", lengths["method_bytes"]),
        read_into=read_into,
        commented=frozenset(number for number, part in enumerate(parts) if part.kinds[COMMENT]),
    )
    word_starts = writer.column("word_starts", lengths["word_starts"])
    log_words = texts_of(word_starts, writer.column("word_bytes", lengths["word_bytes"]), 0, lengths["word_starts"] - 1)
    maker = TableMaker(columns, tasks.method_texts, log_words)
    published = TablePublisher(writer, report_tables)

    def make_array(entries: int, type: DTypeLike) -> AnyArray:
        dtype = np.dtype(type)
        if entries * dtype.itemsize < IN_MEMORY:
            return np.zeros(entries, dtype)
        bytes: U8Array = writer.scratch_array(f"scratch-{threading.get_ident()}", "u1", entries * dtype.itemsize)
        return bytes.view(dtype)

    def show(found: MergedDecisions, done: int) -> None:
        published.show(maker.tables(found, build, done))

    build = DecisionTablesBuild(tasks, report_progress, make_array, show)
    found = build.compiled() if has_kernels else build.plain()
    decision_counts = {key: DecisionCounts.of(counts, found.words) for key, counts in found.counts.items()}
    arrays = maker.tables(found, build, count)
    if published.has_shown:
        # The remaining steps until the index is finished take a while, too.
        published.show(arrays)
    for name, values in arrays.items():
        writer.save(name, values)
    published.forget()
    return decision_counts
