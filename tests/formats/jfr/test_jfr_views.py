"""The views of a recording: events by type, with all fields in their units; profiles; threads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from conftest import TESTS, Answer

from parsers.io.cache import Cache
from parsers.query.search.pattern import compile_pattern
from parsers.runtime.opening import open_report

CORPUS = TESTS / "corpus" / "jfr"

MOST_EVENTS = 50
"""Events of a type that are searched, evenly spread."""

Run = Callable[..., Answer]


def fields_of(shown: dict[str, Any]) -> dict[str, str]:
    """Returns the fields of an event in the side pane."""
    return {row["label"]: row["text"] for row in shown["sections"][0]["rows"]}


def test_types_come_with_count_size_and_rate(coffeetree: Run) -> None:
    rows = coffeetree("tree", "--json", "--view", "Events", "--depth", "0", CORPUS / "jdk25-stuck.jfr.xz").rows
    counts = [row["badges"]["events"] for row in rows]
    assert counts == sorted(counts, reverse=True)
    assert sum(counts) == 2_254
    assert all(row["badges"]["bytes"] > 0 and "rate" in row["badges"] for row in rows)


def test_an_event_shows_its_fields_in_their_units(coffeetree: Run) -> None:
    shown = coffeetree("show", "--json", CORPUS / "jdk25-stuck.jfr.xz", "event:jdk.JavaMonitorEnter#1").json
    fields = fields_of(shown)
    assert fields["monitorClass"] == "java.lang.Object"
    assert fields["address"].startswith("0x")
    assert fields["duration"].endswith((" s", " ms", " µs", " ns"))
    assert shown["sections"][1]["title"] == "Stack"


def test_fields_of_an_application_s_events_are_shown(coffeetree: Run) -> None:
    rows = coffeetree("tree", "--json", "--view", "Events", "--depth", "0", CORPUS / "jdk25-custom.jfr.xz").rows
    names = [row["label"] for row in rows if not row["label"].startswith("jdk.")]
    assert names
    for name in names:
        shown = coffeetree("show", "--json", CORPUS / "jdk25-custom.jfr.xz", f"event:{name}#1").json
        assert "the other fields" not in fields_of(shown)


def test_a_ref_that_names_no_event_is_refused(coffeetree: Run) -> None:
    answer = coffeetree("show", CORPUS / "jdk25-stuck.jfr.xz", "event:jdk.JavaMonitorEnter#999999")
    assert answer.status != 0
    assert "no such event" in answer.err


def test_the_call_tree_has_the_samples_by_method(coffeetree: Run) -> None:
    rows = coffeetree("tree", "--json", "--view", "Methods", "--depth", "0", CORPUS / "jdk8-profile.jfr.xz").rows
    assert sum(row["badges"].get("self", 0) for row in rows) == 277
    tree = coffeetree("tree", "--json", "--view", "Call tree", "--depth", "0", CORPUS / "jdk8-profile.jfr.xz").rows
    assert sum(row["badges"]["total"] for row in tree) == 277


def test_truncated_stacks_have_a_root_of_their_own(coffeetree: Run) -> None:
    rows = coffeetree("tree", "--json", "--view", "Call tree", "--depth", "0", CORPUS / "jdk17-deep512.jfr.xz").rows
    assert "(stack truncated)" in [row["label"] for row in rows]


def test_wall_clock_samples_count_with_their_weights(coffeetree: Run) -> None:
    rows = coffeetree("tree", "--json", "--view", "Call tree", "--depth", "0", CORPUS / "ap4-wall-live.jfr.xz").rows
    assert sum(row["badges"]["total"] for row in rows) == 8_315


def test_unnamed_virtual_threads_are_one_row(coffeetree: Run) -> None:
    rows = coffeetree("tree", "--json", "--view", "Threads", "--depth", "1", CORPUS / "jdk25-light.jfr.xz").rows
    assert "810 virtual threads without names" in [row["label"] for row in rows]


def test_threads_have_all_events_with_a_thread(coffeetree: Run) -> None:
    rows = coffeetree("tree", "--json", "--view", "Threads", "--depth", "all", CORPUS / "ap4-jfrsync.jfr.xz").rows
    threads = sum(row["badges"]["events"] for row in rows if row["ref"].startswith("thread:"))
    assert threads == sum(row["badges"]["events"] for row in rows if row["depth"] == 0)


@pytest.mark.parametrize("sample", ["jdk25-profile", "jdk17-scrubbed", "ap4-jfrsync", "odd-cut-60-percent"])
def test_events_are_found_by_the_values_that_their_labels_show(sample: str, cache: Cache) -> None:
    report: Any = open_report([str(CORPUS / f"{sample}.jfr.xz")], cache=cache)
    report.wait()
    view = report.view("Events")
    rows = view.rows
    nodes = [
        rows.node(group, leaf)
        for group in range(rows.groups)
        for leaf in (-1, *range(0, rows.leaves(group), rows.leaves(group) // MOST_EVENTS + 1))
    ]
    labels = [view.labels(node, node + 1)[0] for node in nodes]
    for text in ("main", "=true", "Class=java", "null", "128", "jdk.Thread", "nothing like this", "!a"):
        pattern = compile_pattern(text, "text")
        found = view.finder(pattern).find(np.array(nodes))["text"]
        assert found.tolist() == [pattern.matches(label) for label in labels], text
    report.close()


def test_ids_are_shown_and_found_without_separators(coffeetree: Run) -> None:
    path = CORPUS / "jdk25-all.jfr.xz"
    shown = coffeetree("show", "--json", path, "event:jdk.Compilation#1").json
    fields = fields_of(shown)
    assert (fields["compileId"], fields["codeSize"]) == ("1524", "11,008 bytes")
    assert "compileId 1524: jdk.CompilerPhase" in [link["label"] for link in shown["links"]]
    # One compilation, its phases, inlining decisions and uncommon traps.
    assert coffeetree("find", "--json", "--count", path, "compileId=1524").json == {"count": 1 + 92 + 61 + 1}
    (row,) = coffeetree("tree", "--limit", "1", "--view", "jdk.Compilation", path).out.splitlines()[2:]
    assert row.split()[6:9] == ["1524", "c2", "4"]
    assert coffeetree("tree", "--depth", "0", "--view", "System", path).out.splitlines()[2].split()[1] == "20138"


def test_events_of_a_type_are_found_by_text(coffeetree: Run) -> None:
    found = coffeetree(
        "find", "--json", "--view", "jdk.JavaMonitorEnter", CORPUS / "jdk25-stuck.jfr.xz", "monitorClass=java"
    ).rows
    rows = coffeetree("tree", "--json", "--view", "jdk.JavaMonitorEnter", CORPUS / "jdk25-stuck.jfr.xz").rows
    wanted = [row["ref"] for row in rows if str(row["badges"]["monitorClass"]).startswith("java")]
    assert wanted
    assert [row["ref"] for row in found] == wanted
