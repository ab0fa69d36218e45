"""`export`: what is written can be read back, and says the same as the report."""

from __future__ import annotations

import csv
import gzip
import json
import lzma
import re
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from conftest import TESTS, Answer

from parsers.model.row import Unit
from parsers.reporting.export.collapsed import collapsed
from parsers.reporting.export.pprof import pprof
from parsers.reporting.export.sample import Sample, SampleFrame
from parsers.reporting.export.speedscope import SCHEMA, speedscope
from parsers.reporting.export.table import as_text

CORPUS = TESTS / "corpus" / "hprof" / "text"
JDK_PROFILERS = TESTS / "corpus" / "jdkprofilers"
SAMPLES = CORPUS / "javac-samples-depth30.txt.xz"
TIMES = CORPUS / "quit-times.txt.xz"
SITES = CORPUS / "quit-sites.txt.xz"

Run = Callable[..., Answer]

MAIN, RUN, ODD = SampleFrame(0, "A.main", 3), SampleFrame(1, "A.run"), SampleFrame(2, "a;b\nc")


def test_a_stack_is_a_line_once() -> None:
    samples = [Sample((MAIN, RUN), (2.0,)), Sample((MAIN,), (1.0,)), Sample((MAIN, RUN), (3.0,))]

    assert list(collapsed(samples, "count", [].append)) == ["A.main;A.run 5\n", "A.main 1\n"]


def test_what_would_end_a_frame_or_a_line_is_written_otherwise() -> None:
    assert list(collapsed([Sample((MAIN, ODD), (1.0,)), Sample((), (2.0,))], "count", [].append)) == [
        "A.main;a,b c 1\n",
        "(no frames) 2\n",
    ]


def test_milliseconds_are_told_in_microseconds_and_nothing_weighs_less_than_nothing() -> None:
    left_out: list[int] = []
    samples = [Sample((MAIN,), (1.25,)), Sample((RUN,), (-1.0,)), Sample((ODD,), (0.0,))]
    assert list(collapsed(samples, "ms", left_out.append)) == ["A.main 1250\n"]
    assert left_out == [1]


def test_speedscope_has_a_profile_for_each_value() -> None:
    samples = [Sample((MAIN, RUN), (2.0, 0.5)), Sample((MAIN,), (0.0, 1.0)), Sample((MAIN,), (0.0, -1.0))]

    left_out: list[tuple[int, str]] = []
    values: list[tuple[str, Unit]] = [("samples", "count"), ("ms", "ms")]
    written = speedscope("x", values, samples, "coffeetree", lambda *each: left_out.append(each))
    document = json.loads("".join(written))
    assert left_out == [(0, "samples"), (1, "ms")]

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


def fields_of(data: bytes) -> list[tuple[int, Any]]:
    """Fields of a message of protocol buffers: numbers, and integers or bytes."""
    found: list[tuple[int, Any]] = []
    at = 0

    def integer() -> int:
        nonlocal at
        number = shift = 0
        while True:
            byte, at = data[at], at + 1
            number, shift = number | (byte & 0x7F) << shift, shift + 7
            if byte < 0x80:
                return number - (1 << 64) if number >> 63 else number

    while at < len(data):
        tag = integer()
        value = integer()
        if tag & 7 == 2:
            found.append((tag >> 3, data[at : at + value]))
            at += value
        else:
            found.append((tag >> 3, value))
    return found


def integers(data: bytes) -> list[int]:
    """Packed integers."""
    return [number for at, number in fields_of(b"".join(b"\x08" + bytes(each) for each in split_integers(data)))]


def split_integers(data: bytes) -> list[list[int]]:
    """The bytes of each packed integer."""
    parts: list[list[int]] = [[]]
    for byte in data:
        parts[-1].append(byte)
        if byte < 0x80:
            parts.append([])
    return parts[:-1]


def decoded(data: bytes) -> tuple[list[tuple[str, str]], list[tuple[list[tuple[str, int]], list[int]]]]:
    """Titles and units of the values of a pprof file; its stacks, innermost first, as names and lines, with weights."""
    fields = fields_of(gzip.decompress(data))
    strings = [value.decode() for field, value in fields if field == 6]
    functions, places = {}, {}
    for field, value in fields:
        parts = dict(fields_of(value)) if field in (4, 5) else {}
        if field == 5:
            functions[parts[1]] = strings[parts[2]]
        if field == 4:
            places[parts[1]] = dict(fields_of(parts[4]))
    types = [dict(fields_of(value)) for field, value in fields if field == 1]
    samples = []
    for field, value in fields:
        if field == 2:
            parts = dict(fields_of(value))
            lines = [places[number] for number in integers(parts[1])]
            stack = [(functions[line[1]], line.get(2, 0)) for line in lines]
            samples.append((stack, integers(parts[2])))
    return [(strings[each[1]], strings[each[2]]) for each in types], samples


def test_pprof_has_stacks_innermost_first_with_all_values() -> None:
    samples = [Sample((MAIN, RUN), (2.0, 0.5)), Sample((MAIN,), (300.0, -1.0)), Sample((), (1.0, 0.0))]
    values: list[tuple[str, Unit]] = [("samples", "count"), ("time", "ms")]
    data = b"".join(pprof("x", values, samples, "coffeetree"))
    assert decoded(data) == (
        [("samples", "count"), ("time", "microseconds")],
        [
            ([("A.run", 0), ("A.main", 3)], [2, 500]),
            ([("A.main", 3)], [300, -1000]),
            ([], [1, 0]),
        ],
    )
    assert data == b"".join(pprof("x", values, samples, "coffeetree"))


def test_a_pprof_file_holds_the_same_stacks_as_collapsed_ones(coffeetree: Run, tmp_path: Path) -> None:
    path = tmp_path / "profile.pb.gz"
    assert coffeetree("export", "--to", "pprof", SAMPLES, path).status == 0
    lines = coffeetree("export", "--to", "collapsed", SAMPLES, "-").out.splitlines()
    weights: dict[str, int] = {}
    for stack, values in decoded(path.read_bytes())[1]:
        name = ";".join(method for method, _ in reversed(stack)) or "(no frames)"
        weights[name] = weights.get(name, 0) + values[0]
    assert weights == {line.rpartition(" ")[0]: int(line.rpartition(" ")[2]) for line in lines}


def test_collapsed_samples_add_up_to_the_table(coffeetree: Run) -> None:
    written = coffeetree("export", "--to", "collapsed", SAMPLES, "-")
    rows = coffeetree("tree", "--json", "--view", "CPU samples", "--depth", "0", "--limit", "all", SAMPLES).rows

    table = {row["label"]: row["badges"]["self"] for row in rows if row["badges"]["self"]}
    assert written.status == 0
    assert own_weights(written.out) == table
    assert sum(table.values()) == 7484


def test_a_speedscope_file_holds_the_same_time_as_the_table(coffeetree: Run, tmp_path: Path) -> None:
    out = tmp_path / "profile.json"

    assert coffeetree("export", "--to", "speedscope", "--view", "CPU time", TIMES, out).status == 0

    document = json.loads(out.read_text("utf-8"))
    time, calls = document["profiles"]
    rows = coffeetree("tree", "--json", "--view", "CPU time", "--depth", "0", "--limit", "all", TIMES).rows
    assert time["unit"] == "microseconds"
    assert time["endValue"] / 1000 == pytest.approx(sum(row["badges"]["self"] for row in rows), abs=1)
    assert calls["endValue"] == sum(row["badges"]["calls"] for row in rows)
    assert max(number for stack in time["samples"] for number in stack) < len(document["shared"]["frames"])


def test_only_stacks_through_a_node(coffeetree: Run) -> None:
    method = "com.sun.tools.javac.comp.Attr.visitAssignop"
    written = coffeetree("export", "--to", "collapsed", "--view", "Callers", "--at", "node:0", SAMPLES, "-")
    root = coffeetree("show", "--json", "--view", "Callers", SAMPLES, "node:0").json["row"]

    assert own_weights(written.out) == {root["label"]: root["badges"]["total"]}
    assert method not in own_weights(written.out)


def test_csv_has_the_rows_and_columns_of_the_view(coffeetree: Run) -> None:
    written = coffeetree("export", "--to", "csv", "--view", "Allocation sites", "--depth", "0", SITES, "-")
    rows = coffeetree("tree", "--json", "--view", "Allocation sites", "--depth", "0", "--limit", "all", SITES).rows

    read: list[dict[str, Any]] = list(csv.DictReader(StringIO(written.out, newline="")))
    assert [row["label"] for row in read] == [row["label"] for row in rows]
    assert [int(row["self"]) for row in read] == [row["badges"]["self"] for row in rows]
    assert {"depth", "kind", "label", "live_objects", "allocated_bytes", "ref"} <= set(read[0])


FORMULAS = """\
VM Entry Points
├── entry =cmd.X.a():void id=0\x20
│   └── directly calls a.X.e():void id-ref=4 @bci=1\x20
├── entry +1.X.b():void id=1\x20
├── entry -2.X.c():void id=2\x20
├── entry @SUM.X.d():void id=3\x20
└── entry a.X.e():void id=4\x20

"""


@pytest.fixture
def formulas(tmp_path: Path) -> Path:
    path = tmp_path / "call_tree_app_20240101_101500.txt"
    path.write_text(FORMULAS, "utf-8")
    return path


SAFE = ["'=cmd.X.a():void", "'+1.X.b():void", "'-2.X.c():void", "'@SUM.X.d():void", "a.X.e():void"]


def test_safe_tables_hold_no_formulas(formulas: Path, coffeetree: Run) -> None:
    def labels(*words: object, column: str = "label") -> list[str]:
        written = coffeetree("export", "--to", *words, formulas, "-")
        assert written.status == 0
        return [row[column] for row in csv.DictReader(StringIO(written.out, newline=""))]

    assert labels("csv", "--depth", "0") == [label.removeprefix("'") for label in SAFE]
    assert labels("csv", "--depth", "0", "--safe") == SAFE
    assert sorted(labels("nodes", "--safe", column="name")) == sorted(SAFE)
    assert labels("edges", "--safe", column=":TYPE") == ["DIRECT"]
    ways = coffeetree("between", "--to", "nodes", "--safe", formulas, "=cmd*", "a.X.e*").out
    assert [row["name"] for row in csv.DictReader(StringIO(ways))] == ["'=cmd.X.a():void", "a.X.e():void"]


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        ("=1+1", "'=1+1"),
        ("\t=1", "'\t=1"),
        ("\uff1d1", "'\uff1d1"),
        ("-6->5", "'-6->5"),
        ("-6", "-6"),
        ("+1.5", "+1.5"),
        ("-1,234.5 %", "-1,234.5 %"),
        ("-2.5 ms", "-2.5 ms"),
        ("-2+A1 ms", "'-2+A1 ms"),
        (-6, -6),
        (None, None),
        ("", ""),
        ("a=b", "a=b"),
        ("'=1", "'=1"),
    ],
)
def test_numbers_are_no_formulas(cell: object, text: object) -> None:
    assert as_text(cell) == text


def test_safe_is_of_tables_only(formulas: Path, coffeetree: Run) -> None:
    for words in (("export", "--to", "json", "--safe", formulas, "-"), ("between", "--safe", formulas, "*", "*")):
        answer = coffeetree(*words)
        assert (answer.status, answer.out) == (2, "")
        assert "--safe quotes formulas of spreadsheets" in answer.err
    assert "texts that spreadsheets read as formulas: = + - @" in " ".join(coffeetree("export", "--help").out.split())


def test_json_is_one_document_of_the_rows_that_tree_prints(coffeetree: Run, tmp_path: Path) -> None:
    out, sample = tmp_path / "rows.json", CORPUS / "javac-samples-depth16-thread.txt.xz"

    assert coffeetree("export", "--to", "json", "--view", "Call tree", sample, out).status == 0

    rows = coffeetree("tree", "--json", "--view", "Call tree", "--depth", "all", "--limit", "all", sample).rows
    assert json.loads(out.read_text("utf-8")) == rows


def test_exporting_other_views_as_profiles_is_refused(coffeetree: Run, tmp_path: Path) -> None:
    out = tmp_path / "out"

    answer = coffeetree("export", "--to", "collapsed", "--view", "Traces", SAMPLES, out)

    assert answer.status == 2
    assert "is no profile" in answer.err
    assert not out.exists()


def test_an_unknown_format_names_the_known_ones(coffeetree: Run) -> None:
    answer = coffeetree("export", "--to", "svg", SAMPLES, "-")

    assert answer.status == 2
    assert "collapsed, speedscope, pprof, csv, json" in answer.err


def flame_graph(lines: str) -> dict[tuple[str, ...], float]:
    """Collapsed stacks as `flamegraph.pl` reads them: all up to the last blank is the stack, the rest a number."""
    found: dict[tuple[str, ...], float] = {}
    for line in lines.splitlines():
        read = re.fullmatch(r"(.*)\s+?(\d+(?:\.\d*)?)", line)
        assert read is not None
        stack = tuple(read[1].split(";"))
        assert stack not in found and all(frame.strip() for frame in stack)
        found[stack] = float(read[2])
    return found


@pytest.mark.parametrize("name", ["javac-samples-depth30", "quit-times", "quit-sites", "recursion-samples-depth200"])
@pytest.mark.parametrize("view", ["Call tree", "Callers"])
def test_stacks_of_a_tree_add_up_to_its_roots(name: str, view: str, coffeetree: Run, tmp_path: Path) -> None:
    report = CORPUS / f"{name}.txt.xz"
    stacks = flame_graph(coffeetree("export", "--to", "collapsed", "--view", view, report, "-").out)
    rows = coffeetree("tree", "--json", "--view", view, "--depth", "0", "--limit", "all", report).rows

    # Milliseconds are exported in thousandths, each stack rounded separately.
    scale = 1000 if name == "quit-times" else 1
    wanted = sum(row["badges"]["total"] for row in rows) * scale
    assert sum(stacks.values()) == pytest.approx(wanted, abs=len(stacks) + len(rows) * 5 if scale > 1 else 0)


UNITS = ("none", "nanoseconds", "microseconds", "milliseconds", "seconds", "bytes")


def check_speedscope(document: Any) -> None:
    """Requirements of speedscope's published schema for sampled profiles."""
    assert document["$schema"] == "https://www.speedscope.app/file-format-schema.json"
    assert set(document) <= {"$schema", "shared", "profiles", "name", "activeProfileIndex", "exporter"}
    frames = document["shared"]["frames"]
    for frame in frames:
        assert set(frame) <= {"name", "file", "line", "col"} and isinstance(frame["name"], str)
        assert isinstance(frame.get("line", 0), int)
    assert 0 <= document["activeProfileIndex"] < len(document["profiles"])
    for profile in document["profiles"]:
        assert set(profile) == {"type", "name", "unit", "startValue", "endValue", "samples", "weights"}
        assert profile["type"] == "sampled" and profile["unit"] in UNITS and isinstance(profile["name"], str)
        assert len(profile["samples"]) == len(profile["weights"])
        assert all(0 <= number < len(frames) for stack in profile["samples"] for number in stack)
        assert all(weight >= 0 for weight in profile["weights"])
        assert profile["endValue"] >= profile["startValue"] + sum(profile["weights"])


@pytest.mark.parametrize("name", ["javac-samples-depth30", "quit-times", "quit-sites", "longnames-samples"])
@pytest.mark.parametrize("view", ["", "Call tree", "Callers", "Flame"])
def test_a_speedscope_file_is_as_its_schema_asks(name: str, view: str, coffeetree: Run) -> None:
    asked = ("--view", view) if view else ()
    written = coffeetree("export", "--to", "speedscope", *asked, CORPUS / f"{name}.txt.xz", "-")

    check_speedscope(json.loads(written.out))


def test_sites_end_in_the_class_that_was_made(coffeetree: Run) -> None:
    written = coffeetree("export", "--to", "collapsed", "--view", "Allocation sites", SITES, "-")
    rows = coffeetree("tree", "--json", "--view", "Allocation sites", "--depth", "0", "--limit", "all", SITES).rows

    assert own_weights(written.out) == {row["label"]: row["badges"]["self"] for row in rows if row["badges"]["self"]}


def test_a_file_that_is_there_is_written_over_only_if_asked(coffeetree: Run, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.write_text("mine", "utf-8")

    refused = coffeetree("export", "--to", "collapsed", SAMPLES, out)
    assert (refused.status, out.read_text("utf-8")) == (2, "mine")
    assert "--force" in refused.err

    assert coffeetree("export", "--to", "collapsed", "--force", SAMPLES, out).status == 0
    assert out.read_text("utf-8") != "mine"


def test_the_report_itself_is_never_written_over(coffeetree: Run, tmp_path: Path) -> None:
    report = tmp_path / "java.hprof.txt.xz"
    report.write_bytes(SAMPLES.read_bytes())

    answer = coffeetree("export", "--to", "csv", "--force", report, report)

    assert answer.status == 2 and "the report itself" in answer.err
    assert report.read_bytes() == SAMPLES.read_bytes()


def test_a_damaged_report_gives_what_there_is(coffeetree: Run, tmp_path: Path) -> None:
    report, out = tmp_path / "cut.txt", tmp_path / "out"
    whole = lzma.decompress(SAMPLES.read_bytes())
    report.write_bytes(whole[: whole.index(b"CPU SAMPLES END") - 2000])

    answer = coffeetree("export", "--to", "collapsed", report, out)

    assert answer.status == 3 and "cut" in answer.err
    rows = coffeetree("tree", "--json", "--view", "CPU samples", "--depth", "0", "--limit", "all", report).rows
    kept = {row["label"]: row["badges"]["self"] for row in rows if row["badges"]["self"] and row["kind"] == "method"}
    assert own_weights(out.read_text("utf-8")) == kept


def test_suppressed_methods_count_for_their_callers(coffeetree: Run) -> None:
    asked = ("export", "--to", "collapsed", "--view", "CPU samples", SAMPLES, "-")
    whole = own_weights(coffeetree(*asked).out)
    folded = own_weights(coffeetree(*asked, "--suppress-methods", "com.sun.tools.javac.comp.Resolve.*").out)

    assert not any("comp.Resolve." in method for method in folded)
    assert sum(folded.values()) == sum(whole.values())


def test_without_a_format_the_known_ones_are_named(coffeetree: Run) -> None:
    answer = coffeetree("export", SAMPLES, "-")

    assert (answer.status, answer.out) == (2, "")
    there = "collapsed, speedscope, pprof, csv, json, dot, graphml, nodes, edges, parquet, arrow"
    assert answer.err == f"coffeetree: export needs --to FORMAT: there are {there}\n"


def test_a_missing_folder_is_reported_with_the_requested_file(coffeetree: Run, tmp_path: Path) -> None:
    out = tmp_path / "missing" / "out.json"

    answer = coffeetree("export", "--to", "json", "--view", "Call tree", SAMPLES, out)

    assert (answer.status, answer.out) == (2, "")
    assert answer.err == f"coffeetree: {out}: No such file or directory\n"


@pytest.mark.parametrize("name", ["xprof_mixed", "xprof_javac", "xprof_javac_elided"])
def test_ticks_of_a_flat_profile_are_stacks_of_thread_code_and_method(name: str, coffeetree: Run) -> None:
    path = JDK_PROFILERS / f"{name}.txt"
    stacks = flame_graph(coffeetree("export", "--to", "collapsed", path, "-").out)
    rows = coffeetree("tree", "--json", "--view", "Threads", "--depth", "all", "--limit", "all", path).rows

    sections = [row["badges"]["ticks"] for row in rows if row["kind"] == "section"]
    assert sum(stacks.values()) == sum(sections)
    assert all(len(stack) == 3 for stack in stacks)
    check_speedscope(json.loads(coffeetree("export", "--to", "speedscope", path, "-").out))


@pytest.mark.parametrize("choice", ["1 → 3", "1->3", "1 -> 3"])
def test_two_dumps_compared_are_a_table(choice: str, coffeetree: Run) -> None:
    asked = ("--view", "CPU samples", "--switch", f"dump={choice}", "--depth", "0")
    written = coffeetree("export", "--to", "csv", *asked, CORPUS / "quit-samples.txt.xz", "-")

    rows: list[dict[str, Any]] = list(csv.DictReader(StringIO(written.out, newline="")))
    changes = [int(row["after"]) - int(row["before"]) for row in rows]
    assert [int(row["self"]) for row in rows] == changes
    assert changes == sorted(changes, reverse=True)


def test_stacks_are_merged_by_the_switches(coffeetree: Run) -> None:
    def stacks(*switches: str) -> dict[tuple[str, ...], float]:
        asked = [word for switch in switches for word in ("--switch", switch)]
        return flame_graph(coffeetree("export", "--to", "collapsed", "--view", "Call tree", *asked, SAMPLES, "-").out)

    whole = stacks()
    assert sum(whole.values()) == 7484
    for switch in ("merge=by line", "merge=by class", "recursion=rings folded", "cut traces=stitched"):
        assert sum(stacks(switch).values()) == 7484
    assert all(len(set(stack)) == len(stack) for stack in stacks("recursion=rings folded"))
    assert ("com.sun.tools.javac.Main.main:42",) in [stack[:1] for stack in stacks("merge=by line")]
    assert sum(stack[0] == "(stack truncated)" for stack in stacks("cut traces=stitched")) < sum(
        stack[0] == "(stack truncated)" for stack in whole
    )


def test_stacks_of_one_thread(coffeetree: Run) -> None:
    report = CORPUS / "monitors-samples-thread.txt.xz"
    threads = coffeetree("tree", "--json", "--view", "Threads", "--limit", "all", report).rows

    for row in threads[:5]:
        choice = f"thread={row['label']} {row['badges']['thread']}"
        stacks = flame_graph(coffeetree("export", "--to", "collapsed", "--switch", choice, report, "-").out)
        assert sum(stacks.values()) == row["badges"]["samples"]
