"""Monitors with what was waited for them, and who still waits when the data end: the groups of rows of "Monitors"."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from parsers.distinct import distinct
from parsers.index.packed import numbers
from parsers.report import Badge
from parsers.tptp.columns import FOR_LOCK, FOR_OBJECT, NEVER, NONE, NOWHERE
from parsers.tptp.state_facts import StateFacts
from parsers.waiting_rings import Ring

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parsers.tptp.recording import Recording

NAMED = 6
"""Threads of a deadlock that its row names."""
MOST_PAIRS = 1 << 22
"""Monitors times threads that are counted in a table."""
SUMS = ("blocked_ns", "contended", "waited_ns", "waits", "still_blocked", "threads")
"""Numbers of monitors that add up for a class; threads do so only within a monitor."""
Numbers = dict[str, Badge]


@dataclass(slots=True)
class MonitorGroup:
    """A row that states stand below."""

    kind: str
    label: str
    session: int
    depth: int
    states: Sequence[int] | NDArray[Any] = ()
    """Rows of STATES: its leaves."""
    badges: Mapping[str, Badge] = field(default_factory=dict)
    bar: float | None = None
    monitor: str = ""
    """The id of a monitor."""
    ring: Ring | None = None
    offset: int | None = None


@dataclass(slots=True)
class Monitor:
    """What was waited for one thing in one session."""

    thing: int
    id: str
    class_name: str
    states: NDArray[Any]
    numbers: Numbers
    offset: int


class MonitorGroups:
    """Of one session."""

    def __init__(self, recording: Recording, facts: StateFacts, session: int, depth: int) -> None:
        """depth: of the groups at the top"""
        self._recording, self._facts, self._session, self._depth = recording, facts, session, depth
        self._waiting = facts.still_waiting(session)

    def groups(self, by_class: bool) -> Iterator[MonitorGroup]:
        """Deadlocks first, then who else still waits, then monitors: those that were waited for longest first."""
        yield from self._deadlocks()
        yield from self._still()
        monitors = self.monitors()
        longest = max((int(each.numbers["blocked_ns"] or 0) for each in monitors), default=0)
        if by_class:
            yield from self._classes(monitors)
        else:
            for each in monitors:
                yield self._monitor(each, self._depth, longest)

    def _deadlocks(self) -> Iterator[MonitorGroup]:
        label, starts = self._facts.names.thread_label, self._recording.column("state_start")
        for ring in self._waiting.rings:
            names = [label(thread) for thread in ring.threads]
            shown = [*names[:NAMED], "…", names[0]] if len(names) > NAMED else [*names, names[0]]
            since = max(int(starts[state]) for state in ring.blocks) - self._facts.first(self._session)
            badges: Numbers = {"threads": len(names), "still_blocked": len(names), "start_ns": since}
            offset = int(self._recording.column("state_offset")[ring.blocks[-1]])
            text = f"deadlock of {len(names):,} threads: {' → '.join(shown)}"
            yield MonitorGroup(
                "deadlock", text, self._session, self._depth, ring.blocks, badges, ring=ring, offset=offset
            )
            if ring.victims:
                states = [self._waiting.by_thread[thread] for thread in ring.victims]
                count = len(states)
                hang = "threads hang" if count > 1 else "thread hangs"
                more: Numbers = {"threads": count, "still_blocked": count}
                yield MonitorGroup("group", f"{count:,} {hang} on it", self._session, self._depth + 1, states, more)

    def _still(self) -> Iterator[MonitorGroup]:
        """Who waits when the data end, in no ring and for none. Whether that is for long or for ever isn't known."""
        told = {thread for ring in self._waiting.rings for thread in (*ring.threads, *ring.victims)}
        threads, kinds = self._recording.column("state_thread"), self._recording.column("state_kind")
        owners = self._recording.column("state_owner")
        locks = [state for thread, state in self._waiting.by_thread.items() if thread not in told]
        unknown = [state for state in locks if owners[state] == NONE]
        known = [state for state in locks if owners[state] != NONE]
        objects = [state for state in self._waiting.open_states if kinds[state] == FOR_OBJECT]
        for states, what in (
            (known, "for a lock when the data end, in no ring"),
            (unknown, "for a lock when the data end, whose owner is not told: nothing can be concluded"),
            (objects, "for an object when the data end"),
        ):
            if states:
                count = len({int(threads[state]) for state in states})
                words = f"{count:,} {'threads wait' if count > 1 else 'thread waits'} {what}"
                yield MonitorGroup("group", words, self._session, self._depth, states, {"threads": count})

    def _monitor(self, each: Monitor, depth: int, longest: int) -> MonitorGroup:
        blocked = int(each.numbers["blocked_ns"] or 0)
        return MonitorGroup(
            "monitor",
            f"{each.class_name} #{each.id}",
            self._session,
            depth,
            each.states,
            each.numbers,
            blocked / longest if longest else None,
            each.id,
            offset=each.offset,
        )

    def _classes(self, monitors: Sequence[Monitor]) -> Iterator[MonitorGroup]:
        found: dict[str, list[Monitor]] = {}
        for each in monitors:
            found.setdefault(each.class_name, []).append(each)
        sums = {name: self._sum(those) for name, those in found.items()}
        longest = max((int(each["blocked_ns"] or 0) for each in sums.values()), default=0)
        for name in sorted(found, key=lambda name: _rank(sums[name])):
            blocked = int(sums[name]["blocked_ns"] or 0)
            bar = blocked / longest if longest else None
            yield MonitorGroup("class", name, self._session, self._depth, (), sums[name], bar)
            for each in found[name]:
                yield self._monitor(each, self._depth + 1, longest)

    def _sum(self, monitors: Sequence[Monitor]) -> Numbers:
        found: Numbers = {name: sum(int(each.numbers[name] or 0) for each in monitors) for name in SUMS}
        threads = self._recording.column("state_thread")
        states = np.concatenate([each.states for each in monitors])
        found["threads"] = len(distinct(numbers(threads, states)))
        found["longest_ns"] = max(int(each.numbers["longest_ns"] or 0) for each in monitors)
        found["monitors"] = len(monitors)
        return found

    def monitors(self) -> list[Monitor]:
        """All that were waited for, those for whose lock threads waited longest first."""
        recording, rows = self._recording, self._recording.session_rows(self._session, "state")
        part = slice(rows.start, rows.stop)
        things, kinds = numbers(recording.column("state_monitor"), part), numbers(recording.column("state_kind"), part)
        chosen = np.flatnonzero((kinds <= FOR_OBJECT) & (things != NONE))
        if not len(chosen):
            return []
        # By thing, then in file order; so all numbers of a thing are sums of a range.
        chosen = chosen[np.argsort(things[chosen], kind="stable")]
        things, states = things[chosen], chosen + rows.start
        starts, ends = (numbers(recording.column(name), states) for name in ("state_start", "state_end"))
        is_done = numbers(recording.column("state_end_offset"), states) != NOWHERE
        is_told = is_done & (starts != NEVER) & (ends != NEVER)
        durations = np.where(is_told, np.maximum(np.where(is_told, ends, 0) - np.where(is_told, starts, 0), 0), 0)
        is_lock = kinds[chosen] == FOR_LOCK
        is_open = np.isin(states, [*self._waiting.by_thread.values()])
        firsts = np.flatnonzero(np.append(True, things[1:] != things[:-1]))
        bounds, unique = np.append(firsts, len(things)), things[firsts]
        blocked = np.where(is_lock, durations, 0)
        sums = {
            "blocked_ns": np.add.reduceat(blocked, firsts),
            "contended": np.add.reduceat(is_lock & is_done, firsts, dtype=np.int64),
            "longest_ns": np.maximum.reduceat(blocked, firsts),
            "still_blocked": np.add.reduceat(is_open, firsts, dtype=np.int64),
            "waited_ns": np.add.reduceat(durations - blocked, firsts),
            "waits": np.add.reduceat(~is_lock & is_done, firsts, dtype=np.int64),
            "threads": _threads_by(np.diff(bounds), numbers(recording.column("state_thread"), states)),
        }
        ranked = np.lexsort((states[firsts], -sums["waited_ns"], -sums["still_blocked"], -sums["blocked_ns"]))
        offsets = recording.column("state_offset")
        found = []
        for number in ranked.tolist():
            own, thing = states[bounds[number] : bounds[number + 1]], int(unique[number])
            offset = int(offsets[int(own[0])])
            told: Numbers = {name: int(values[number]) for name, values in sums.items()}
            things_names = self._facts.things
            found.append(
                Monitor(thing, things_names.id_text(thing, offset), things_names.class_text(thing), own, told, offset)
            )
        return found


def _rank(numbers: Numbers) -> tuple[int, ...]:
    return tuple(-int(numbers[name] or 0) for name in ("blocked_ns", "still_blocked", "waited_ns"))


def _threads_by(counts: Any, threads: Any) -> Any:
    """How many different threads are in each of the ranges that lie one behind the other."""
    which = np.repeat(np.arange(len(counts)), counts)
    if len(counts) * (int(threads.max()) + 1) <= MOST_PAIRS:
        places = which * (int(threads.max()) + 1) + threads
        there = np.bincount(places, minlength=len(counts) * (int(threads.max()) + 1)).reshape(len(counts), -1)
        return np.count_nonzero(there, axis=1)
    return np.bincount(distinct(which << 32 | threads) >> 32, minlength=len(counts))
