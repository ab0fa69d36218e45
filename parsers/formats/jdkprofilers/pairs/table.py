"""Sums over the pairs of a `java.prof`: the costs of each method, its callers and callees."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from itertools import chain, compress

from parsers.formats.jdkprofilers.pairs.call_cycles import rings
from parsers.formats.jdkprofilers.pairs.recording import PairRecording
from parsers.formats.jdkprofilers.texts import NOT_RECORDED, UNKNOWN, heap_class, method_of
from parsers.model.lookup import places_by
from parsers.model.names.java_method import class_names
from parsers.model.names.java_name import NO_PACKAGE, PRIMITIVES, package_end
from parsers.model.value import value_class

NO_METHODS = frozenset((*UNKNOWN, NOT_RECORDED))
PRIMITIVE_ARRAYS = "(arrays of primitive types)"


@value_class
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
        self._costs: dict[int, MethodCost] = {}

    def label(self, method: int) -> str:
        """Returns `holder.name(types):type`."""
        return method_of(self.recording.methods.texts[method]).label

    def is_unknown(self, method: int) -> bool:
        """True if a method is unknown."""
        return self.recording.methods.texts[method] in NO_METHODS

    @cached_property
    def known(self) -> Sequence[int]:
        """All known methods."""
        return [method for method, text in enumerate(self.recording.methods.texts) if text not in NO_METHODS]

    @cached_property
    def holders(self) -> Sequence[str]:
        """By method: its class; of an unknown one any text."""
        texts = self.recording.methods.texts
        heads = [text.partition(b"(")[0].rpartition(b".")[0] for text in texts]
        plain = [head for head in dict.fromkeys(heads) if head.isascii()]
        names = dict(zip(plain, class_names([head.decode() for head in plain]), strict=True))
        found = map(names.get, heads)
        return [method_of(text).holder if name is None else name for name, text in zip(found, texts, strict=True)]

    @cached_property
    def heap_classes(self) -> Sequence[str]:
        """The class of each signature of the heap part."""
        texts = self.recording.signatures.texts
        plain = [text[:1] == b"L" and text[-1:] == b";" and b"(" not in text for text in texts]
        names = iter(class_names([text[1:-1].decode("utf-8", "replace") for text in compress(texts, plain)]))
        return [next(names) if is_plain else heap_class(text) for text, is_plain in zip(texts, plain, strict=True)]

    @cached_property
    def classes(self) -> Collection[str]:
        """All classes, of methods and of the heap part."""
        return dict.fromkeys(chain(map(self.holders.__getitem__, self.known), self.heap_classes))

    @cached_property
    def packages(self) -> Collection[str]:
        """Packages of all classes."""
        return {*map(package_of, self.classes)}

    @cached_property
    def _by_callee(self) -> Mapping[int, Sequence[int]]:
        return places_by(self.recording.callees)

    @cached_property
    def _by_caller(self) -> Mapping[int, Sequence[int]]:
        return places_by(self.recording.callers)

    @cached_property
    def _by_methods(self) -> Mapping[int, Sequence[int]]:
        methods = zip(self.recording.callees, self.recording.callers, strict=True)
        return places_by(callee << 32 | caller for callee, caller in methods)

    def as_callee(self, method: int) -> Sequence[int]:
        """Returns the pairs in which a method is called, as in the file."""
        return self._by_callee.get(method, ())

    def as_caller(self, method: int) -> Sequence[int]:
        """Returns the pairs in which it calls."""
        return self._by_caller.get(method, ())

    def in_all_dumps(self, pair: int) -> Sequence[int]:
        """Returns all pairs of the same two methods, one in each dump."""
        return self._by_methods[self.recording.callees[pair] << 32 | self.recording.callers[pair]]

    def merged(self, pairs: Sequence[int]) -> list[int]:
        """Returns the first pair of each two methods, those with the most calls in all dumps first."""
        firsts = [pair for pair in pairs if self.in_all_dumps(pair)[0] == pair]
        return sorted(firsts, key=lambda pair: -self.calls(pair))

    def calls(self, pair: int) -> int:
        """Returns the calls of a pair in all dumps, unwrapped."""
        return sum(map(self.recording.count, self.in_all_dumps(pair)))

    def time(self, pair: int) -> int:
        """Returns the milliseconds of a pair in all dumps, unwrapped."""
        return sum(map(self.recording.time, self.in_all_dumps(pair)))

    def cost(self, method: int) -> MethodCost:
        """Returns the costs of a method."""
        cost = self._costs.get(method)
        if cost is None:
            cost = self._costs[method] = self._sum(method)
        return cost

    def _sum(self, method: int) -> MethodCost:
        recording, time, ring = self.recording, self._sums[1][method], self._rings[method]
        entered = self._entered.get(ring, 0)
        return MethodCost(
            calls=self.all_calls[method],
            # A ring without calls from outside was entered before the counters began, or by calls that have not ended.
            time=min(time, entered) if entered else time,
            own=self.own_times[method],
            callers=len({recording.callers[pair] for pair in self.as_callee(method)}),
            callees=len({recording.callees[pair] for pair in self.as_caller(method)}),
            ring=self._sizes[ring],
        )

    @cached_property
    def _sums(self) -> tuple[list[int], list[int], list[int]]:
        """By method: calls, milliseconds of calls by others, and of its calls of others."""
        recording = self.recording
        calls, times, below = ([0] * len(recording.methods.texts) for _ in range(3))
        numbers = (map(recording.unwrapped, column) for column in (recording.counts, recording.times))
        for callee, caller, count, time in zip(recording.callees, recording.callers, *numbers, strict=True):
            calls[callee] += count
            if callee != caller:
                times[callee] += time
                below[caller] += time
        return calls, times, below

    @property
    def all_calls(self) -> Sequence[int]:
        """By method: its `MethodCost.calls`."""
        return self._sums[0]

    @cached_property
    def own_times(self) -> Sequence[int]:
        """By method: its `MethodCost.own`."""
        own = [0] * len(self.all_calls)
        for method in {*self.recording.callees}:
            own[method] = max(0, self._sums[1][method] - self._sums[2][method])
        return own

    @cached_property
    def _rings(self) -> list[int]:
        """By method: its ring."""
        callees: list[list[int]] = [[] for _ in self.recording.methods.texts]
        for caller in self.known:
            callees[caller] = [self.recording.callees[pair] for pair in self.as_caller(caller)]
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
        return sorted(self.known, key=self.all_calls.__getitem__, reverse=True)

    @cached_property
    def most_calls(self) -> int:
        """Calls of the method that has the most of them, at least 1."""
        return max((self.all_calls[method] for method in self.known), default=0) or 1

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
            for pair in self.as_callee(here):
                caller = recording.callers[pair]
                if self.is_unknown(caller):
                    return self._pairs_from(pair, reached_by)
                if caller not in reached_by:
                    reached_by[caller] = pair
                    waiting.append(caller)
        # No path begins with an unknown caller: begin at a method that was never called.
        for top in waiting:
            if not self.as_callee(top) and reached_by[top] is not None:
                return self._pairs_from(reached_by[top], reached_by)
        return list(self.as_callee(method)[:1])

    def _pairs_from(self, first: int | None, reached_by: dict[int, int | None]) -> list[int]:
        pairs: list[int] = []
        pair = first
        while pair is not None:
            pairs.append(pair)
            pair = reached_by[self.recording.callees[pair]]
        return pairs


def package_of(name: str) -> str:
    """Returns the package of a class, or of the element class of arrays."""
    end = package_end(name)
    if end > 0:
        return name[:end]
    return PRIMITIVE_ARRAYS if name.endswith("[]") and name.rstrip("[]") in PRIMITIVES else NO_PACKAGE
