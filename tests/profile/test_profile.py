"""Profiles: what each method costs, call trees and callers, cut traces, frames that count for their callers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from parsers.profile.cost import Costs, costs
from parsers.profile.merge import Merging, ProfileTree
from parsers.profile.profile import Profile, Value, bottom_up, top_down
from parsers.profile.stacks import Stacks, without_rings
from parsers.profile.stitch import MOST_FRAMES, attach_truncated

LETTERS = 128


def profile(traces: Sequence[str], weights: Sequence[int] | None = None) -> Profile:
    """A profile with a row a trace, innermost frame first; each letter is a frame and a method."""
    first = np.cumulative_sum([len(trace) for trace in traces], dtype=np.int64, include_initial=True)
    frames = np.array([ord(letter) for trace in traces for letter in trace], np.uint32)
    return Profile(
        stacks=Stacks(first, frames),
        method_of=np.arange(LETTERS),
        methods=LETTERS,
        traces=np.arange(len(traces)),
        weights=[np.array(weights if weights is not None else [1] * len(traces), np.int64)],
        values=(Value("count", "count"),),
        origin=np.arange(len(traces)),
    )


def merging(
    hidden: str = "", folds_recursion: bool = False, is_attached: bool = False, folds_rings: bool = False
) -> Merging:
    """By letter."""
    is_hidden = np.isin(np.arange(LETTERS), [ord(letter) for letter in hidden]) if hidden else None
    return Merging(np.arange(LETTERS), LETTERS, folds_recursion, folds_rings, is_attached, is_hidden)


def drawn(tree: ProfileTree) -> list[str]:
    """One line a node: letter (- no frames, ? not recorded), total; + where a node is open or stitched."""
    merged = tree.merged
    return [
        "  " * merged.depth[node]
        + {LETTERS: "-", LETTERS + 1: "?"}.get(int(merged.key[node]), chr(merged.key[node]))
        + f" {merged.total[0][node]}"
        + (" +" if tree.is_open[node] else "")
        for node in range(merged.count)
    ]


def test_the_call_tree_begins_where_threads_begin() -> None:
    assert drawn(top_down(profile(["bam", "cam", "m"], [5, 2, 1]), merging())) == [
        "m 8",
        "  a 7",
        "    b 5",
        "    c 2",
    ]


def test_callers_begin_on_top_of_the_traces() -> None:
    assert drawn(bottom_up(profile(["bam", "bcm", "m"], [5, 2, 9]), merging())) == [
        "m 9",
        "b 7",
        "  a 5",
        "    m 5",
        "  c 2",
        "    m 2",
    ]


def test_a_trace_without_frames_is_a_node_of_its_own() -> None:
    assert drawn(top_down(profile(["", "am"], [3, 1]), merging())) == ["- 3", "m 1", "  a 1"]


def test_truncated_traces_are_below_a_root_that_is_not_recorded() -> None:
    # Depth 3: "bca" may continue, "bam" ends like the complete "m" but has the same depth.
    tree = top_down(profile(["bca", "bam", "m"], [5, 2, 1]), merging())

    assert drawn(tree) == ["? 7", "  a 5", "    c 5", "      b 5", "  m 2", "    a 2", "      b 2", "m 1"]


def test_callers_of_a_cut_trace_are_open() -> None:
    assert drawn(bottom_up(profile(["bca", "bm"], [5, 2]), merging())) == [
        "b 7",
        "  c 5",
        "    a 5 +",
        "  m 2",
    ]


def test_a_cut_trace_is_stitched_where_all_whole_ones_agree() -> None:
    # Each complete trace has a below m and x; so the truncated one probably has, too.
    tree = top_down(profile(["amx", "amx", "cbza"], [1, 1, 4]), merging(is_attached=True))

    assert drawn(tree) == [
        "x 6",
        "  m 6",
        "    a 6",
        "      z 4 +",
        "        b 4 +",
        "          c 4 +",
    ]


def test_a_cut_trace_is_not_stitched_where_whole_ones_differ() -> None:
    tree = top_down(profile(["amx", "any", "cbza"]), merging(is_attached=True))

    assert drawn(tree)[0] == "x 1"
    assert "? 1" in drawn(tree)


def test_more_frames_decide_if_one_is_ambiguous() -> None:
    tree = top_down(profile(["zamx", "any", "dcbza"]), merging(is_attached=True))

    assert "? 1" not in drawn(tree)
    assert drawn(tree)[:4] == ["x 2", "  m 2", "    a 2", "      z 2"]


def test_whole_traces_may_agree_that_nothing_is_outside() -> None:
    tree = top_down(profile(["ax", "bx", "cbax"]), merging(is_attached=True))

    assert drawn(tree)[0] == "x 3"


@given(st.lists(st.text("abc", min_size=1, max_size=4), min_size=1, max_size=12))
def test_stitching_agrees_with_its_twin(traces: list[str]) -> None:
    deepest = max(map(len, traces))
    paths = Stacks(
        np.cumulative_sum([len(trace) for trace in traces], include_initial=True),
        np.array([*map(ord, "".join(traces))]),
    )
    cut = np.array([len(trace) == deepest for trace in traces])
    wholes = [trace for trace in traces if len(trace) < deepest]

    def outside(trace: str) -> str | None:
        for count in range(1, min(len(trace), MOST_FRAMES) + 1):
            ends = range(len(trace))
            found = {whole[:at] for whole in wholes for at in ends if whole.startswith(trace[:count], at)}
            if len(found) == 1:
                return found.pop()
        return None

    made, is_attached = attach_truncated(paths, cut)

    texts = ["".join(map(chr, made.of(row))) for row in range(made.count)]
    wanted = [outside(trace) if is_cut else None for trace, is_cut in zip(traces, cut, strict=True)]
    assert texts == [(before or "") + trace for before, trace in zip(wanted, traces, strict=True)]
    assert is_attached.tolist() == [before is not None for before in wanted]


def test_folded_frames_count_for_the_nearest_one_that_is_shown() -> None:
    tree = top_down(profile(["sbam", "sm"], [5, 2]), merging(hidden="sb"))

    assert drawn(tree) == ["m 7", "  a 5"]
    assert tree.merged.own[0].tolist() == [2, 5]


def test_recursion_folds_into_one_call() -> None:
    assert drawn(top_down(profile(["baaam", "bam"], [1, 1]), merging(folds_recursion=True))) == [
        "m 2",
        "  a 2",
        "    b 2",
    ]


def test_rings_fold_into_the_first_call() -> None:
    # m calls a, a calls b, b calls a again, and that calls s: s is below the only a.
    tree = top_down(profile(["sabam", "bam"], [3, 1]), merging(folds_rings=True))

    assert drawn(tree) == ["m 4", "  a 4", "    s 3", "    b 1"]


@given(st.lists(st.tuples(st.text("abc", max_size=6), st.integers(0, 9)), max_size=15), st.booleans())
def test_with_rings_folded_no_method_has_more_in_all_of_a_tree_than_in_the_table(
    rows: list[tuple[str, int]], is_up: bool
) -> None:
    made = profile([trace for trace, _ in rows], [weight for _, weight in rows])
    flat = costs(made, np.arange(LETTERS), LETTERS)

    merged = (bottom_up if is_up else top_down)(made, merging(folds_rings=True)).merged

    for letter in map(ord, "abc"):
        nodes = merged.key == letter
        assert int(merged.total[0][nodes].sum()) <= int(flat.total[0][letter])
        if not is_up:
            assert int(merged.own[0][nodes].sum()) == int(flat.own[0][letter])


@given(st.lists(st.text("abc", max_size=6), max_size=10))
def test_a_trace_without_rings_has_each_frame_once(traces: list[str]) -> None:
    made = without_rings(profile(traces).stacks)

    def folded(trace: str) -> str:
        return "" if not trace else trace[0] + folded(trace[trace.rindex(trace[0]) + 1 :])

    assert ["".join(map(chr, made.of(row))) for row in range(made.count)] == [folded(trace) for trace in traces]


def cost_of(found: Costs, letter: str) -> tuple[int, int, int]:
    """Own and total weight, and how many traces have it on top."""
    place = ord(letter)
    return int(found.own[0][place]), int(found.total[0][place]), int(found.tops[place])


def test_recursion_counts_once_a_trace() -> None:
    found = costs(profile(["aam", "bam", "m"], [5, 2, 1]), np.arange(LETTERS), LETTERS)

    assert cost_of(found, "a") == (5, 7, 1)
    assert cost_of(found, "b") == (2, 2, 1)
    assert cost_of(found, "m") == (1, 8, 1)
    assert cost_of(found, "z") == (0, 0, 0)
    assert found.rows[found.first[ord("m")] : found.first[ord("m") + 1]].tolist() == [2, 0, 1]


TRACES = st.lists(st.tuples(st.text("abc", max_size=5), st.integers(0, 9)), max_size=20)


@given(TRACES, st.sampled_from(["", "a", "ab"]))
def test_costs_agree_with_their_twin(rows: list[tuple[str, int]], hidden: str) -> None:
    traces, weights = [trace for trace, _ in rows], [weight for _, weight in rows]
    own, total = dict.fromkeys("abc", 0), dict.fromkeys("abc", 0)
    for trace, weight in rows:
        shown = [letter for letter in trace if letter not in hidden]
        if shown:
            own[shown[0]] += weight
        for letter in set(shown):
            total[letter] += weight

    is_hidden = np.isin(np.arange(LETTERS), [ord(letter) for letter in hidden])
    found = costs(profile(traces, weights), np.arange(LETTERS), LETTERS, is_hidden)

    assert {letter: cost_of(found, letter)[:2] for letter in "abc"} == {
        letter: (own[letter], total[letter]) for letter in "abc"
    }


@given(TRACES, st.booleans(), st.booleans())
def test_roots_and_own_weights_add_up_to_the_rows(
    rows: list[tuple[str, int]], folds_recursion: bool, is_attached: bool
) -> None:
    made = profile([trace for trace, _ in rows], [weight for _, weight in rows])
    how = merging(folds_recursion=folds_recursion, is_attached=is_attached)

    for tree in (top_down(made, how), bottom_up(made, how)):
        merged = tree.merged
        assert int(merged.total[0][merged.parent < 0].sum()) == made.sums[0]
        assert int(merged.own[0].sum()) == made.sums[0]


@given(TRACES)
def test_a_caller_root_weighs_what_its_method_costs_itself(rows: list[tuple[str, int]]) -> None:
    made = profile([trace for trace, _ in rows], [weight for _, weight in rows])
    merged = bottom_up(made, merging()).merged
    own = costs(made, np.arange(LETTERS), LETTERS).own[0]

    roots = {int(merged.key[node]): int(merged.total[0][node]) for node in np.flatnonzero(merged.parent < 0)}

    # The last group are traces without frames.
    assert {key: weight for key, weight in roots.items() if weight} == {
        int(key): int(own[key]) for key in np.flatnonzero(own)
    }
