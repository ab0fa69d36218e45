"""Rings of threads that wait for each other."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from parsers.formats.hprof.monitors.dumps import MonitorBlock, concluded, wait_graph
from parsers.profile.threads.wait_graph import Ring, WaitGraph


def block(owner: int | None, *entering: int) -> MonitorBlock:
    return MonitorBlock(b"[I", owner, 1, entering, ())


def test_two_threads_that_wait_for_each_other_are_a_deadlock_and_a_third_is_its_victim():
    blocks = [block(3, 5, 4), block(4, 3)]
    assert wait_graph(blocks).rings == [Ring((3, 4), (1, 0), (5,))]


def test_a_chain_that_ends_is_no_deadlock():
    assert wait_graph([block(1, 2), block(2, 3), block(None, 1)]).rings == []


def test_a_thread_in_no_list_waits_for_the_only_monitor_that_another_owns():
    blocks = [block(3, 5), block(4, 3)]
    lost = concluded(blocks, [1, 0], [3, 4, 5])
    assert lost == {4: 0}
    assert wait_graph(blocks, lost).rings == [Ring((3, 4), (1, 0), (5,))]


def test_of_several_it_is_the_one_that_was_printed_again_and_else_nothing_is_concluded():
    blocks = [block(1, 2), block(1, 3)]
    assert concluded(blocks, [0, 2], [2, 3, 4]) == {4: 1}
    assert concluded(blocks, [0, 0], [2, 3, 4]) == {}


@given(st.dictionaries(st.integers(0, 8), st.integers(0, 8)))
def test_rings_are_what_following_from_each_thread_finds(edges: dict[int, int]) -> None:
    waits = {thread: (owner, thread) for thread, owner in edges.items() if thread != owner}
    found = WaitGraph((thread, owner, thread) for thread, owner in edges.items()).rings
    for thread in range(9):
        at, seen = thread, []
        while at in waits and at not in seen:
            seen.append(at)
            at = waits[at][0]
        members = set(seen[seen.index(at) :]) if at in seen else set()
        ring = next((each for each in found if set(each.threads) == members), None)
        assert (ring is not None) == bool(members)
        assert [thread in each.threads for each in found] == [
            bool(ring is each and thread in members) for each in found
        ]
        assert [thread in each.victims for each in found] == [
            bool(ring is each and thread not in members) for each in found
        ]
    for each in found:
        assert [waits[thread][0] for thread in each.threads] == [*each.threads[1:], each.threads[0]]
