"""Patterns among the objects of a heap: many at a time, and as each object's label, value and id say one by one."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import TESTS
from heap_dumps import CHARS, COMPACT, OLD, compact, old, root, sample_path, string_dump, text_array

from parsers.io.cache import Cache
from parsers.model.report import Report
from parsers.query.search.pattern import compile_pattern
from parsers.runtime.opening import open_report

COLLECTIONS = TESTS / "corpus" / "hprof" / "collections"
FILES = {
    "collections": COLLECTIONS / "jdk25.hprof.xz",
    "chars": sample_path("jdk8-no-compressed-oops.hprof"),
    "agent": sample_path("agent-quit-all.hprof"),
    "text": TESTS / "corpus" / "hprof" / "text" / "graph-dump.txt.xz",
}
EVERY = 19
"""In large samples every nineteenth object is checked separately."""


def opened(path: Path, folder: Path) -> Report:
    report = open_report([str(path)], cache=Cache(str(folder)))
    report.start_index()
    report.wait()
    return report


@pytest.fixture(scope="module")
def view_of(shared_cache: Path) -> Iterator[Any]:
    """Gives the Objects of a sample by name, and their nodes: all of a small one."""
    reports: list[Report] = []

    @cache
    def view(name: str) -> tuple[Any, Any, dict[int, list[str]]]:
        reports.append(opened(FILES[name], shared_cache / "coffeetree"))
        found: Any = reports[-1].view("Objects")
        nodes = np.arange(0, found.vertices, 1 if found.vertices < 10_000 else EVERY)
        return found, nodes, {node: said(found, node) for node in nodes.tolist()}

    yield view
    for report in reports:
        report.close()


def said(view: Any, node: int) -> list[str]:
    """Returns the searchable texts of an object."""
    objects = view.objects
    name, value = objects.label(node), objects.value(node, 10_000)
    return [name, f"0x{view.graph.id(node):x}", *([f"{name} {value}"] if value else [])]


def found_by(view: Any, nodes: Any, text: str) -> dict[str, list[int]]:
    return {kind: nodes[which].tolist() for kind, which in view.finder(compile_pattern(text)).find(nodes).items()}


PATTERNS = (
    "String", 'String "java', "alpha", "Integer 2", "Date", "20", "-0", r"\d{4}", r"^java\.lang\.Integer \d$", "cafe",
    "0x", "true", "of ", r"\v[äöü]", "[]", "!String", "class java", "zzzqq",
)  # fmt: skip


@pytest.mark.parametrize("text", PATTERNS)
@pytest.mark.parametrize("name", FILES)
def test_matches_are_in_names_values_and_ids_of_objects(view_of: Any, name: str, text: str) -> None:
    view, nodes, texts = view_of(name)
    found, pattern = found_by(view, nodes, text), compile_pattern(text)
    for kind in [each for each, expression in (("regex", pattern.regex), ("text", pattern.plain)) if expression]:
        taken = pattern.resolved("regex" if kind == "regex" else "text")
        expected = [node for node, said in texts.items() if all_or_any(taken, said)]
        assert found[kind] == expected


def all_or_any(pattern: Any, texts: list[str]) -> bool:
    """Returns True if a pattern matches any text; if a negated one matches all."""
    return all(map(pattern.matches, texts)) if pattern.is_negated else any(map(pattern.matches, texts))


def test_nodes_may_be_asked_for_in_any_order(view_of: Any) -> None:
    view, nodes, _ = view_of("collections")
    (forwards,) = found_by(view, nodes, r"\Valpha").values()
    (backwards,) = found_by(view, nodes[::-1], r"\Valpha").values()
    assert forwards
    assert backwards == forwards[::-1]


def test_a_text_that_many_strings_share_is_found_in_each_part_of_it(tmp_path: Path) -> None:
    data = string_dump(
        OLD,
        text_array(400, CHARS, "x".encode("utf-16-be") * 3_000_000 + "needle".encode("utf-16-be")),
        *(old(32 + 8 * number, 400, 2_999_990 + number % 2 * 100, 20) for number in range(40)),
    )
    path = tmp_path / "shared.hprof"
    path.write_bytes(data)
    report = opened(path, tmp_path / "cache")
    view: Any = report.view("Objects")
    ids = [view.graph.id(node) for node in found_by(view, np.arange(view.vertices), "needle")["text"]]
    report.close()
    assert ids == [32 + 8 * number for number in range(0, 40, 2)]


def test_an_expression_that_could_take_for_ever_is_tried_by_the_patient_only(tmp_path: Path) -> None:
    data = string_dump(COMPACT, text_array(400, 8, b"aaaab"), compact(32, 400, 0), root(32))
    path = tmp_path / "one.hprof"
    path.write_bytes(data)
    report = opened(path, tmp_path / "cache")
    view: Any = report.view("Objects")
    pattern = compile_pattern(r"\v(a+)+b")
    found = view.finder(pattern, is_patient=True).find(np.arange(view.vertices))["regex"]
    assert view.finder(pattern).find(np.arange(view.vertices)) == {}
    report.close()
    assert found.tolist() == [False, False, True]


STRING_PATTERNS = ("SKU", r"^SHIPP?ED$", "String", "a*", "!e", "^$", "no text", r"\w+\.\w+$", "é", "zzzqq")


@pytest.mark.parametrize("text", STRING_PATTERNS)
@pytest.mark.parametrize("name", ["collections", "chars", "agent"])
def test_matches_in_strings_equal_matches_in_their_labels(view_of: Any, name: str, text: str) -> None:
    view = view_of(name)[0]._heap.view("Strings")
    pattern, labels = compile_pattern(text), view.labels(0, view.vertices)
    start = min(3, view.vertices)
    for kind, holds in view.finder(pattern).find(np.arange(start, view.vertices)).items():
        taken = pattern.resolved(kind)
        assert holds.tolist() == [taken.matches(label) for label in labels[start:]]
