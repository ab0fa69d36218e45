"""Calls of a recording as a profile: call paths per thread, with base time, calls and the agent's overhead.

Total times of paths were measured and are shown as measured. A call that never returned was not measured; its total is
the sum of its descendants. Where clocks step back, times may be negative; the negative part of a number is a weight of
its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from parsers.formats.tptp.calls.merged_trees import saved_tree
from parsers.formats.tptp.schema.columns import IS_NEGATIVE, IS_RUNNING, NO_EXIT
from parsers.formats.tptp.views import negative_times
from parsers.model.names.ref_number import ref_number
from parsers.model.none import NONE
from parsers.model.row import Link, SectionRow, counted
from parsers.model.time_text import nanos_text
from parsers.profile.merge import ProfileTree
from parsers.profile.nested import NestedStacks
from parsers.profile.profile import Profile, Value
from parsers.profile.source import ALL, ProfileQuery, ProfileSource

if TYPE_CHECKING:
    from parsers.formats.tptp.store.names import TraceNames
    from parsers.formats.tptp.store.recording import TraceRecording
    from parsers.model.arrays import AnyArray, BoolArray, I64Array

BASE, CUMULATIVE, CALLS, OVERHEAD = "base time", "cumulative time", "calls", "overhead"
VALUES: Mapping[str, Value] = {
    BASE: Value("base", "base", "ns"),
    CUMULATIVE: Value("cumulative", "cumulative", "ns"),
    CALLS: Value("calls", "calls", is_own=True),
    OVERHEAD: Value("overhead", "overhead", "ns", is_own=True),
}
NEGATIVE = Value("negative", "negative", "ns", is_own=True)
"""Negative part of the first weight, if that is a time."""


DOWN = (BASE, CALLS, OVERHEAD)
"""Weights of call trees; the weights of descendants add up to cumulative time."""
UP = (CUMULATIVE, *DOWN)
"""Weights of callers."""


class CallProfiles(ProfileSource):
    """Profiles over call paths."""

    weights: Sequence[str] = DOWN

    def __init__(
        self,
        recording: TraceRecording,
        names: TraceNames,
        weights: Sequence[str] = DOWN,
        clock: Callable[[], str] = lambda: "",
    ) -> None:
        """clock: step of the clock, in words; empty if unknown"""
        self.clock = clock
        self._recording, self._column = recording, recording.numbers
        self._names = names
        self.weights = weights
        self._kept: dict[ProfileQuery, Profile] = {}

    @property
    def is_ready(self) -> bool:
        """True once the whole file is read: paths change until then."""
        return self._recording.is_complete

    # -- choices ------------------------------------------------------------------------------------------------------

    @cached_property
    def dumps(self) -> Sequence[str]:
        """Sessions that have calls."""
        first = self._column("session_first_node")
        names = [f"session {number}" for number in (np.flatnonzero(np.diff(first.astype(np.int64))) + 1).tolist()]
        return (ALL, *names) if self._recording.sessions > 1 else (ALL,)

    @cached_property
    def threads(self) -> Sequence[str]:
        """Labels of the threads with calls."""
        return (ALL, *self._names.calling_threads)

    # -- profiles -----------------------------------------------------------------------------------------------------

    @property
    def traces(self) -> int:
        """Number of call paths."""
        return self._recording.rows("node")

    @property
    def frames(self) -> int:
        """Estimated work: the number of paths; four times that for callers, which are merged level by level."""
        return self.traces * (4 if CUMULATIVE in self.weights else 1)

    @cached_property
    def stacks(self) -> NestedStacks:
        """The paths."""
        above = self._column("node_parent").astype(np.int64)
        return NestedStacks(np.where(above == NONE, -1, above), self._column("node_method"))

    @cached_property
    def measured(self) -> I64Array:
        """Total time by path, int64."""
        took = self._column("node_cumulative")
        unfinished = self._column("open_node")
        if len(unfinished):
            took = took.copy()
            took[unfinished] = self._column("open_node_took")
        return took

    @cached_property
    def _is_outermost(self) -> BoolArray:
        """By path: true if its method does not occur among its own callers."""
        found: AnyArray = self._column("node_is_outermost") != 0
        return found

    @cached_property
    def _weights(self) -> Mapping[str, AnyArray]:
        found = {
            BASE: self._column("node_base"),
            CALLS: self._column("node_calls").astype(np.int64),
            OVERHEAD: self._column("node_overhead"),
        }
        if CUMULATIVE in self.weights:
            found[CUMULATIVE] = np.where(self._is_outermost, self._column("node_cumulative"), 0)
        return found

    def profile(self, wanted: ProfileQuery) -> Profile:
        """Returns the paths of a session or a thread."""
        wanted = ProfileQuery(wanted.weight or self.weights[0], wanted.dump, wanted.thread)
        found = self._kept.get(wanted)
        if found is None:
            if len(self._kept) > 4:
                self._kept.pop(next(iter(self._kept)))
            found = self._kept[wanted] = self._profile(wanted)
        return found

    def _profile(self, wanted: ProfileQuery) -> Profile:
        rows, is_all = np.arange(self.traces), (wanted.dump, wanted.thread) == (ALL, ALL)
        if wanted.dump != ALL:
            first = self._column("session_first_node")
            session = int(wanted.dump.rpartition(" ")[2]) - 1
            rows = rows[int(first[session]) : int(first[session + 1])]
        if wanted.thread != ALL:
            rows = rows[self._column("node_thread")[rows] == self._names.calling_threads.get(wanted.thread, NONE)]
        order = sorted(self.weights, key=lambda name: name != wanted.weight)
        weights, values = [self._weights[name] for name in order], [VALUES[name] for name in order]
        negative = self._negative(order[0])
        if negative is not None:
            weights.append(negative)
            values.append(NEGATIVE)
        return Profile(
            stacks=self.stacks,
            method_of=self.method_of,
            methods=len(self.methods),
            traces=rows,
            weights=weights if is_all else [weight[rows] for weight in weights],
            values=tuple(values),
            origin=rows,
            table="node",
            measured=None if order[0] != BASE else self.measured if is_all else self.measured[rows],
        )

    def _negative(self, weight: str) -> I64Array | None:
        """Returns the negative part of a time by path; None if the weight is no time, or nothing is negative."""
        nodes = self._column(negative_times.NODE)
        if weight not in (BASE, CUMULATIVE) or not len(nodes):
            return None
        found = np.zeros(self.traces, np.int64)
        found[nodes] = self._column(negative_times.BASE if weight == BASE else negative_times.TOOK)
        return found if weight == BASE else np.where(self._is_outermost, found, 0)

    def stored_tree(self, wanted: ProfileQuery, is_down: bool) -> ProfileTree | None:
        """Returns the tree stored in the index, which exists for all threads, the first weight and very many paths."""
        if (wanted.weight or self.weights[0], wanted.dump, wanted.thread) != (self.weights[0], ALL, ALL):
            return None
        return saved_tree(self._recording, "tree" if is_down else "callers")

    # -- frames and traces --------------------------------------------------------------------------------------------

    @cached_property
    def method_of(self) -> I64Array:
        """Number of the label by row of methods; a method may be defined several times."""
        return self._names.method_groups[1]

    @property
    def methods(self) -> Sequence[str]:
        """Labels of methods."""
        return self._names.method_groups[0]

    def method_links(self, method: int) -> Sequence[Link]:
        """Returns links to its row in "Methods", and its first call in the order of the recording."""
        ref = f"method:{self.methods[method]}"
        return (Link("method", ref, "Methods"), Link("its first call", ref, "Flow"))

    def chosen_for(self, ref: str) -> Mapping[str, str]:
        """Returns the choice of a thread or session."""
        kind, _, value = ref.partition(":")
        if kind == "session" and f"session {value}" in self.dumps:
            return {"dump": f"session {value}"}
        found = self._names.find(ref)
        if found is None or found[0] != "thread":
            return {}
        name = next((name for name, row in self._names.calling_threads.items() if row == found[1]), None)
        return {} if name is None else {"thread": name}

    def line(self, frame: int) -> str:
        """Returns the line where a method begins."""
        line = int(self._recording.column("method_first_line")[frame])
        return "" if line == NONE else f":{line}"

    def trace_title(self, trace: int) -> str:
        """Returns the thread of a path."""
        column = self._recording.column
        thread = self._names.thread_label(column("node_thread")[trace])
        return f"{thread}, {counted(int(column('node_calls')[trace]), 'call')}"

    def trace_ref(self, trace: int) -> str:
        """Returns the REF of a path, by its index in the table."""
        return f"trace:{trace}"

    def trace_of(self, ref: str) -> int | None:
        """Returns the path of a REF."""
        kind, _, value = ref.partition(":")
        return ref_number(value, self.traces) if kind == "trace" else None

    @cached_property
    def _notes(self) -> list[SectionRow]:
        rows = [SectionRow("total", "as measured from entry to exit; self is what no call within it took")]
        flags = self._column("call_flags")
        unfinished = int(np.count_nonzero(flags & (NO_EXIT | IS_RUNNING)))
        if unfinished:
            what = f"{counted(unfinished, 'call')} never returned: what they called counts for them"
            rows.append(SectionRow("unfinished", what))
        if len(self._column(negative_times.NODE)):
            ended, took = int(np.count_nonzero(flags & IS_NEGATIVE)), int(self._column(negative_times.TOOK).sum())
            words = f"{counted(ended, 'call')} ended before beginning, {nanos_text(took)} in all"
            rows.append(SectionRow("clock", f"{words}: times are summed as recorded, with their signs"))
            rows.append(SectionRow("negative", "the part of the time that is of calls below zero"))
        rows.append(SectionRow("overhead", "what the agent itself cost; it is in the times"))
        return rows

    def notes(self, wanted: ProfileQuery) -> Sequence[SectionRow]:
        """Returns notes on the meaning and precision of times."""
        resolution = self.clock()
        if not resolution:
            return self._notes
        return [*self._notes, SectionRow("clock", f"steps of {resolution}: less than that is noise")]
