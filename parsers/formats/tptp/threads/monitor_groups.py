"""Groups of rows of "Monitors": monitors with their waits, and threads still waiting when the data end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from parsers.formats.tptp.schema.columns import FOR_OBJECT
from parsers.formats.tptp.threads.state_facts import StateFacts
from parsers.index.bitpacked.columns import numbers
from parsers.model.distinct import distinct
from parsers.model.none import NONE
from parsers.model.row import Badge
from parsers.profile.threads.wait_graph import Ring

if TYPE_CHECKING:
    from parsers.formats.tptp.store.recording import TraceRecording
    from parsers.model.arrays import AnyArray, I64Array, U32Array

NAMED = 6
"""Most threads in the row of a deadlock."""
COUNTED = {
    "blocked_ns": "monitor_blocked",
    "contended": "monitor_contended",
    "longest_ns": "monitor_longest",
    "waited_ns": "monitor_waited",
    "waits": "monitor_waits",
    "threads": "monitor_threads",
}
"""Numbers stored in the index."""
SUMS = ("blocked_ns", "contended", "waited_ns", "waits", "still_blocked", "threads")
"""Numbers of monitors that add up for a class; threads add up within a monitor only."""
Numbers = dict[str, Badge]


class RowsOf(Sequence[int]):
    """A part of a column of rows, read on access."""

    def __init__(self, column: Sequence[int], start: int, stop: int) -> None:
        self._column, self._range = column, range(start, stop)

    def __len__(self) -> int:
        return len(self._range)

    @overload
    def __getitem__(self, index: int) -> int: ...
    @overload
    def __getitem__(self, index: slice) -> RowsOf: ...
    def __getitem__(self, index: int | slice) -> int | RowsOf:
        found = self._range[index]
        return RowsOf(self._column, found.start, found.stop) if isinstance(found, range) else int(self._column[found])

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> U32Array:
        """Returns all of them."""
        found: AnyArray = numbers(self._column, slice(self._range.start, self._range.stop))
        return found if dtype is None else found.astype(dtype, copy=False)


@dataclass(slots=True)
class MonitorGroup:
    """A row with states below it."""

    kind: str
    label: str
    session: int
    depth: int
    states: Sequence[int] = ()
    """Its leaves, as rows of states."""
    badges: Mapping[str, Badge] = field(default_factory=dict)
    bar: float | None = None
    monitor: str = ""
    """The id of a monitor."""
    ring: Ring | None = None
    offset: int | None = None
    class_name: str = ""
    """The class of a monitor."""

    @property
    def blocked(self) -> int:
        """Nanoseconds that threads waited for its locks."""
        return int(self.badges.get("blocked_ns") or 0)


class TraceMonitorGroups:
    """Groups of one session."""

    def __init__(self, recording: TraceRecording, facts: StateFacts, session: int, depth: int) -> None:
        """depth: of the topmost groups"""
        self._recording, self._facts, self._session, self._depth = recording, facts, session, depth
        self._waiting = facts.still_waiting(session)

    def groups(self, by_class: bool) -> Iterator[MonitorGroup]:
        """Yields deadlocks first, then other threads still waiting, then monitors: the longest waits first."""
        yield from self._deadlocks()
        yield from self._still()
        shown = self._with_classes(self.monitors()) if by_class else self.monitors()
        longest = max((each.blocked for each in shown if each.depth == self._depth), default=0)
        for each in shown:
            each.bar = each.blocked / longest if longest else None
        yield from shown

    def _deadlocks(self) -> Iterator[MonitorGroup]:
        label, of_open = self._facts.names.thread_label, self._waiting.of_open
        for ring in self._waiting.graph.rings:
            count, names = len(ring.threads), [label(thread) for thread in ring.threads[:NAMED]]
            shown = [*names, "…", names[0]] if count > NAMED else [*names, names[0]]
            since = max(of_open("state_start", ring.waits)) - self._facts.first(self._session)
            badges: Numbers = {"threads": count, "still_blocked": count, "start_ns": since}
            offset = int(self._recording.column("state_offset")[ring.waits[-1]])
            text = f"deadlock of {count:,} threads: {' → '.join(shown)}"
            yield MonitorGroup(
                "deadlock", text, self._session, self._depth, ring.waits, badges, ring=ring, offset=offset
            )
            if ring.victims:
                states = [self._waiting.by_thread[thread] for thread in ring.victims]
                count = len(states)
                noun = "threads" if count > 1 else "thread"
                more: Numbers = {"threads": count, "still_blocked": count}
                yield MonitorGroup(
                    "group", f"{count:,} {noun} also blocked", self._session, self._depth + 1, states, more
                )

    def _still(self) -> Iterator[MonitorGroup]:
        """Yields threads that wait when the data end, neither in nor for a deadlock. Their further wait is unknown."""
        listed, of_open = self._waiting.graph.ring_of, self._waiting.of_open
        locks = [state for thread, state in self._waiting.by_thread.items() if thread not in listed]
        owners = of_open("state_owner", locks)
        unknown = [state for state, owner in zip(locks, owners, strict=True) if owner == NONE]
        known = [state for state, owner in zip(locks, owners, strict=True) if owner != NONE]
        objects = self._waiting.open_of(FOR_OBJECT)
        for states, what in (
            (known, "for a lock when the data end, in no ring"),
            (unknown, "for a lock when the data end, whose owner is not recorded: no conclusion is possible"),
            (objects, "for an object when the data end"),
        ):
            if states:
                count = len(set(of_open("state_thread", states)))
                words = f"{count:,} {'threads wait' if count > 1 else 'thread waits'} {what}"
                yield MonitorGroup("group", words, self._session, self._depth, states, {"threads": count})

    def _with_classes(self, monitors: Sequence[MonitorGroup]) -> list[MonitorGroup]:
        """Returns the classes of monitors with their sums, each followed by its monitors."""
        found: dict[str, list[MonitorGroup]] = {}
        for each in monitors:
            each.depth += 1
            found.setdefault(each.class_name, []).append(each)
        sums = {name: self._sum(those) for name, those in found.items()}
        return [
            group
            for name in sorted(found, key=lambda name: _rank(sums[name]))
            for group in (MonitorGroup("class", name, self._session, self._depth, (), sums[name]), *found[name])
        ]

    def _sum(self, monitors: Sequence[MonitorGroup]) -> Numbers:
        found: Numbers = {name: sum(int(each.badges[name] or 0) for each in monitors) for name in SUMS}
        threads = self._recording.column("state_thread")
        states = np.concatenate([np.asarray(each.states) for each in monitors])
        found["threads"] = len(distinct(numbers(threads, states)))
        negative = sum(int(each.badges.get("negative_ns") or 0) for each in monitors)
        if negative:
            found["negative_ns"] = negative
        found["longest_ns"] = max(int(each.badges["longest_ns"] or 0) for each in monitors)
        found["monitors"] = len(monitors)
        return found

    def monitors(self) -> list[MonitorGroup]:
        """Returns monitors with waits, those whose locks threads waited for longest first."""
        column, mine = self._recording.column, self._recording.session_rows(self._session, "monitor")
        entities = self._recording.numbers("monitor_entity", mine)
        firsts = self._recording.numbers("monitor_first_state", slice(mine.start, mine.stop + 1)).astype(np.int64)
        sums = {name: self._recording.numbers(of, mine) for name, of in COUNTED.items()}
        sums["still_blocked"] = self._still_blocked(entities)
        order, names = column("state_of_monitor"), self._facts.names
        negative = self._facts.negative_of_monitor
        ranked = np.lexsort((-sums["waited_ns"], -sums["still_blocked"], -sums["blocked_ns"]))
        starts = firsts[ranked]
        offsets = self._recording.numbers("state_offset", numbers(order, starts))
        parts = (each.tolist() for each in (entities[ranked], starts, firsts[ranked + 1], offsets))
        found = []
        for entity, start, stop, offset, *values in zip(
            *parts, *(values[ranked].tolist() for values in sums.values()), strict=True
        ):
            own, badges = RowsOf(order, start, stop), dict[str, Badge](zip(sums, values, strict=True))
            if entity in negative:
                badges["negative_ns"] = negative[entity][1]
            id, holder = names.entity_id(entity, offset), names.entity_class(entity)
            found.append(
                MonitorGroup(
                    "monitor", f"{holder} #{id}", self._session, self._depth, own, badges, monitor=id, offset=offset,
                    class_name=holder,
                )
            )  # fmt: skip
        return found

    def _still_blocked(self, entities: U32Array) -> I64Array:
        """Returns the number of threads that wait for the lock when the data end, by monitor."""
        found = np.zeros(len(entities), np.int64)
        if self._waiting.by_thread:
            states = np.array([*self._waiting.by_thread.values()], np.int64)
            by_entity = np.argsort(entities)
            wanted = self._recording.numbers("state_monitor", states)
            wanted = wanted[wanted != NONE]
            np.add.at(found, by_entity[np.searchsorted(entities, wanted, sorter=by_entity)], 1)
        return found


def _rank(numbers: Numbers) -> tuple[int, ...]:
    return tuple(-int(numbers[name] or 0) for name in ("blocked_ns", "still_blocked", "waited_ns"))
