"""Classes and dominators of binary heap dumps by class, package and loader: what groups of objects retain."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Answer
from heap_dumps import TRUTH, sample_path

from parsers.graph.dominator_tree.semi_nca import ROOTS
from parsers.heapdump.graph.columns import CLASS_OBJECT
from parsers.index.bitpacked.columns import numbers
from parsers.io.cache import Cache
from parsers.model.report import Report
from parsers.model.trees.tree import walk
from parsers.runtime.opening import open_report

Run = Callable[..., Answer]
SAMPLE = "jdk17.hprof"
LOADER = "app: jdk.internal.loader.ClassLoaders$AppClassLoader 0x"


@pytest.fixture(scope="module")
def folder(shared_cache: Path) -> str:
    return str(shared_cache / "coffeetree")


@pytest.fixture
def report(folder: str) -> Iterator[Report]:
    report = open_report([str(sample_path(SAMPLE))], cache=Cache(folder))
    report.wait()
    yield report
    report.close()


@pytest.fixture
def ask(coffeetree: Run, folder: str) -> Run:
    """Asks for a tree of the sample, with JSON as the answer."""
    return lambda *words: coffeetree("tree", "--json", "--cache-dir", folder, *words, sample_path(SAMPLE))


# -- classes ----------------------------------------------------------------------------------------------------------


def retained_one_by_one(graph: Any, type: int) -> int:
    """Returns the retained bytes of a class: the sum of its objects that no other one of them dominates."""
    types, kinds = (numbers(graph.table(name)) for name in ("object_class", "object_kind"))
    mine = set(np.flatnonzero((types == type) & (kinds != CLASS_OBJECT)).tolist())
    found = 0
    for object in mine:
        above = graph.dominator(object)
        while above < ROOTS and above not in mine:
            above = graph.dominator(above)
        found += graph.retained(object) if above >= ROOTS else 0
    return found


@pytest.mark.parametrize(
    "name", ["java.lang.String", "java.util.HashMap$Node", "ObjectGraph$Tree", "java.lang.Object[]", "byte[]"]
)
def test_a_class_retains_what_its_outermost_objects_do(name: str, report: Report) -> None:
    view: Any = report.view("Classes")
    node = view.resolve(f"class:{name}")
    group, _ = view.rows.place(node)
    badges = view.tree.row(node).badges
    assert badges["retained"] == retained_one_by_one(view.objects.graph, view.groups[group].type)
    assert badges["retained"] >= badges["bytes"] - badges.get("garbage", 0)


def test_all_that_is_reached_is_retained_by_what_the_jvm_loaded_and_what_others_did(ask: Run) -> None:
    rows = ask("--view", "Classes", "--switch", "group=by loader", "--depth", "0").rows
    labels = {row["label"].partition("0x")[0].strip(): row["badges"] for row in rows}
    assert {"boot", LOADER[:-3].strip()} <= labels.keys()
    whole = TRUTH[SAMPLE]["totals"]["reachable_bytes"]
    assert max(badges["retained"] for badges in labels.values()) < whole
    assert sum(badges["retained"] for badges in labels.values()) >= whole


def test_classes_are_listed_below_their_loader(ask: Run) -> None:
    rows = ask("--view", "Classes", "--switch", "group=by loader", "--depth", "1").rows
    loader = next(row for row in rows if row["label"].startswith(LOADER))
    below = rows[rows.index(loader) + 1 : rows.index(loader) + 1 + loader["children"]]
    assert {"ObjectGraph$Order", "ObjectGraph$Customer"} <= {row["label"] for row in below}
    assert sum(row["badges"]["objects"] for row in below) == loader["badges"]["objects"]


def test_classes_alone_are_the_histogram(ask: Run) -> None:
    rows = ask("--view", "Classes", "--switch", "group=classes alone", "--depth", "0").rows
    found = {(row["label"], row["badges"]["objects"], row["badges"]["bytes"]) for row in rows}
    # Class objects are no instances there.
    wanted = {(line["class"], line["instances"], line["bytes"]) for line in TRUTH[SAMPLE]["histogram"]}
    assert wanted <= found
    sizes = [row["badges"]["bytes"] for row in rows]
    assert sizes == sorted(sizes, reverse=True)


def test_the_objects_of_a_class_can_be_put_in_the_order_of_what_they_retain(report: Report) -> None:
    view: Any = report.view("Classes")
    below = view.tree.children(view.resolve("class:java.util.ArrayList"), "retained")
    sizes = [view.tree.row(node).badges["retained"] for node in islice(below, 50)]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > sizes[-1]


def test_names_stay_with_their_classes_when_grouping_changes(report: Report) -> None:
    view: Any = report.view("Classes")
    name = view.names.index(b"java.lang.String")
    for choice in view.switches[0].choices:
        view.choose("group", choice)
        assert [view.tree.row(node).label for node in view.name_nodes(name)] == ["java.lang.String"]


# -- dominators -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("choice", ["by class", "by package", "by loader"])
def test_merged_dominators_retain_all_that_is_reached(choice: str, report: Report) -> None:
    view: Any = report.view("Dominators")
    view.choose("merge", choice)
    tree, totals = view.tree, TRUTH[SAMPLE]["totals"]
    assert sum(tree.row(node).badges["retained"] for node in tree.roots()) == totals["reachable_bytes"]
    whole = list(walk(tree, depth=2))
    for node, level in whole:
        badges = tree.row(node).badges
        if level < 2:
            below = [tree.row(each).badges["retained"] for each in tree.children(node)]
            assert sum(below) + badges["bytes"] == badges["retained"]
            assert below == sorted(below, reverse=True)


def test_all_objects_are_in_merged_dominators(folder: str) -> None:
    name = "agent-quit-all.hprof"
    with closing(open_report([str(sample_path(name))], cache=Cache(folder))) as report:
        report.wait()
        view: Any = report.view("Dominators")
        view.choose("merge", "by package")
        objects = [view.tree.row(node).badges["objects"] for node, _ in walk(view.tree)]
    assert sum(objects) == TRUTH[name]["totals"]["reachable_objects"]


def test_an_object_is_found_in_the_row_it_is_merged_into(ask: Run) -> None:
    words = ("--view", "Dominators", "--switch", "merge=by class")
    (row,) = ask(*words, "--at", "object:0xe00000b8", "--depth", "0").rows
    assert (row["kind"], row["label"]) == ("class", "ObjectGraph$Order")
    assert row["badges"]["objects"] > 1


def test_children_of_an_object_are_known_without_reading_all_of_them(report: Report) -> None:
    view: Any = report.view("Dominators")
    graph = view.graph
    above = numbers(graph.table("object_dominator"))
    for object in (ROOTS, *view.roots[:20]):
        assert graph.dominated(object).tolist() == np.flatnonzero(above == object).tolist()
    some = np.array(view.roots[:40], np.uint32)
    wanted = np.flatnonzero(np.isin(above, some)).tolist()
    assert sorted(graph.dominated_by(some).tolist()) == wanted
    many = np.arange(0, graph.objects, 3, dtype=np.uint32)
    assert graph.dominated_by(many).tolist() == np.flatnonzero(np.isin(above, many)).tolist()
