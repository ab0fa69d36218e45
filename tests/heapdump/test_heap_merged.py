"""Paths from roots to many objects at once: each step and each holder of the graph, merged and summed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import CORPUS, Answer
from engines import engine
from heap_dumps import sample_path
from hypothesis import given
from hypothesis import strategies as st

from parsers.heapdump.paths import merged
from parsers.heapdump.paths.merged_paths import MergedPath, MergedPaths
from parsers.heapdump.paths.path_to_root import PathSteps, compute_path_steps
from parsers.heapdump.paths.reachability import FROM_ROOT, NOT_REACHED
from parsers.io.cache import Cache
from parsers.kernels.compiled import compiled as compiled_kernel
from parsers.model.report import Report
from parsers.model.trees.tree import walk
from parsers.runtime.opening import open_report

Run = Callable[..., Answer]
TEXT = CORPUS.parent / "hprof/text/longnames-dump.txt.xz"
KEYS = 4
"""Keys of steps below; the next one is that of roots."""


# -- merging ----------------------------------------------------------------------------------------------------------


@st.composite
def path_steps_of_heaps(draw: st.DrawFn) -> PathSteps:
    """Draws objects, each referenced by an earlier one or by a root."""
    count = draw(st.integers(1, 20))
    holders = [draw(st.one_of(st.just(FROM_ROOT), st.integers(0, each - 1))) for each in range(1, count)]
    holders.insert(0, FROM_ROOT)
    keys = [KEYS if holder == FROM_ROOT else draw(st.integers(0, KEYS - 1)) for holder in holders]
    return PathSteps(np.array(holders, np.uint32), np.array(keys, np.uint32), KEYS, ())


def next_object(path_steps: PathSteps, object: int, steps_taken: list[int]) -> int:
    """Returns the object after repetitions of the last steps, by a naive loop."""
    for length in range(1, min(len(steps_taken), merged.LONGEST_ROUND) + 1):
        at, steps = object, list[int]()
        while len(steps) < length and path_steps.holders[at] != FROM_ROOT:
            steps.append(int(path_steps.keys[at]))
            at = int(path_steps.holders[at])
        if steps == steps_taken[-length:]:
            return next_object(path_steps, at, steps_taken)
    return object


def steps_of(path: MergedPath | None) -> list[int]:
    return [] if path is None or path.key < 0 else [*steps_of(path.previous), path.key]


@given(path_steps_of_heaps())
def test_each_path_continues_with_its_own_next_step(path_steps: PathSteps) -> None:
    paths = MergedPaths(path_steps)
    objects = np.arange(len(path_steps.holders))
    left = [paths.begin(objects, np.ones(len(objects)))]
    while left:
        path = left.pop()
        next_steps = paths.next_steps(path)
        expected: Counter[tuple[int, int]] = Counter()
        if not paths.is_at_root(path):
            for object in path.at.tolist():
                end = next_object(path_steps, object, steps_of(path))
                following = end if path_steps.holders[end] == FROM_ROOT else int(path_steps.holders[end])
                expected[int(path_steps.keys[end]), following] += 1
        assert Counter((each.key, at) for each in next_steps for at in each.at.tolist()) == expected
        assert [each.weight for each in next_steps] == sorted((each.paths for each in next_steps), reverse=True)
        left += next_steps


@given(path_steps_of_heaps(), st.lists(st.integers(0, KEYS - 1), max_size=6), st.data())
def test_kernels_merge_as_plain_code_does(path_steps: PathSteps, steps_taken: list[int], data: st.DataObject) -> None:
    count = len(path_steps.holders)
    at = data.draw(st.lists(st.integers(0, count - 1), max_size=30))
    weights = [7 * each for each in at]
    scratch = [[0] * count, [0] * (KEYS + 1)]
    lists = [[0] * len(at), [0] * len(at), [0] * (KEYS + 1), [0] * (KEYS + 1), [0] * (KEYS + 1)]
    arrays = [np.array(each, type) for each, type in zip(lists, ("u4", "u4", "u4", "i8", "i8"), strict=True)]
    groups = merged.group_by_next_step(
        at, weights, path_steps.holders.tolist(), path_steps.keys.tolist(), steps_taken, *scratch, *lists
    )
    u4 = lambda values: np.array(values, np.uint32)  # noqa: E731
    same = compiled_kernel(merged.group_by_next_step)(
        u4(at),
        np.array(weights, np.int64),
        path_steps.holders,
        path_steps.keys,
        u4(steps_taken),
        *map(u4, ([0] * count, scratch[1][:0] + [0] * (KEYS + 1))),
        *arrays,
    )
    assert same == groups
    assert [array.tolist() for array in arrays] == lists

    starts = np.concatenate([[0], np.cumsum(arrays[3][:groups])])[:-1].astype(np.int64)
    parted = np.zeros(len(at), np.uint32), np.zeros(len(at), np.int64)
    compiled_kernel(merged.sort_by_group)(arrays[0], starts, arrays[1], np.array(weights, np.int64), *parted)
    order = np.argsort(arrays[0], kind="stable")
    assert (parted[0].tolist(), parted[1].tolist()) == (arrays[1][order].tolist(), np.array(weights)[order].tolist())


def test_a_list_of_a_million_nodes_is_one_step() -> None:
    count = 1_000_000
    holders = np.arange(-1, count - 1).astype(np.uint32)
    holders[0] = FROM_ROOT
    keys = np.zeros(count, np.uint32)
    keys[0] = 1
    paths = MergedPaths(PathSteps(holders, keys, 1, ()))
    (root, following) = paths.next_steps(paths.begin(np.arange(count), np.ones(count)))[::-1]
    assert (root.paths, following.paths) == (1, count - 1)
    (end,) = paths.next_steps(following)
    assert paths.is_at_root(end) and end.paths == count - 1


# -- holders and keys -------------------------------------------------------------------------------------------------


def opened(path: Path, folder: Path) -> Report:
    report = open_report([str(path)], cache=Cache(str(folder)))
    report.wait()
    return report


@pytest.mark.parametrize(
    ("path", "by_kernels"),
    [
        (sample_path("jdk17.hprof"), True),
        (sample_path("jdk17.hprof"), False),
        (sample_path("android.hprof"), True),
        (sample_path("contradictions.hprof"), False),
        (TEXT, False),
    ],
    ids=lambda value: value.name.partition(".")[0] if isinstance(value, Path) else "kernels" if value else "plain",
)
def test_holders_and_steps_are_those_of_the_graph(path: Path, by_kernels: bool, folder: Path) -> None:
    report = opened(path, folder)
    view: Any = report.view("Classes")
    graph = view.objects.graph
    with engine(by_kernels):
        path_steps = compute_path_steps(graph)
    for object in range(0, graph.objects, max(graph.objects // 1000, 1)):
        reached_by = graph.reached_by(object)
        if reached_by in (FROM_ROOT, NOT_REACHED):
            assert path_steps.holders[object] == reached_by
            continue
        owner, label, step = (
            graph.owner(reached_by),
            graph.label(reached_by),
            path_steps.step(int(path_steps.keys[object])),
        )
        assert path_steps.holders[object] == owner
        assert (step.type, step.is_class) == (graph.type(owner), graph.kind(owner) == 3)
        assert step.label == label or (step.label.text, label.kind) == ("[]", "element")
    report.close()


def test_the_kind_of_root_that_is_told_is_the_one_that_says_most(folder: Path) -> None:
    report = opened(sample_path("jdk17.hprof"), folder)
    view: Any = report.view("Classes")
    graph = view.objects.graph
    path_steps = compute_path_steps(graph)
    for object in np.flatnonzero(np.asarray(path_steps.holders) == FROM_ROOT).tolist():
        roots = [
            graph.root(site - graph.references - graph.objects)
            for site in graph.referrers(object)[:40]
            if site >= graph.references + graph.objects
        ]
        kinds = {root.kind for root in roots}
        shown = path_steps.step(int(path_steps.keys[object])).root
        assert shown in kinds
        assert shown == "Java stack" or "Java stack" not in kinds
    report.close()


# -- the view ---------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def folder(shared_cache: Path) -> Path:
    return shared_cache / "coffeetree"


@pytest.fixture(scope="module", params=[sample_path("jdk17.hprof"), TEXT], ids=["binary", "text"])
def report(request: pytest.FixtureRequest, folder: Path) -> Iterator[Report]:
    report = opened(request.param, folder)
    yield report
    report.close()


def test_steps_add_up_to_the_objects_that_roots_reach(report: Report) -> None:
    view: Any = report.view("Paths")
    tree = view.tree
    some = [*tree.roots()[:4], *tree.roots()[-4:]]
    for top in some:
        group = view._groups[top]
        nodes = list(walk(tree, top, 4))
        for node, level in nodes:
            badges = tree.row(node).badges
            if tree.has_children(node) and level < 4:
                previous = [tree.row(each).badges for each in tree.children(node)]
                objects = badges["objects"] - (group.garbage if not level else 0)
                assert sum(each["objects"] for each in previous) == objects
                assert [each["bytes"] for each in previous] == sorted(
                    (each["bytes"] for each in previous), reverse=True
                )


def test_paths_are_listed_from_the_root_with_most_bytes_first(report: Report) -> None:
    view: Any = report.view("Paths")
    top = view.resolve("class:java.lang.String")
    shown = list(islice(view.paths(top), 30))
    assert len(shown) > 3
    weights = []
    for path in shown:
        rows = [view.tree.row(node) for node in path]
        assert (rows[0].kind, rows[-1].node) == ("root", top)
        assert all(view.tree.parent(next_steps) == previous for next_steps, previous in pairwise(path))
        weights.append(rows[0].badges["bytes"])
    assert weights == sorted(weights, reverse=True)


def test_all_paths_together_lead_to_all_objects_of_a_class(report: Report) -> None:
    view: Any = report.view("Paths")
    top = view.resolve("class:java.util.HashMap")
    group = view._groups[top]
    counts = [view.tree.row(path[0]).badges["objects"] for path in view.paths(top)]
    assert sum(counts) == group.objects - group.garbage


# -- why --------------------------------------------------------------------------------------------------------------


@pytest.fixture
def ask(coffeetree: Run, folder: Path) -> Run:
    return lambda *words: coffeetree("why", "--json", "--cache-dir", folder, sample_path("jdk17.hprof"), *words)


def test_why_of_a_class_shows_the_paths_to_all_its_objects(ask: Run) -> None:
    paths = ask("class:ObjectGraph$Order").rows
    labels = [row["label"] for row in paths[0]["path"]]
    assert labels[0].startswith("root: ")
    assert labels[-3:] == ["java.util.ArrayList elementData", "java.lang.Object[] []", "ObjectGraph$Order"]
    assert 1 <= len(paths) <= 10
    assert len(ask("--all", "class:java.lang.String").rows) > len(ask("class:java.lang.String").rows) == 10


def test_why_of_a_package_shows_the_paths_to_all_objects_of_its_classes(ask: Run) -> None:
    (path, *_) = ask("package:java.util").rows
    assert (path["match"]["kind"], path["match"]["label"]) == ("package", "java.util")
    assert path["path"][0]["kind"] == "root"


def test_weak_references_are_taken_where_that_is_asked_for(coffeetree: Run, folder: Path) -> None:
    words = ("tree", "--json", "--cache-dir", folder, "--view", "Paths", "--depth", "1", sample_path("jdk17.hprof"))
    found = {}
    for choice in ("strong first", "all"):
        rows = [
            row
            for name in ("MethodType", "DirectMethodHandle")
            for row in coffeetree(
                *words, "--switch", f"references={choice}", "--at", f"class:java.lang.invoke.{name}"
            ).rows
        ]
        found[choice] = [row["badges"]["objects"] for row in rows if row["label"].endswith(" referent")]
    assert found == {"strong first": [7], "all": [81, 6]}


def test_why_of_an_object_with_all_shows_every_shortest_path(ask: Run) -> None:
    rows = ask("--all", "object:0xe0423af8").rows
    (first,) = ask("object:0xe0423af8").rows
    assert rows[0] == first
    assert {len(row["path"]) for row in rows} == {len(first["path"])}
    paths = [tuple(step["label"] for step in row["path"]) for row in rows]
    assert len({(labels, row["path"][-2]["ref"]) for labels, row in zip(paths, rows, strict=True)}) == len(rows)


def test_why_of_a_whole_name_is_of_that_class_alone(ask: Run) -> None:
    matches = {row["match"]["label"] for row in ask("java.util.HashMap").rows}
    assert matches == {"java.util.HashMap"}
    assert len({row["match"]["label"] for row in ask("util.HashMap").rows}) > 1
