"""Sums over the pairs of a `java.prof`: the costs of each method, its callers and callees."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from parsers.formats.jdkprofilers.pairs.call_cycles import rings
from parsers.formats.jdkprofilers.pairs.recording import PairRecording
from parsers.formats.jdkprofilers.texts import NOT_RECORDED, UNKNOWN, method_of


@dataclass(frozen=True, slots=True)
class MethodCost:
    """Sums over the pairs of one method, over all dumps, with overflowed numbers corrected."""

    calls: int
    time: int
    """Milliseconds of its calls with all that they called; calls by itself, which are part of others, omitted.

    Of a method in a ring (see `call_cycles`) at most the time of all calls that enter the ring: an upper bound.
    """
    own: int
    """Milliseconds of its calls minus those of its callees, which is exact in rings, too; a negative difference (a dump
    in the middle of a call, clocks) counts as 0.
    """
    callers: int
    callees: int
    ring: int = 1
    """Methods in its call cycle (ring), itself included."""


class PairTable:
    """The pairs by callee and by caller. Made once for a recording."""

    def __init__(self, recording: PairRecording) -> None:
        self.recording = recording
        methods = len(recording.methods.texts)
        self._by_callee: list[array[int]] = [array("I") for _ in range(methods)]
        self._by_caller: list[array[int]] = [array("I") for _ in range(methods)]
        self._twins: dict[int, list[int]] = {}
        for pair, (callee, caller) in enumerate(zip(recording.callees, recording.callers, strict=True)):
            self._by_callee[callee].append(pair)
            self._by_caller[caller].append(pair)
            self._twins.setdefault(callee << 32 | caller, []).append(pair)
        self._costs: dict[int, MethodCost] = {}

    def label(self, method: int) -> str:
        """Returns `holder.name(types):type`."""
        return method_of(self.recording.methods.texts[method]).label

    def is_unknown(self, method: int) -> bool:
        """True if a method is unknown."""
        text = self.recording.methods.texts[method]
        return text in UNKNOWN or text == NOT_RECORDED

    def as_callee(self, method: int) -> Sequence[int]:
        """Returns the pairs in which a method is called, as in the file."""
        return self._by_callee[method]

    def as_caller(self, method: int) -> Sequence[int]:
        """Returns the pairs in which it calls."""
        return self._by_caller[method]

    def twins(self, pair: int) -> Sequence[int]:
        """Returns all pairs of the same two methods, one in each dump."""
        return self._twins[self.recording.callees[pair] << 32 | self.recording.callers[pair]]

    def merged(self, pairs: Sequence[int]) -> list[int]:
        """Returns the first pair of each two methods, those with the most calls in all dumps first."""
        firsts = [pair for pair in pairs if self.twins(pair)[0] == pair]
        return sorted(firsts, key=lambda pair: -self.calls(pair))

    def calls(self, pair: int) -> int:
        """Returns the calls of a pair in all dumps, unwrapped."""
        return sum(map(self.recording.count, self.twins(pair)))

    def time(self, pair: int) -> int:
        """Returns the milliseconds of a pair in all dumps, unwrapped."""
        return sum(map(self.recording.time, self.twins(pair)))

    def cost(self, method: int) -> MethodCost:
        """Returns the costs of a method."""
        cost = self._costs.get(method)
        if cost is None:
            cost = self._costs[method] = self._sum(method)
        return cost

    def _sum(self, method: int) -> MethodCost:
        recording = self.recording
        called, calls = self._by_callee[method], self._by_caller[method]
        time = sum(recording.time(pair) for pair in called if recording.callers[pair] != method)
        below = sum(recording.time(pair) for pair in calls if recording.callees[pair] != method)
        ring = self._rings[method]
        entered = self._entered.get(ring, 0)
        return MethodCost(
            calls=sum(map(recording.count, called)),
            # A ring without calls from outside was entered before the counters began, or by calls that have not ended.
            time=min(time, entered) if entered else time,
            own=max(0, time - below) if called else 0,
            callers=len({recording.callers[pair] for pair in called}),
            callees=len({recording.callees[pair] for pair in calls}),
            ring=self._sizes[ring],
        )

    @cached_property
    def _rings(self) -> list[int]:
        """By method: its ring."""
        recording = self.recording
        callees = [
            [] if self.is_unknown(method) else [recording.callees[pair] for pair in pairs]
            for method, pairs in enumerate(self._by_caller)
        ]
        return rings(callees)

    @cached_property
    def _sizes(self) -> Counter[int]:
        """Number of methods by ring."""
        return Counter(self._rings)

    @cached_property
    def _entered(self) -> dict[int, int]:
        """By ring of several methods: milliseconds of all calls from outside of it."""
        recording, of = self.recording, self._rings
        entered: dict[int, int] = {}
        for pair, (callee, caller) in enumerate(zip(recording.callees, recording.callers, strict=True)):
            ring = of[callee]
            if ring != of[caller] and self._sizes[ring] > 1:
                entered[ring] = entered.get(ring, 0) + recording.time(pair)
        return entered

    @cached_property
    def methods(self) -> Sequence[int]:
        """All known methods, those with the most calls first."""
        known = [method for method in range(len(self._by_callee)) if not self.is_unknown(method)]
        return sorted(known, key=lambda method: -self.cost(method).calls)

    @cached_property
    def most_calls(self) -> int:
        """Calls of the method that has the most of them, at least 1."""
        return max((self.cost(method).calls for method in self.methods), default=0) or 1

    @cached_property
    def by_label(self) -> dict[str, list[int]]:
        """Methods by their labels; two texts may be one method, with slashes and with dots."""
        found: dict[str, list[int]] = {}
        for method in self.methods:
            found.setdefault(self.label(method), []).append(method)
        return found

    def path_from_root(self, method: int) -> list[int]:
        """Returns the pairs on the shortest path to a method from one without known callers."""
        recording = self.recording
        reached_by: dict[int, int | None] = {method: None}
        waiting, at = [method], 0
        while at < len(waiting):
            here = waiting[at]
            at += 1
            for pair in self._by_callee[here]:
                caller = recording.callers[pair]
                if self.is_unknown(caller):
                    return self._pairs_from(pair, reached_by)
                if caller not in reached_by:
                    reached_by[caller] = pair
                    waiting.append(caller)
        # No path begins with an unknown caller: begin at a method that was never called.
        for top in waiting:
            if not self._by_callee[top] and reached_by[top] is not None:
                return self._pairs_from(reached_by[top], reached_by)
        return list(self._by_callee[method][:1])

    def _pairs_from(self, first: int | None, reached_by: dict[int, int | None]) -> list[int]:
        pairs: list[int] = []
        pair = first
        while pair is not None:
            pairs.append(pair)
            pair = reached_by[self.recording.callees[pair]]
        return pairs
