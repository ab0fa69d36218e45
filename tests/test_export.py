"""`export`: what is written can be read back, and says the same as the report."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from conftest import Answer

from parsers.export.collapsed import collapsed
from parsers.export.sample import Frame, Sample
from parsers.export.speedscope import SCHEMA, speedscope

CORPUS = Path(__file__).parent / "corpus" / "hprof" / "text"
SAMPLES = CORPUS / "javac-samples-depth30.txt.xz"
TIMES = CORPUS / "quit-times.txt.xz"
SITES = CORPUS / "quit-sites.txt.xz"

Run = Callable[..., Answer]

MAIN, RUN, ODD = Frame(0, "A.main", 3), Frame(1, "A.run"), Frame(2, "a;b\nc")


def test_a_stack_is_a_line_once() -> None:
    samples = [Sample((MAIN, RUN), (2.0,)), Sample((MAIN,), (1.0,)), Sample((MAIN, RUN), (3.0,))]

    assert list(collapsed(samples, "count")) == ["A.main;A.run 5\n", "A.main 1\n"]


def test_what_would_end_a_frame_or_a_line_is_written_otherwise() -> None:
    assert list(collapsed([Sample((MAIN, ODD), (1.0,)), Sample((), (2.0,))], "count")) == [
        "A.main;a,b c 1\n",
        "(no frames) 2\n",
    ]


def test_milliseconds_are_told_in_microseconds_and_nothing_weighs_less_than_nothing() -> None:
    assert list(collapsed([Sample((MAIN,), (1.25,)), Sample((RUN,), (-1.0,))], "ms")) == ["A.main 1250\n"]


def test_speedscope_has_a_profile_for_each_value() -> None:
    samples = [Sample((MAIN, RUN), (2.0, 0.5)), Sample((MAIN,), (0.0, 1.0))]

    document = json.loads("".join(speedscope("x", [("samples", "count"), ("ms", "ms")], samples, "coffeetree")))

    assert document["$schema"] == SCHEMA
    assert document["shared"]["frames"] == [{"name": "A.main", "line": 3}, {"name": "A.run"}]
    assert [(each["unit"], each["samples"], each["weights"], each["endValue"]) for each in document["profiles"]] == [
        ("none", [[0, 1]], [2], 2),
        ("microseconds", [[0, 1], [0]], [500, 1000], 1500),
    ]


def own_weights(lines: str) -> dict[str, int]:
    """Weight by the innermost frame, read back from collapsed stacks."""
    found: dict[str, int] = {}
    for line in lines.splitlines():
        stack, _, weight = line.rpartition(" ")
        top = stack.rpartition(";")[2]
        found[top] = found.get(top, 0) + int(weight)
    return found


def test_collapsed_samples_add_up_to_the_table(coffeetree: Run, cache_folder: Path) -> None:
    written = coffeetree("export", "--to", "collapsed", SAMPLES, "-")
    rows = coffeetree("tree", "--json", "--view", "CPU samples", "--depth", "0", "--limit", "all", SAMPLES).rows

    table = {row["label"]: row["badges"]["self"] for row in rows if row["badges"]["self"]}
    assert written.status == 0
    assert own_weights(written.out) == table
    assert sum(table.values()) == 7484


def test_a_speedscope_file_holds_the_same_time_as_the_table(
    coffeetree: Run, cache_folder: Path, tmp_path: Path
) -> None:
    out = tmp_path / "profile.json"

    assert coffeetree("export", "--to", "speedscope", "--view", "CPU time", TIMES, out).status == 0

    document = json.loads(out.read_text("utf-8"))
    time, calls = document["profiles"]
    rows = coffeetree("tree", "--json", "--view", "CPU time", "--depth", "0", "--limit", "all", TIMES).rows
    assert time["unit"] == "microseconds"
    assert time["endValue"] / 1000 == pytest.approx(sum(row["badges"]["self"] for row in rows), abs=1)
    assert calls["endValue"] == sum(row["badges"]["calls"] for row in rows)
    assert max(number for stack in time["samples"] for number in stack) < len(document["shared"]["frames"])


def test_only_stacks_through_a_node(coffeetree: Run, cache_folder: Path) -> None:
    method = "com.sun.tools.javac.comp.Attr.visitAssignop"
    written = coffeetree("export", "--to", "collapsed", "--view", "Callers", "--at", "node:0", SAMPLES, "-")
    root = coffeetree("show", "--json", "--view", "Callers", SAMPLES, "node:0").json["row"]

    assert own_weights(written.out) == {root["label"]: root["badges"]["total"]}
    assert method not in own_weights(written.out)


def test_csv_has_the_rows_and_columns_of_the_view(coffeetree: Run, cache_folder: Path) -> None:
    written = coffeetree("export", "--to", "csv", "--view", "Allocation sites", "--depth", "0", SITES, "-")
    rows = coffeetree("tree", "--json", "--view", "Allocation sites", "--depth", "0", "--limit", "all", SITES).rows

    read: list[dict[str, Any]] = list(csv.DictReader(StringIO(written.out, newline="")))
    assert [row["label"] for row in read] == [row["label"] for row in rows]
    assert [int(row["self"]) for row in read] == [row["badges"]["self"] for row in rows]
    assert {"depth", "kind", "label", "live_objects", "allocated_bytes", "ref"} <= set(read[0])


def test_json_is_one_document_of_the_rows_that_tree_prints(coffeetree: Run, cache_folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "rows.json"

    assert coffeetree("export", "--to", "json", "--view", "Call tree", SAMPLES, out).status == 0

    rows = coffeetree("tree", "--json", "--view", "Call tree", "--depth", "all", "--limit", "all", SAMPLES).rows
    assert json.loads(out.read_text("utf-8")) == rows


def test_what_is_no_profile_is_said_so(coffeetree: Run, cache_folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"

    answer = coffeetree("export", "--to", "collapsed", "--view", "Traces", SAMPLES, out)

    assert answer.status == 2
    assert "is no profile" in answer.err
    assert not out.exists()


def test_an_unknown_format_names_the_known_ones(coffeetree: Run, cache_folder: Path) -> None:
    answer = coffeetree("export", "--to", "svg", SAMPLES, "-")

    assert answer.status == 2
    assert "collapsed, speedscope, csv, json" in answer.err
