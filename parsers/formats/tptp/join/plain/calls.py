"""Calls by plain code: matches entries with exits and counts call paths."""

from __future__ import annotations

from parsers.formats.tptp.calls.flow import find_outermost
from parsers.formats.tptp.join.plain.ids import SessionIds
from parsers.formats.tptp.join.plain.states import duration_of
from parsers.formats.tptp.join.tables import TraceTables, fitting
from parsers.formats.tptp.schema.batch import TraceEvent
from parsers.formats.tptp.schema.columns import IS_NEGATIVE, IS_NEGATIVE_BASE, IS_RUNNING, NEVER, NO_ENTRY, NO_EXIT
from parsers.formats.tptp.schema.counters import FindingKind, SessionCounter
from parsers.formats.tptp.schema.vocabulary import COUNT, DEPTH, OVERHEAD, TICKET
from parsers.model.none import NONE


class SessionCalls:
    """The calls of a session."""

    def __init__(self, tables: TraceTables, counts: list[int], ids: SessionIds) -> None:
        self._tables = tables
        self._counts = counts
        self._ids = ids
        self._stacks: dict[int, list[int]] = {}
        """Open calls by thread, the outermost first."""
        self._open: dict[tuple[int, str, int], list[int]] = {}
        """Positions of open calls in the stack, by thread and ticket, and by thread and method."""
        self._inner: dict[int, int] = {}
        """Durations of the direct callees by open call."""
        self._nodes: dict[tuple[int, int, int], int] = {}

    def top(self, thread: int) -> int:
        """Returns the call on top of a thread's stack; NONE if there is none."""
        stack = self._stacks.get(thread)
        return stack[-1] if stack else NONE

    def count(self, event: TraceEvent, thread: int) -> None:
        """Handles methodCount."""
        if event.numbers[COUNT] > 0:
            self._tables.plus("method_count", self._ids.method_of(event), event.numbers[COUNT])

    def enter(self, event: TraceEvent, thread: int) -> None:
        """Handles methodEntry."""
        tables, thread, method = self._tables, self._ids.thread_of(event, thread), self._ids.method_of(event)
        stack = self._stacks.setdefault(thread, [])
        path = (thread, tables.columns["call_node"][stack[-1]] if stack else NONE, method)
        node = self._nodes.get(path)
        if node is None:
            node = self._nodes[path] = tables.add("node", 0, 0, 0, 0, path[1], method, thread)
        call = self._add(event, thread, method, event.time, NEVER, 0, node, 0)
        stack.append(call)
        for key in self._keys(call):
            self._open.setdefault(key, []).append(len(stack) - 1)
        self._inner[call] = 0
        tables.plus("node_calls", node, 1)
        tables.plus("method_calls", method, 1)
        tables.plus("thread_calls", thread, 1)
        self._counts[SessionCounter.DEEPEST] = max(self._counts[SessionCounter.DEEPEST], len(stack))

    def leave(self, event: TraceEvent, thread: int) -> None:
        """Handles methodExit."""
        tables, thread, method = self._tables, self._ids.thread_of(event, thread), self._ids.method_of(event)
        stack, ticket = self._stacks.setdefault(thread, []), event.numbers[TICKET]
        overhead = max(event.numbers[OVERHEAD], 0)
        tables.plus("thread_overhead", thread, overhead)
        wanted = ("call_method", method) if ticket == NEVER else ("call_ticket", ticket)
        places = self._open.get((thread, *wanted))
        if not places:
            self._add(event, thread, method, NEVER, event.time, overhead, NONE, NO_ENTRY)
            tables.plus("method_overhead", method, overhead)
            self._counts[SessionCounter.EXITS_ALONE] += 1
            tables.find(FindingKind.EXIT_WITHOUT_ENTRY, event.offset)
            return
        place = places[-1]
        while len(stack) > place + 1:
            call = self._pop(stack)
            del self._inner[call]
            tables.set("call_flags", call, NO_EXIT)
            self._counts[SessionCounter.ENTRIES_ALONE] += 1
            tables.find(FindingKind.ENTRY_WITHOUT_EXIT, tables.columns["call_offset"][call])
        call = self._pop(stack)
        self._end(call, stack[-1] if stack else NONE, event.time, overhead, event.offset)

    def _add(
        self, event: TraceEvent, thread: int, method: int, start: int, end: int, overhead: int, node: int, flags: int
    ) -> int:  # fmt: skip
        """Adds a call below the open ones of its thread; returns its row."""
        stack, ticket, depth = self._stacks[thread], event.numbers[TICKET], event.numbers[DEPTH]
        return self._tables.add(
            "call", start, end, 0, overhead, ticket, event.offset, thread, method, stack[-1] if stack else NONE, node,
            len(stack) if depth == NEVER else depth, flags,
        )  # fmt: skip

    def _keys(self, call: int) -> list[tuple[int, str, int]]:
        """Returns the keys of a call: its ticket, its method."""
        column = self._tables.columns
        return [(column["call_thread"][call], name, column[name][call]) for name in ("call_ticket", "call_method")]

    def _pop(self, stack: list[int]) -> int:
        call = stack.pop()
        for key in self._keys(call):
            self._open[key].pop()
            if not self._open[key]:
                del self._open[key]
        return call

    def _end(self, call: int, parent: int, time: int, overhead: int, offset: int) -> None:
        tables = self._tables
        start, inner = tables.columns["call_start"][call], self._inner.pop(call)
        duration = duration_of(start, time)
        base = 0 if NEVER in (start, time) else fitting("q", duration - inner)
        if duration < 0:
            self._counts[SessionCounter.NEGATIVE_CALL] += 1
            tables.find(FindingKind.ENDS_BEFORE_IT_BEGINS, offset, duration)
        tables.set("call_flags", call, IS_NEGATIVE * (duration < 0) | IS_NEGATIVE_BASE * (base < 0))
        if parent != NONE:
            self._inner[parent] = fitting("q", self._inner[parent] + duration)
        tables.set("call_end", call, time)
        tables.set("call_base", call, base)
        tables.set("call_overhead", call, overhead)
        node, method = tables.columns["call_node"][call], tables.columns["call_method"][call]
        tables.plus("node_base", node, base)
        tables.plus("node_cumulative", node, duration)
        tables.plus("node_overhead", node, overhead)
        tables.plus("method_overhead", method, overhead)
        tables.plus("method_returned", method, 1)

    def end(self) -> None:
        """Ends the input: open calls are still running."""
        for stack in self._stacks.values():
            for call in stack:
                self._tables.set("call_flags", call, IS_RUNNING)


def add_up(tables: TraceTables) -> None:
    """Computes base and cumulative times of methods from those of paths; recursion counts once."""
    column = tables.columns
    parents, methods = column["node_parent"], column["node_method"]
    is_outermost, (children, siblings) = [0] * len(parents), ([0] * (len(parents) + 1) for _ in range(2))
    find_outermost(parents, methods, is_outermost, children, siblings, [0] * tables.length("method"))
    column["node_is_outermost"].extend(is_outermost)
    for node, method in enumerate(methods):
        tables.plus("method_base", method, column["node_base"][node])
        if is_outermost[node]:
            tables.plus("method_cumulative", method, column["node_cumulative"][node])
