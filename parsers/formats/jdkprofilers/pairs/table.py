"""Sums over the pairs of a `java.prof`: what each method costs, who calls it, and what it calls."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from parsers.formats.jdkprofilers.pairs.call_cycles import rings
from parsers.formats.jdkprofilers.pairs.recording import PairRecording
from parsers.formats.jdkprofilers.texts import NOT_TOLD, UNKNOWN, method_of


@dataclass(frozen=True, slots=True)
class MethodCost:
    """What the pairs of one method add up to, over all dumps, with wrapped numbers as they were meant."""

    calls: int
    time: int
    """Milliseconds of its calls with all that they called; calls by itself, which are part of others, left out.

    Of a method in a ring (see `call_rings`) no more than all calls that enter the ring took, so at most that.
    """
    own: int
    """Milliseconds of its calls less those of what it called, which is exact in rings, too; less than 0 (a call that
    a dump fell into, clocks) counts as 0."""
    callers: int
    callees: int
    ring: int = 1
    """Methods that call each other round and round with it, itself among them."""


class PairTable:
    """The pairs by callee and by caller. Made once for a recording."""

    def __init__(self, recording: PairRecording) -> None:
        self.recording = recording
        methods = len(recording.methods)
        self._by_callee: list[array[int]] = [array("I") for _ in range(methods)]
        self._by_caller: list[array[int]] = [array("I") for _ in range(methods)]
        self._twins: dict[int, list[int]] = {}
        for pair, (callee, caller) in enumerate(zip(recording.callees, recording.callers, strict=True)):
            self._by_callee[callee].append(pair)
            self._by_caller[caller].append(pair)
            self._twins.setdefault(callee << 32 | caller, []).append(pair)
        self._costs: dict[int, MethodCost] = {}

    def label(self, method: int) -> str:
        """`holder.name(types):type`."""
        return method_of(self.recording.methods.all[method]).label

    def is_unknown(self, method: int) -> bool:
        """Whether a method is one that isn't known."""
        text = self.recording.methods.all[method]
        return text in UNKNOWN or text == NOT_TOLD

    def as_callee(self, method: int) -> Sequence[int]:
        """The pairs in which a method is called, as in the file."""
        return self._by_callee[method]

    def as_caller(self, method: int) -> Sequence[int]:
        """The pairs in which it calls."""
        return self._by_caller[method]

    def twins(self, pair: int) -> Sequence[int]:
        """All pairs of the same two methods: another dump has them again."""
        return self._twins[self.recording.callees[pair] << 32 | self.recording.callers[pair]]

    def merged(self, pairs: Sequence[int]) -> list[int]:
        """The first one of each two methods, those with the most calls in all dumps first."""
        firsts = [pair for pair in pairs if self.twins(pair)[0] == pair]
        return sorted(firsts, key=lambda pair: -self.calls(pair))

    def calls(self, pair: int) -> int:
        """Calls of a pair in all dumps, unwrapped."""
        return sum(map(self.recording.count, self.twins(pair)))

    def time(self, pair: int) -> int:
        """Milliseconds of a pair in all dumps, unwrapped."""
        return sum(map(self.recording.time, self.twins(pair)))

    def cost(self, method: int) -> MethodCost:
        """What a method costs."""
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
            # A ring that nothing entered was entered before the counters began, or by calls that have not ended.
            time=min(time, entered) if entered else time,
            own=max(0, time - below) if called else 0,
            callers=len({recording.callers[pair] for pair in called}),
            callees=len({recording.callees[pair] for pair in calls}),
            ring=self._sizes[ring],
        )

    @cached_property
    def _rings(self) -> list[int]:
        """By method: the ring that it is in."""
        recording = self.recording
        callees = [
            [] if self.is_unknown(method) else [recording.callees[pair] for pair in pairs]
            for method, pairs in enumerate(self._by_caller)
        ]
        return rings(callees)

    @cached_property
    def _sizes(self) -> Counter[int]:
        """Methods by ring."""
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
        """All methods that are known, those with the most calls first."""
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

    def way_to(self, method: int) -> list[int]:
        """The pairs on the shortest way to a method: from one that nobody known calls, each calling the next."""
        recording = self.recording
        came: dict[int, int | None] = {method: None}
        waiting, at = [method], 0
        while at < len(waiting):
            here = waiting[at]
            at += 1
            for pair in self._by_callee[here]:
                caller = recording.callers[pair]
                if self.is_unknown(caller):
                    return self._pairs_from(pair, came)
                if caller not in came:
                    came[caller] = pair
                    waiting.append(caller)
        # Nothing on the way begins with an unknown caller: from a method that was never called.
        for top in waiting:
            if not self._by_callee[top] and came[top] is not None:
                return self._pairs_from(came[top], came)
        return list(self._by_callee[method][:1])

    def _pairs_from(self, first: int | None, came: dict[int, int | None]) -> list[int]:
        pairs: list[int] = []
        pair = first
        while pair is not None:
            pairs.append(pair)
            pair = came[self.recording.callees[pair]]
        return pairs
