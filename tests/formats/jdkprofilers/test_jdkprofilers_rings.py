"""What methods cost by their pairs, against calls that were counted one by one: recursion of any kind included."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from hypothesis import given
from hypothesis import strategies as st

from parsers.formats.jdkprofilers.pairs.call_cycles import rings
from parsers.formats.jdkprofilers.pairs.reader import PairReader
from parsers.formats.jdkprofilers.pairs.table import PairTable

METHODS = "abcde"


@dataclass
class Call:
    """A call, with its callees and its own milliseconds."""

    method: str
    own: int
    calls: list[Call] = field(default_factory=list)

    @property
    def time(self) -> int:
        """With all that it called."""
        return self.own + sum(call.time for call in self.calls)


CALLS = st.recursive(
    st.builds(Call, st.sampled_from(METHODS), st.integers(0, 9)),
    lambda below: st.builds(Call, st.sampled_from(METHODS), st.integers(0, 9), st.lists(below, max_size=3)),
    max_leaves=25,
)


def all_calls(call: Call, above: tuple[str, ...] = ()) -> Iterator[tuple[Call, tuple[str, ...]]]:
    """Each call with the methods above it, the outermost first."""
    yield call, above
    for below in call.calls:
        yield from all_calls(below, (*above, call.method))


def text_of(root: Call) -> bytes:
    """The file that a profiler writes of these calls: a line for each callee and caller."""
    counts: Counter[tuple[str, str]] = Counter()
    times: Counter[tuple[str, str]] = Counter()
    for call, above in all_calls(root):
        pair = f"p.{call.method}.m()V", f"p.{above[-1]}.m()V" if above else "<unknown caller>"
        counts[pair] += 1
        times[pair] += call.time
    lines = [f"{count} {callee} {caller} {times[callee, caller]}\n" for (callee, caller), count in counts.items()]
    return ("count callee caller time\n" + "".join(lines)).encode()


def table_of(root: Call) -> PairTable:
    data = text_of(root)
    return PairTable(PairReader().read(lambda count, offset: data[offset : offset + count], len(data), is_all=True))


@given(CALLS)
def test_own_time_is_exact_whatever_calls_whatever(root: Call) -> None:
    table = table_of(root)
    own: Counter[str] = Counter()
    for call, _ in all_calls(root):
        own[f"p.{call.method}.m():void"] += call.own

    assert {table.label(method): table.cost(method).own for method in table.methods} == dict(own)
    assert sum(table.cost(method).own for method in table.methods) == root.time


@given(CALLS)
def test_a_total_is_never_less_than_it_was_nor_more_than_the_root_took(root: Call) -> None:
    table = table_of(root)
    outermost: Counter[str] = Counter()
    for call, above in all_calls(root):
        outermost[f"p.{call.method}.m():void"] += call.time if call.method not in above else 0

    for method in table.methods:
        cost = table.cost(method)
        assert outermost[table.label(method)] <= cost.time <= root.time
        assert cost.own <= cost.time
        if cost.ring == 1:
            assert cost.time == outermost[table.label(method)]


def test_methods_that_call_each_other_do_not_count_twice() -> None:
    inner = Call("a", 1, [Call("b", 1)])
    table = table_of(Call("c", 0, [Call("a", 1, [Call("b", 1, [inner])])]))

    costs = {table.label(method)[2]: table.cost(method) for method in table.methods}

    assert (costs["a"].time, costs["a"].own, costs["a"].ring) == (4, 2, 2)
    assert (costs["b"].time, costs["b"].own) == (4, 2)
    assert (costs["c"].time, costs["c"].ring) == (4, 1)


@given(st.lists(st.lists(st.integers(0, 7), max_size=3), min_size=8, max_size=8))
def test_a_ring_is_what_reaches_each_other(callees: list[list[int]]) -> None:
    reach = [{method} for method in range(8)]
    for _ in range(8):
        for method in range(8):
            reach[method] |= {far for near in callees[method] for far in reach[near]}

    found = rings(callees)

    for one in range(8):
        for other in range(8):
            assert (found[one] == found[other]) == (other in reach[one] and one in reach[other])


def test_a_chain_of_calls_may_be_long() -> None:
    assert len(set(rings([*([method + 1] for method in range(50_000)), []]))) == 50_001
