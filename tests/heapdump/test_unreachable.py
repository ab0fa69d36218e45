"""The view "Unreachable": what no root reaches, by class, what holds most of it first; where such graphs begin."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Answer
from engines import without_kernels
from heap_dumps import TRUTH, WITH_HEAP, class_dump, header, names, node, record, root, sample_path
from hypothesis import given
from hypothesis import strategies as st

from parsers.heapdump.paths.sources import find_sources
from parsers.kernels.compiled import compiled as compiled_kernel

Run = Callable[..., Answer]


@pytest.fixture(scope="module")
def folder(shared_cache: Path) -> str:
    return str(shared_cache / "coffeetree")


@pytest.fixture
def ask(coffeetree: Run, folder: str) -> Run:
    """Asks with JSON as the answer."""
    return lambda command, *words: coffeetree(command, "--json", "--cache-dir", folder, *words)


def rows(ask: Run, path: Path, *words: object) -> list[dict[str, Any]]:
    return ask("tree", "--view", "Unreachable", "--limit", "all", *words, path).rows


@pytest.mark.parametrize("name", WITH_HEAP)
def test_unreachable_objects_are_listed_below_their_class(name: str, ask: Run) -> None:
    totals, found = TRUTH[name]["totals"], rows(ask, sample_path(name), "--depth", "0")
    if found[0]["kind"] == "finding":
        assert found[0]["label"] == "which objects roots reach is not known: the dump lacks its end"
        assert any(problem["what"] for problem in TRUTH[name]["problems"])
        return
    assert sum(row["badges"]["objects"] for row in found) == totals.get("unreachable_objects", 0)
    bytes = sum(row["badges"]["bytes"] for row in found)
    assert bytes == totals["shallow_bytes"] + totals["class_bytes"] - totals["reachable_bytes"]
    # Objects reachable from two of the first ones count for none of them.
    held = sum(row["badges"].get("held", 0) for row in found)
    assert bytes * 0.9 <= held <= bytes


def test_a_class_shows_its_objects_those_first_that_hold_most(ask: Run) -> None:
    path = sample_path("jdk17.hprof")
    found = rows(ask, path, "--at", "class:java.lang.String")
    held = [row["badges"]["held"] for row in found[1:]]
    assert held == sorted(held, reverse=True)
    assert {row["label"] for row in found[1:]} == {"java.lang.String"}
    again = ask("show", "--view", "Unreachable", path, found[1]["ref"]).json
    assert again["row"] == found[1] | {"depth": again["row"]["depth"]}
    refused = ask("show", "--view", "Unreachable", path, "object:0xe00000b8")
    assert (refused.status, "a root reaches it" in refused.err) == (2, True)


def test_objects_of_classes_are_reported_as_no_garbage(ask: Run) -> None:
    answer = ask("show", "--view", "Unreachable", sample_path("jdk17.hprof"), "class:java.lang.Class").json
    assert "no garbage" in answer["sections"][0]["rows"][-1]["text"]


def test_a_heap_without_unreachable_objects_is_reported(ask: Run, tmp_path: Path) -> None:
    path = tmp_path / "live.hprof"
    heap = class_dump() + node(512, 0) + root(512) + root(16)
    path.write_bytes(header() + names() + record(0x1C, heap) + record(0x2C))
    (row,) = rows(ask, path)
    assert row["label"].startswith("no object is unreachable: dumps of live objects hold none")


def test_a_list_that_was_thrown_away_begins_with_its_first_node(ask: Run, tmp_path: Path) -> None:
    # Three nodes in a row, and two that refer to each other.
    path = tmp_path / "garbage.hprof"
    nodes = node(512, 520) + node(520, 528) + node(528, 0) + node(536, 544) + node(544, 536)
    path.write_bytes(header() + names() + record(0x1C, class_dump() + nodes + root(16)) + record(0x2C))
    group, *objects = rows(ask, path)
    assert (group["badges"]["objects"], group["badges"]["tops"]) == (5, 2)
    size = objects[0]["badges"]["bytes"]
    held = {row["ref"]: row["badges"]["held"] // size for row in objects}
    assert held == {
        "object:0x200": 3, "object:0x208": 2, "object:0x210": 1, "object:0x218": 2, "object:0x220": 1
    }  # fmt: skip


def test_garbage_of_text_dumps_is_shown_as_well(ask: Run, tmp_path: Path) -> None:
    path = tmp_path / "java.hprof.txt"
    path.write_text(
        "JAVA PROFILE 1.0.1, created Sat Nov 21 02:26:20 2026\n\n--------\n\n"
        "HEAP DUMP BEGIN (3 objects, 80 bytes) Sat Nov 21 02:26:20 2026\n"
        "ROOT 11 (kind=<system class>, name=a.List)\n"
        "OBJ 1 (sz=24, trace=300000, class=a.List@11)\n"
        "\tfirst\t\t2\n"
        "OBJ 2 (sz=16, trace=300000, class=a.Link@12)\n"
        "CLS 11 (name=a.List, trace=300000)\n"
        "CLS 12 (name=a.Link, trace=300000)\n"
        "HEAP DUMP END\n"
    )
    labels = [(row["label"], row["badges"].get("held")) for row in rows(ask, path, "--depth", "0")]
    assert labels == [("a.List", 40), ("a.Link", None), ("java.lang.Class", 0)]


def test_kernels_and_plain_code_give_the_same_for_a_sample(ask: Run) -> None:
    path = sample_path("agent-quit-all.hprof")
    with without_kernels():
        plain = rows(ask, path)
    assert rows(ask, path) == plain


@st.composite
def graphs(draw: st.DrawFn) -> list[list[int]]:
    count = draw(st.integers(1, 12))
    return draw(st.lists(st.lists(st.integers(0, count - 1), max_size=3), min_size=count, max_size=count))


def reached(graph: list[list[int]], start: int) -> set[int]:
    found, left = {start}, [start]
    while left:
        for target in graph[left.pop()]:
            if target not in found:
                found.add(target)
                left.append(target)
    return found


@given(graphs())
def test_all_is_reached_from_the_sources_and_none_of_them_from_another(graph: list[list[int]]) -> None:
    count = len(graph)
    firsts = np.cumsum([0, *(len(each) for each in graph)]).astype(np.uint32)
    targets = np.array([target for each in graph for target in each], np.uint32)
    leading = [sum(object in each for other, each in enumerate(graph) if other != object) for object in range(count)]
    room = [0] * count
    filled = find_sources(firsts.tolist(), targets.tolist(), leading, [0] * count, [0] * count, [0] * count, room)
    sources = room[:filled]
    compiled = [np.zeros(count, type) for type in (np.uint8, np.uint32, np.uint32, np.uint32)]
    assert compiled_kernel(find_sources)(firsts, targets, np.array(leading, np.uint32), *compiled) == filled
    assert compiled[-1][:filled].tolist() == sources
    assert set().union(*(reached(graph, source) for source in sources)) == set(range(count))
    assert not any(reached(graph, source) & set(sources) - {source} for source in sources)
