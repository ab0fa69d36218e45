"""Joins batches of events to tables by kernels. Twin: `plain.tables.PlainJoin`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, cast

import numpy as np

from parsers.formats.tptp.calls.flow import COMPILED
from parsers.formats.tptp.join.buffers import Events
from parsers.formats.tptp.join.kernel_tables import TraceKernelTables
from parsers.formats.tptp.join.kernels.calls import add_up, end_calls
from parsers.formats.tptp.join.kernels.events import FIRST_ODD, join_events
from parsers.formats.tptp.join.kernels.monitors import number_monitors, sum_monitors
from parsers.formats.tptp.join.name_table import CLASS_DEFINED, METHOD_DEFINED, word_numbers
from parsers.formats.tptp.join.saving import save_array
from parsers.formats.tptp.join.sessions import CountedSession, JoinedSessions
from parsers.formats.tptp.schema.batch import EventBatch
from parsers.formats.tptp.schema.columns import COLUMNS, KEPT_FINDINGS, PASSING, TABLES, TEXTS
from parsers.formats.tptp.schema.vocabulary import CODES, NOTHING, Vocabulary
from parsers.index.kernel_texts import KernelTexts
from parsers.index.writer import Writer
from parsers.io.background_task import BackgroundTask
from parsers.kernels.places import sorted_places
from parsers.model.none import NONE

if TYPE_CHECKING:
    from parsers.formats.tptp.read.kernel_reader import Findings
    from parsers.model.arrays import AnyArray, U8Array

ROOT = CODES["TRACE"]
COUNTED = tuple(TABLES["monitor"])


class KernelJoin(JoinedSessions):
    """Joins the events of one recording to the arrays of an index."""

    def __init__(self, writer: Writer, names: Vocabulary) -> None:
        super().__init__()
        self.tables = TraceKernelTables(writer)
        self._writer = writer
        self._names = names
        self._odd_names = KernelTexts()
        """Spellings of unknown elements."""
        self._named = self._odd_named = 0
        """Number of elements whose names are words, and of unknown ones among them."""
        self._at_the_end: dict[str, AnyArray] = {}
        """Columns that are known only at the end."""

    # -- batches ------------------------------------------------------------------------------------------------------

    def take(self, batch: EventBatch) -> None:
        """Adds the events of a batch. Batches must be in file order."""
        code = np.asarray(batch.code)
        events = self._events(batch, code)
        self.tables.state.odd = 0
        self._find(batch.findings)
        first = 0
        for mark in batch.sessions:
            self._join(events, code, first, mark.row, batch.base)
            first = mark.row
            self._mark(mark)
        self._join(events, code, first, len(code), batch.base)
        self._name_elements()

    def _events(self, batch: EventBatch, code: U8Array) -> Events:
        defining: list[int] = []
        if batch.words:
            defining = np.flatnonzero((code == CLASS_DEFINED) | (code == METHOD_DEFINED)).tolist()
        words = word_numbers(batch, defining, self.tables.words.numbers)
        self._odd_names = cast(KernelTexts, batch.odd_names)
        return Events(
            code, np.asarray(batch.name), np.asarray(batch.start), np.asarray(batch.end), np.asarray(batch.numbers),
            np.array(words, np.uint32), np.asarray(batch.odd),
        )  # fmt: skip

    def _join(self, events: Events, code: U8Array, first: int, last: int, base: int) -> None:
        if first >= last:
            return
        if not self._is_open:
            recorded = np.flatnonzero((code[first:last] != NOTHING) & (code[first:last] != ROOT))
            if not len(recorded):
                return
            self._begin(base + int(events.start[first + int(recorded[0])]))
        # After the beginning of a session, which gives all ids up.
        self.tables.ensure_capacity(last - first, FIRST_ODD + len(self._odd_names))
        while first < last:
            first = int(join_events(events, first, last, base, self.tables.buffers))
            if first < last:
                self.tables.enlarge()

    def _find(self, findings: Findings) -> None:
        buffers, count = self.tables.buffers, len(findings)
        if not count:
            return
        kinds = findings.kinds[:count]
        kept = np.zeros(count, np.bool_)
        for kind in np.unique(kinds).tolist():
            rows = np.flatnonzero(kinds == kind)
            kept[rows[: max(0, KEPT_FINDINGS - int(buffers.found[kind]))]] = True
            buffers.found[kind] += len(rows)
        rows = np.flatnonzero(kept)
        first = self.tables.state.findings
        found = buffers.findings[first : first + len(rows)]
        found["offset"], found["value"], found["kind"] = findings.offsets[rows], findings.values[rows], kinds[rows]
        self.tables.state.findings = first + len(rows)

    def _begin_session(self, offset: int, member: str | None) -> None:
        tables = self.tables
        word = NONE if member is None else tables.words.number(member.encode("utf-8", "replace"))
        tables.flush_counts()
        tables.begin_session(offset, word)
        tables.state.session_end = offset
        self.sessions.append(CountedSession(tables.buffers.counts))

    def _end_rows(self, offset: int, state: int) -> None:
        tables = self.tables
        tables.flush_counts()
        end_calls(tables.rows("thread")[tables.sessions["session_first_thread"][-1] :], tables.rows("call"))
        now, sessions = tables.state, tables.sessions
        moments = {"first_moment": now.first_moment, "earliest": now.earliest, "latest": now.latest}
        for name, value in {**moments, "end": offset, "state": state}.items():
            sessions[f"session_{name}"][-1] = value

    def _name_elements(self) -> None:
        """Adds the names of new elements to the words."""
        tables = self.tables
        spellings, words = tables.column("element_spelling")[self._named :], tables.words
        names, is_odd = tables.column("element_name")[self._named :], spellings >= FIRST_ODD
        known = [self._names.names[each].encode("utf-8", "replace") for each in spellings[~is_odd].tolist()]
        names[~is_odd] = words.numbers(known)
        # They are in the order in which they first occurred, here as there.
        odd = self._odd_names.table
        starts = odd.starts[self._odd_named : self._odd_named + np.count_nonzero(is_odd) + 1].astype(np.int64)
        names[is_odd] = words.numbers_of(starts, odd.blob)
        self._named += len(spellings)
        self._odd_named += len(starts) - 1

    # -- end of the input ---------------------------------------------------------------------------------------------

    def end(self) -> None:
        """Ends the input."""
        tables = self.tables
        self._end_last(tables.state.session_end)
        tables.flush_counts()
        self._name_elements()
        tables.end_rows()
        nodes, methods = tables.rows("node"), tables.rows("method")
        parents, called = (np.ascontiguousarray(nodes[name]) for name in ("parent", "method"))
        is_outermost, links = np.zeros(len(nodes), np.uint8), np.zeros((2, len(nodes) + 1), np.uint32)
        COMPILED.find_outermost(parents, called, is_outermost, *links, np.zeros(len(methods), np.uint32))
        add_up(nodes, methods, is_outermost)
        self._at_the_end["node_is_outermost"] = is_outermost
        for name in ("state", "call"):
            self._order(f"{name}_thread", "thread", f"{name}_of_thread", f"thread_first_{name}")
        self._sum_monitors()
        for name, mixed in (("edge", tables.state.edges_mixed), ("root", tables.state.roots_mixed)):
            order = self._order(f"{name}_dump", "dump", None, f"dump_first_{name}")
            if mixed:
                for column in TABLES[name]:
                    values = tables.column(column)
                    values[:] = values[order]
        tables.forget_ids()

    def _order(self, keys: str, table: str, name: str | None, firsts: str) -> AnyArray:
        """Sorts rows by a key, and stores them as a column if it has a name; also the first row of each key."""
        values = np.ascontiguousarray(self.tables.column(keys))
        buffer = self._writer.scratch_array(f"order_{keys}", "u4", len(values))
        starts, order = sorted_places(values, self.tables.length(table), buffer)
        self._at_the_end[firsts] = starts
        if name is not None:
            self._at_the_end[name] = order
        return order

    def _sum_monitors(self) -> None:
        """Sums up monitors from their states."""
        tables, scratch = self.tables, self._writer.scratch_array
        states = tables.length("state")
        monitors, entities = scratch("monitors", "u4", states), scratch("monitor_entities", "u4", states)
        count = number_monitors(
            tables.rows("state"), scratch("slots", "u4", 1 << (2 * states + 1).bit_length()), monitors, entities
        )
        firsts, order = sorted_places(monitors, count, scratch("order_monitors", "u4", states))
        seen = np.zeros(tables.length("thread"), np.uint32)
        times, counts = np.zeros((3, count), np.int64), np.zeros((3, count), np.uint32)
        sum_monitors(tables.rows("state"), firsts, order, seen, times, counts)
        sums = zip(COUNTED, (entities[:count], *times, *counts, firsts), strict=True)
        self._at_the_end |= {**dict(sums), "state_of_monitor": order}
        sessions = np.searchsorted(order[firsts[:-1]], tables.sessions["session_first_state"])
        tables.sessions["session_first_monitor"] = sessions.tolist()

    def facts(self) -> dict[str, object]:
        """Returns the facts that are not in the tables."""
        return self._facts(self.tables.buffers.found.tolist())

    def columns(self) -> dict[str, Sequence[int]]:
        """Returns all columns, none of them bitpacked."""
        return {name: self._column(name).data for name in COLUMNS}

    def _column(self, name: str) -> AnyArray:
        found = self._at_the_end.get(name)
        return self.tables.column(name) if found is None else found

    def save(self) -> None:
        """Writes the remaining columns, in two threads."""
        tables = self.tables
        for name, values in zip(TEXTS, tables.words.arrays(), strict=True):
            self._writer.save(name, values)
        names = sorted(
            COLUMNS.keys() - PASSING, key=lambda name: 0 if name in self._at_the_end else -tables.column(name).nbytes
        )
        other = BackgroundTask(partial(self._save, names[1::2]))
        self._save(names[::2])
        other.result()

    def _save(self, names: Sequence[str]) -> None:
        for name in names:
            save_array(self._writer, name, self._column(name))
