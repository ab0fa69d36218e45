"""Every number of the old profilers' `truth.json`, asked through the headless commands."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import TESTS, Answer

CORPUS = TESTS / "corpus" / "jdkprofilers"
TRUTH: dict[str, Any] = json.loads((CORPUS / "truth.json").read_text("utf-8"))
PAIRS = [name for name, truth in TRUTH.items() if "java_prof" in truth]
DUMPS = [name for name, truth in TRUTH.items() if "sections" in truth]
PROFILES = [name for name, truth in TRUTH.items() if "xprof" in truth]

Run = Callable[..., Answer]
SECTIONS = {"rows", "code", "native", "elided"}


def path_of(name: str) -> Path:
    path = CORPUS / name
    return path if path.exists() else CORPUS / f"{name}.xz"


@pytest.mark.parametrize("name", TRUTH)
def test_info_shows_format_and_sizes(name: str, coffeetree: Run) -> None:
    truth, answer = TRUTH[name], coffeetree("info", "--json", path_of(name))
    info = answer.json
    assert (answer.status, info["problems"]) == (0, [])
    assert (info["format"], info["bytes"], info["line_end"]) == (truth["format"], truth["bytes"], "lf")
    assert info["totals"]["lines"] == truth.get("lines", truth.get("totals", {}).get("lines"))


@pytest.mark.parametrize("name", PAIRS)
def test_totals_of_pairs(name: str, coffeetree: Run) -> None:
    truth = TRUTH[name]["java_prof"]
    totals = coffeetree("info", "--json", path_of(name)).json["totals"]["java_prof"]
    for key, value in truth.items():
        if isinstance(value, int | bool) or key == "class_separator":
            assert (key, totals[key]) == (key, value)
    assert totals["rows_without_callee"] == len(truth["rows_without_callee"])
    heap = {key: value for key, value in truth.get("heap", {}).items() if isinstance(value, int)}
    assert totals.get("heap", {}) == heap


@pytest.mark.parametrize("name", PAIRS)
def test_top_pairs(name: str, coffeetree: Run) -> None:
    rows = coffeetree("tree", "--json", "--view", "Caller pairs", "--limit", "all", path_of(name)).rows
    pairs = [row["badges"] for row in rows if row["kind"] == "pair" and not row["label"].startswith("(not recorded)")]
    known = {(badges["count"], badges["time"]) for badges in pairs}
    for order, place in (("count", 0), ("time", 3)):
        top = TRUTH[name]["java_prof"][f"top_pairs_by_{order}"]
        ranked = sorted((badges[order] for badges in pairs), reverse=True)[: len(top)]
        assert ranked == sorted((row[place] for row in top), reverse=True)
        assert {(row[0], row[3]) for row in top} <= known


@pytest.mark.parametrize("name", PAIRS)
def test_methods_add_up_their_pairs(name: str, coffeetree: Run) -> None:
    truth = TRUTH[name]["java_prof"]
    rows = coffeetree("tree", "--json", "--view", "Methods", "--depth", "0", "--limit", "all", path_of(name)).rows
    top = sorted((row["badges"]["count"] for row in rows), reverse=True)[: len(truth["top_callees_by_calls"])]
    assert top == [calls for calls, _ in truth["top_callees_by_calls"]]
    most = max(row["badges"]["callers"] for row in rows)
    assert most == truth["most_callers"][0][0]


@pytest.mark.parametrize("name", [name for name in PAIRS if "heap" in TRUTH[name]["java_prof"]])
def test_classes_of_the_heap_part(name: str, coffeetree: Run) -> None:
    for ref, instances, size in (
        ("class:char[]", 174, 19060),
        ("class:byte[]", 5, 19200),
        ("class:java.util.HashtableEntry", 219, 3504),
        ("class:java.util.HashtableEntry[]", 3, 4412),
        ("class:java.lang.String", 88, 1408),
    ):
        row = coffeetree("show", "--json", path_of(name), ref).json["row"]
        assert (ref, row["badges"]["instances"], row["badges"]["bytes"]) == (ref, instances, size)
    rows = coffeetree("tree", "--json", "--depth", "all", "--limit", "all", path_of(name)).rows
    arrays = [list(row["badges"].values()) for row in rows if row["kind"] == "type"]
    assert arrays == [row[1:] for row in TRUTH[name]["java_prof"]["heap"]["primitive_arrays"]]


@pytest.mark.parametrize("name", DUMPS)
def test_dumps_of_one_file(name: str, coffeetree: Run) -> None:
    truth, info = TRUTH[name], coffeetree("info", "--json", path_of(name)).json
    assert {key: info["totals"].get(key, 0) for key in truth["totals"]} == truth["totals"]
    expected = [(each["offset"], each["rows"], each["calls"], each["time"]) for each in truth["sections"]]
    if len(expected) > 1:
        runs = [(run["offset"], *run["totals"].values()) for run in info["runs"]]
        assert runs == expected
        rows = coffeetree("tree", "--json", "--depth", "0", path_of(name)).rows
        badges = [row["badges"] for row in rows]
        dumps = [(each["pairs"], each["count"], each["time"]) for each in badges]
        assert [(row["offset"], *dump) for row, dump in zip(rows, dumps, strict=True)] == expected


@pytest.mark.parametrize("name", PROFILES)
def test_totals_of_flat_profiles(name: str, coffeetree: Run) -> None:
    truth, totals = TRUTH[name], coffeetree("info", "--json", path_of(name)).json["totals"]
    assert totals["xprof"] == {key: value for key, value in truth["xprof"].items() if key != "blocks"}
    if "lines_of_program_output" in truth:
        assert totals["lines_of_program_output"] == truth["lines_of_program_output"]


@pytest.mark.parametrize("name", PROFILES)
def test_threads_with_their_sections_and_labels(name: str, coffeetree: Run) -> None:
    rows = coffeetree("tree", "--json", "--view", "Threads", "--depth", "all", "--limit", "all", path_of(name)).rows
    blocks: list[Any] = []
    for row in rows:
        badges = row["badges"]
        if row["depth"] == 0:
            in_block = row["kind"] == "thread"
            if in_block:
                blocks.append((row["label"], badges["seconds"], badges["ticks"], [], []))
        elif in_block and row["kind"] == "section":
            blocks[-1][3].append((row["label"], badges["rows"], badges["share"], badges["code"], badges["native"], []))
        elif in_block and row["kind"] == "method":
            blocks[-1][3][-1][5].append([badges["share"], badges["code"], badges["native"], row["label"]])
        elif in_block and row["kind"] == "ticks" and row["label"] != "Lost ticks":
            blocks[-1][4].append([badges["share"], badges["ticks"], row["label"]])
    truth = TRUTH[name]["xprof"]["blocks"]
    found = [(label, seconds, ticks, labels) for label, seconds, ticks, _, labels in blocks]
    assert found == [(each["thread"], each["secs"], each["ticks"], each["thread_local"]) for each in truth]
    for block, expected in zip(blocks, truth, strict=True):
        sections = [section[:5] for section in block[3]]
        totals = [(each["kind"], each["rows"], *each["total"].values()) for each in expected["sections"]]
        assert sections == totals
        tops = [section[5][: len(each["top"])] for section, each in zip(block[3], expected["sections"], strict=True)]
        assert tops == [each["top"] for each in expected["sections"]]


@pytest.mark.parametrize("name", PROFILES)
def test_methods_have_all_ticks_of_the_rows(name: str, coffeetree: Run) -> None:
    rows = coffeetree("tree", "--json", "--depth", "0", "--limit", "all", path_of(name)).rows
    sections = [section for block in TRUTH[name]["xprof"]["blocks"] for section in block["sections"]]
    assert sum(row["badges"]["code"] for row in rows) == sum(each["code"] for each in sections)
    assert sum(row["badges"]["native"] for row in rows) == sum(each["native"] for each in sections)
    assert sum(row["badges"]["rows"] for row in rows) == TRUTH[name]["xprof"]["rows_total"]


def test_ticks_of_rows_that_were_left_out(coffeetree: Run) -> None:
    path = path_of("xprof_javac_elided.txt")
    rows = coffeetree("tree", "--json", "--view", "Threads", "--depth", "all", path).rows
    elided = [row for row in rows if row["kind"] == "elided"]
    assert [(row["label"], row["badges"]["ticks"]) for row in elided] == [("rows that were left out", 79 - 44)]


def test_lost_ticks_are_in_a_block_of_their_own(coffeetree: Run) -> None:
    path = path_of("xprof_bytecodes.txt")
    row = coffeetree("show", "--json", path, "thread:10").json["row"]
    assert (row["label"], row["badges"]["ticks"]) == ("VM Thread", 0)
    below = coffeetree("tree", "--json", "--view", "Threads", "--at", "thread:10", path).rows
    assert [(each["label"], each["badges"]["ticks"]) for each in below[1:]] == [("Lost ticks", 52)]


def test_classes_of_an_allocation_profile(coffeetree: Run) -> None:
    path, truth = path_of("SYNTH_xaprof.txt"), TRUTH["SYNTH_xaprof.txt"]["xaprof"]["tables"][0]
    totals = coffeetree("info", "--json", path).json["totals"]["xaprof"]
    assert totals == {"tables": [{key: value for key, value in truth.items() if key != "top"}]}
    rows = [row for row in coffeetree("tree", "--json", path).rows if row["kind"] == "class"]
    found = [[row["badges"]["bytes"], row["badges"]["instances"], row["badges"]["average"]] for row in rows]
    assert found == [row[:3] for row in truth["top"]]
    assert [row["label"] for row in rows][:3] == ["int[]", "char[]", "java.lang.FDBigInt"]
    assert rows[-1]["label"] == "java.util.Hashtable$Entry[]"
