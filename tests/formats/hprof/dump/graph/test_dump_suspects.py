"""The view "Suspects" of binary heap dumps: who holds most, by what, and what piles up there."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from conftest import Answer
from heap_dumps import NODE, TRUTH, WITH_HEAP, class_dump, header, names, record, root, sample_path

from parsers.io.cache import Cache
from parsers.runtime.opening import open_report

Run = Callable[..., Answer]
SAMPLE = sample_path("jdk17.hprof")


@pytest.fixture(scope="module")
def folder(shared_cache: Path) -> str:
    return str(shared_cache / "coffeetree")


@pytest.fixture
def ask(coffeetree: Run, folder: str) -> Run:
    """Asks with JSON as the answer."""
    return lambda command, *words: coffeetree(command, "--json", "--cache-dir", folder, *words)


def rows(ask: Run, path: Path, *words: object) -> list[dict[str, Any]]:
    return ask("tree", "--view", "Suspects", "--depth", "all", *words, path).rows


def below(found: list[dict[str, Any]], heading: str) -> list[str]:
    """Labels below the first heading that begins so."""
    start = next(place for place, row in enumerate(found) if row["label"].startswith(heading)) + 1
    labels = []
    for row in found[start:]:
        if row["depth"] < 2:
            break
        labels.append(row["label"])
    return labels


def test_the_first_suspect_retains_most_and_shows_what_accumulates_there(ask: Run) -> None:
    first, second = ask("tree", "--view", "Suspects", "--depth", "0", SAMPLE).rows
    assert first["label"] == "class ObjectGraph, 2,359 ObjectGraph$Customer"
    assert second["label"] == "class ObjectGraph, static ROOTS: java.util.ArrayList, 10,005 ObjectGraph$Link"
    whole, roots = TRUTH["jdk17.hprof"]["retained_top"][:2]
    assert first["badges"]["retained"] == whole["retained"] - roots["retained"]
    assert first["ref"] == f"object:{whole['object']}"


def test_the_path_from_a_root_leads_to_it_step_by_step(ask: Run) -> None:
    found = rows(ask, SAMPLE, "--at", "node:20")
    assert below(found, "the shortest path") == [
        "system class",
        "class sun.launcher.LauncherHelper",
        "static appClass: class ObjectGraph",
        "static ROOTS: java.util.ArrayList",
        "elementData: java.lang.Object[]",
    ]


def test_retained_objects_are_counted_by_class(ask: Run) -> None:
    found = rows(ask, SAMPLE, "--at", "node:20")
    counts = {row["label"]: row["badges"]["objects"] for row in found if row["kind"] == "class"}
    assert counts["ObjectGraph$Link"] == 10_005


def test_every_row_of_an_object_leads_to_it(ask: Run) -> None:
    answer = ask("show", "--view", "Suspects", SAMPLE, "node:0").json
    assert answer["sections"][0]["title"] == "Suspect"
    assert {link["label"] for link in answer["links"]} >= {"what it retains", "the object", "referrers"}
    why = ask("why", "--view", "Suspects", SAMPLE, "node:0").rows[0]
    assert why["path"][-1]["label"] == "static appClass: class ObjectGraph"


def test_objects_that_no_single_one_holds_are_suspected_by_class(ask: Run) -> None:
    path = sample_path("jdk25-virtual-threads.hprof")
    found = rows(ask, path)
    assert found[0]["label"] == "8,298 java.lang.String that no single object holds"
    assert [(row["label"], row["badges"]["objects"]) for row in found[2:7]] == [
        ("java.lang.Object[] […]", 2385),
        ("java.util.concurrent.ConcurrentHashMap$Node key", 121),
        ("jdk.internal.module.ServicesCatalog$ServiceProvider providerName", 28),
        ("java.util.ImmutableCollections$List12 e0", 26),
        ("java.lang.module.ModuleDescriptor$Provides service", 9),
    ]
    assert below(found, "what they hold, by class") == ["byte[]", "java.lang.String"]


def test_classes_of_referrers_are_shortened_as_others_are(folder: str) -> None:
    report = open_report([str(sample_path("jdk25-virtual-threads.hprof"))], cache=Cache(folder))
    with closing(report):
        report.wait()
        rows = [report.view("Suspects").tree.row(node) for node in range(8)]
        row = next(row for row in rows if row.label == "java.util.concurrent.ConcurrentHashMap$Node key")
        texts = {span.role: row.label[span.start : span.end] for span in row.spans}
        assert texts["package"] == "java.util.concurrent"
        assert texts["name"] == "key"


def test_without_roots_nothing_is_known(ask: Run) -> None:
    (row,) = rows(ask, sample_path("jdk17-disk-full.hprof"))
    assert row["label"] == "no root is in the file, so what holds what is not known"


def test_a_heap_without_suspects_is_reported(ask: Run, tmp_path: Path) -> None:
    path = tmp_path / "twelve-classes.hprof"
    heap = b"".join(class_dump(NODE + 8 * each) + root(NODE + 8 * each) for each in range(12))
    path.write_bytes(header() + names() + record(0x1C, heap) + record(0x2C))
    found = [row["label"] for row in rows(ask, path)]
    assert found == [
        "nothing to suspect: no object and no class holds 10 % of the heap",
        "the object that retains most",
        "class Node",
    ]


@pytest.mark.parametrize("name", WITH_HEAP)
def test_suspects_of_every_sample_hold_no_more_than_there_is(name: str, ask: Run) -> None:
    found = ask("tree", "--view", "Suspects", "--depth", "0", sample_path(name)).rows
    suspects = [row["badges"]["retained"] for row in found if row["kind"] == "suspect"]
    reachable = TRUTH[name]["totals"].get("reachable_bytes", 0)
    assert suspects == sorted(suspects, reverse=True)
    assert sum(suspects) <= reachable
    assert all(bytes * 10 >= reachable - 10 for bytes in suspects)


def test_the_side_pane_of_a_heading_shows_its_suspect(ask: Run) -> None:
    first, heading = rows(ask, SAMPLE)[:2]
    assert heading["label"] == "the shortest path from a root"
    of_suspect, of_heading = (
        ask("show", "--view", "Suspects", SAMPLE, ref).json["sections"] for ref in (first["ref"], heading["ref"])
    )
    assert of_heading[0]["title"] == "Suspect"
    assert of_heading == of_suspect[:1]
