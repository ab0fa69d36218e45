"""The reports beside the trees of native-image: used lists, histogram, initialization, and the like."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import Answer, sample_path, samples, truth_of

from parsers.formats.graalvm.side import json as side_json
from parsers.formats.graalvm.side import lines as side_lines
from parsers.formats.graalvm.side.json import read_values
from parsers.io.cache import Cache
from parsers.reports import whole as whole_report
from parsers.runtime.opening import open_report

FORMATS = (
    "graalvm-used-methods",
    "graalvm-used-classes",
    "graalvm-used-packages",
    "graalvm-heap-histogram",
    "graalvm-analysis-statistics",
    "graalvm-class-initialization",
    "graalvm-class-initialization-configuration",
    "graalvm-substitutions",
    "graalvm-features",
    "graalvm-trace",
)
SAMPLES = samples(*FORMATS)
SMALL = [sample for sample in SAMPLES if "real" not in sample[0]]
CSV_CASE = "real_23.0_helloworld_csv"

Run = Callable[..., Answer]

HISTOGRAM = b"""Heap histogram
   Count Class\x20
    8360 java.util.concurrent.ConcurrentHashMap$Node\x20
    1442   byte[]\x20
       1 com.example.Config\x20
"""
INITIALIZATION = b"""Class Name, Initialization Kind, Reason for Initialization
a.B, BUILD_TIME, from feature a.F with 'x', and more
a.C, RUN_TIME, by default
"""
FEATURES = b"""Feature, Required Features
a.First, []
a.Second, [a.First, a.Third]
a.Third, [a.First]
"""
GRAPH = b"""digraph class_initializer_dependencies {
"a.A"[fillcolor=green]
"a.B"[fillcolor=red]
"a.B" -> "a.A"
"a.C" -> "a.A"
}
"""


def write(folder: Path, name: str, data: bytes) -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def labels(answer: Answer) -> list[str]:
    return [row["label"] for row in answer.rows]


@pytest.mark.parametrize(("case", "name"), SAMPLES, ids=[f"{case}/{name}" for case, name in SAMPLES])
def test_format_and_totals_are_true(case: str, name: str, cache: Cache) -> None:
    truth = truth_of(case)[name]
    report = open_report([str(sample_path(case, name))], cache=cache)
    report.wait()
    assert (report.format, report.totals, report.problems) == (truth["format"], truth["totals"], [])
    assert "kinds" not in truth or report.facts["kinds"] == truth["kinds"]
    if "rows" in truth["totals"]:
        assert report.views[0].row_count == truth["totals"]["rows"]
    report.close()


def test_files_without_truth_are_read_without_problems(coffeetree: Run) -> None:
    for begin, counts in (
        ("class_initialization_dependencies", {"classes": 2595, "unsafe": 38, "dependencies": 3012}),
        ("native_library_info", {"rows": 2}),
        ("target_info", {"rows": 8}),
        ("build-output", {"values": 31}),
    ):
        folder = sample_path(CSV_CASE, "build-output.json").parent
        (path,) = folder.rglob(f"{begin}*")
        info = coffeetree("info", "--json", path).json
        assert (info["problems"], {name: info["totals"][name] for name in counts}) == ([], counts)


@pytest.fixture(params=SMALL, ids=[f"{case}/{name}" for case, name in SMALL])
def sample(request: pytest.FixtureRequest) -> Path:
    return sample_path(*request.param)


def test_rows_are_found_again_by_their_refs(sample: Path, coffeetree: Run) -> None:
    lines = sample.read_bytes().split(b"\n")
    for row in coffeetree("tree", "--json", "--depth", "all", sample).rows:
        shown = coffeetree("show", "--json", sample, row["ref"]).json["row"]
        assert (shown["label"], shown["offset"]) == (row["label"], row["offset"])
        before = sum(len(line) + 1 for line in lines[: row["line"] - 1])
        assert before <= row["offset"] < before + len(lines[row["line"] - 1])


def test_text_search_finds_lines_and_names(coffeetree: Run) -> None:
    path = sample_path("v24.2_and_25", "used_methods_demo_20250916_101500.txt")
    count = sum(b"String" in line for line in path.read_bytes().split(b"\n"))
    assert coffeetree("find", "--count", "--json", path, "String").json == {"count": count}
    assert coffeetree("find", "--count", "--json", "--name", path, "null").json == {"count": 0}
    assert labels(coffeetree("find", "--json", "--name", path, "Object.toString()")) == [
        "null:java.lang.Object.toString():java.lang.String"
    ]


def test_a_large_file_shows_its_head_and_then_all(sample: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = open_report([str(sample)], cache=Cache(keep=False))
    monkeypatch.setattr(whole_report, "AT_ONCE", 0)
    monkeypatch.setattr(side_lines, "BLOCK", 7)
    report = open_report([str(sample)], cache=Cache(keep=False))
    assert (report.is_complete, report.totals) == (False, {})
    report.start_index()
    report.wait()
    assert (report.totals, report.views[0].row_count) == (whole.totals, whole.views[0].row_count)
    assert [report.views[0].tree.row(node).label for node in report.views[0].tree.roots()] == [
        whole.views[0].tree.row(node).label for node in whole.views[0].tree.roots()
    ]
    report.close()
    whole.close()


def test_line_ends_and_a_byte_order_mark_change_only_offsets(sample: Path, tmp_path: Path, coffeetree: Run) -> None:
    data = sample.read_bytes()
    changed = write(tmp_path, sample.name, b"\xef\xbb\xbf" + data.replace(b"\n", b"\r\n"))
    plain, answer = (coffeetree("tree", "--json", "--depth", "all", path).rows for path in (sample, changed))
    assert [{**row, "offset": 0} for row in answer] == [{**row, "offset": 0} for row in plain]
    assert coffeetree("info", "--json", changed).json["problems"] == []


def test_a_file_cut_in_a_line_shows_where(tmp_path: Path, coffeetree: Run) -> None:
    cut = write(tmp_path, "used_methods_x_20230401_101500.txt", b"a.B.c():void\na.B.d():vo")
    answer = coffeetree("tree", "--json", cut)
    assert (answer.status, labels(answer)) == (3, ["a.B.c():void", "a.B.d():vo"])
    assert answer.rows[1]["flags"] == ["truncated"]
    assert "cut at byte 23" in answer.err


def test_lines_that_fit_no_form_are_shown_and_reported(tmp_path: Path, coffeetree: Run) -> None:
    path = write(tmp_path, "x", HISTOGRAM + b"  lost Class\n\n")
    answer = coffeetree("tree", "--json", path)
    assert answer.rows[-1]["flags"] == ["unknown"]
    problems = coffeetree("info", "--json", path).json["problems"]
    assert [(each["kind"], each["line"], each["offset"]) for each in problems] == [("unknown row", 6, len(HISTOGRAM))]


def test_a_histogram_counts_objects(tmp_path: Path, coffeetree: Run) -> None:
    path = write(tmp_path, "x", HISTOGRAM)
    rows = coffeetree("tree", "--json", path).rows
    assert [(row["label"], row["badges"]["count"]) for row in rows] == [
        ("java.util.concurrent.ConcurrentHashMap$Node", 8360),
        ("byte[]", 1442),
        ("com.example.Config", 1),
    ]
    assert coffeetree("show", "--json", path, "class:byte[]").json["row"]["line"] == 4


def test_a_reason_may_hold_commas(tmp_path: Path, coffeetree: Run) -> None:
    path = write(tmp_path, "x", INITIALIZATION)
    shown = coffeetree("show", "--json", path, "class:a.B").json["row"]["badges"]
    assert shown == {"initialization": "BUILD_TIME", "reason": "from feature a.F with 'x', and more"}


def test_features_link_to_those_that_they_require(tmp_path: Path, coffeetree: Run) -> None:
    path = write(tmp_path, "x", FEATURES)
    links = coffeetree("show", "--json", path, "name:a.Second").json["links"]
    assert [(link["label"], link["ref"]) for link in links] == [
        ("requires a.First", "line:2"),
        ("requires a.Third", "line:4"),
    ]
    assert labels(coffeetree("refs", "--json", path, "name:a.First")) == ["a.Second", "a.Third"]


def test_loaders_are_no_part_of_a_name(coffeetree: Run) -> None:
    path = sample_path("v24.2_and_25", "used_methods_demo_20250916_101500.txt")
    name = "java.lang.Object.toString():java.lang.String"
    row = coffeetree("show", "--json", path, f"method:{name}").json["row"]
    assert row["label"] == f"null:{name}"
    assert coffeetree("info", "--json", path).json["format_version"] == "24.2+"
    assert [each["match"]["label"] for each in coffeetree("why", "--json", path, name).rows] == [f"null:{name}"]


def test_a_name_is_found_whole_only(tmp_path: Path, coffeetree: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("parsers.formats.graalvm.side.table.BLOCK", 8)
    path = write(tmp_path, "used_classes_x_20230401_101500.txt", b"a\nx.a\na.x\nb\na.B\nlong.name.Of$A\n")
    for line, name in enumerate(("a", "x.a", "a.x", "b", "a.B", "long.name.Of$A"), 1):
        assert coffeetree("show", "--json", path, f"class:{name}").json["row"]["line"] == line
    assert coffeetree("show", "--json", path, "class:B").status == 2


def test_names_are_found_whatever_ends_their_lines(tmp_path: Path, coffeetree: Run) -> None:
    used = write(tmp_path, "used_classes_x_20240101_000000.txt", b"a.A\r\na.B\na.\x8f\na.C\r")
    for name in ("a.A", "a.B", "a.\ufffd", "a.C"):
        assert coffeetree("show", used, f"class:{name}", "--json").json["row"]["label"] == name
    trimmed = write(tmp_path, "analysis_heap_histogram_x_20240101_000000.txt", HISTOGRAM.replace(b" \n", b"\n"))
    assert coffeetree("show", trimmed, "class:byte[]").status == 0
    report: Any = open_report([str(used)], cache=Cache(keep=False))
    assert report.names.joined(0x0A, 0, 2) == b"a.A\na.B\n" and report.names.joined(0x0A, 3, 4) == b"a.C\n"
    report.close()


def test_substitutions_show_the_replacement(coffeetree: Run) -> None:
    path = sample_path(CSV_CASE, "substitutions_20261121_030244.csv")
    row = coffeetree("show", "--json", path, "name:java.lang.Class").json["row"]
    assert (row["kind"], row["badges"]["annotated"]) == ("type", "com.oracle.svm.core.hub.DynamicHub")
    assert coffeetree("info", "--json", path).json["facts"]["kinds"] == {"method": 263, "type": 5}


def test_a_trace_is_a_tree_of_steps_backwards(coffeetree: Run) -> None:
    path = sample_path("v24.2_and_25", "trace_types_demo_20250916_101500.txt")
    rows = coffeetree("tree", "--json", "--depth", "all", path).rows
    assert [row["depth"] for row in rows] == [0, 1, 2, 3, 4, 2, 3, 4, 3]
    assert rows[4]["label"].startswith("str: Entry point")


def test_initializers_that_need_others(tmp_path: Path, coffeetree: Run) -> None:
    path = write(tmp_path, "class_initialization_dependencies_20230401_101500.dot", GRAPH)
    rows = coffeetree("tree", "--json", "--depth", "all", path).rows
    assert [(row["depth"], row["label"], row["badges"].get("safety")) for row in rows] == [
        (0, "a.A", "safe"),
        (0, "a.B", "unsafe"),
        (1, "a.A", None),
        (0, "a.C", ""),
        (1, "a.A", None),
    ]
    assert rows[0]["badges"]["needed_by"] == 2
    assert [row["ref"] for row in coffeetree("refs", "--json", path, "class:a.A").rows] == ["node:2", "node:4"]
    cut = write(tmp_path, "class_initialization_dependencies_20230402_101500.dot", GRAPH[:-2])
    assert coffeetree("info", "--json", cut).json["problems"][0]["kind"] == "cut"


def test_build_output_is_found_by_its_names(coffeetree: Run) -> None:
    path = sample_path(CSV_CASE, "build-output.json")
    shown = coffeetree("show", "--json", path, "name:analysis_results.methods.reachable").json
    assert shown["row"]["badges"] == {"value": 13008}
    assert [row["label"] for row in shown["path"]] == ["analysis_results", "methods", "reachable"]


@pytest.mark.parametrize(
    ("data", "names", "problem"),
    [
        (b'{"a": 1, "b": [2, {"c": "x\\ny"}], "d": null}', ["a", "b", "[0]", "[1]", "c", "d"], None),
        (b'{"a": 1, "b": [2, {"c"', ["a", "b", "[0]", "[1]"], ("cut", 22)),
        (b'{"a": 1, b}', ["a"], ("no JSON", 8)),
        (b'{"a": 1]', ["a"], ("no JSON", 7)),
        (b'{"a": 1.5e3} trailing', ["a"], None),
        (b"{" * 5, [], ("no JSON", 1)),
        (b'{"a":' + b"[" * 3000, None, ("no JSON", 1005)),
    ],
    ids=range(7),
)
def test_json_is_shown_up_to_the_damage(data: bytes, names: list[str] | None, problem: tuple[str, int] | None) -> None:
    values = read_values(data, "x")
    assert names is None or [entry.label for entry in values.entries] == names
    assert [(each.kind, each.offset) for each in values.problems] == ([problem] if problem else [])


def test_hostile_json_is_bounded() -> None:
    endless = b'{"a": "' + b"x" * 5_000_000
    assert [each.offset for each in read_values(endless, "x").problems] == [5]
    (text,) = read_values(endless + b'"}', "x").entries
    assert text.badges["value"] == "x" * (side_json.LONGEST - 1)
    deep = b"{" + (b'"' + b"n" * 50_000 + b'":{') * 60 + b",".join(b'"v%d":1' % each for each in range(1_000))
    (problem,) = read_values(deep, "x").problems
    assert problem.what.startswith("names are too long at byte ")


@pytest.mark.parametrize(
    ("name", "head", "unit"),
    [
        ("feature_info_20240101_000000.csv", b"Feature, Required Features\na.A, []\n", b", ["),
        ("trace_types_x_20240101_000000.txt", b"Type a.B is marked as instantiated\n", b"a"),
        ("class_initialization_dependencies_20240101_000000.dot", b"digraph class_initializer_dependencies {\n",
         b'" -> "'),
        ("used_methods_x_20240101_000000.txt", b"a.B.c():void\n", b"$$Lambda"),
    ],
    ids=["features", "trace", "graph", "methods"],
)  # fmt: skip
def test_lines_made_to_be_slow_are_not(name: str, head: bytes, unit: bytes, tmp_path: Path, coffeetree: Run) -> None:
    path = write(tmp_path, name, head + (b'"' + unit * (60_000 // len(unit)) + b"x\n") * 20)
    assert coffeetree("info", path, "--json").json["totals"]["lines"] >= 20
    assert coffeetree("diff", path, write(tmp_path, name.replace("2024", "2025"), head)).status in (0, 1, 3)


@pytest.mark.parametrize(("case", "name"), SMALL, ids=[name for _, name in SMALL])
def test_any_damage_is_shown_as_it_is(case: str, name: str, tmp_path: Path, coffeetree: Run) -> None:
    data, expected = sample_path(case, name).read_bytes(), truth_of(case)[name]["format"]
    for place in range(len(data) // 3, len(data), max(1, len(data) // 5)):
        for spoiled in (data[:place], data[:place] + b"\0\xff\n\n\xe2" + data[place:]):
            path = write(tmp_path, name, spoiled)
            answer = coffeetree("tree", "--json", "--depth", "all", "--format", expected, path)
            assert answer.status in (0, 3) and answer.rows


# -- compared ---------------------------------------------------------------------------------------------------------


def changes(answer: Answer) -> list[tuple[str, str, int]]:
    return [(row["change"], row["label"], row["depth"]) for row in answer.rows]


def test_lists_of_two_builds_differ_in_what_has_another_name(tmp_path: Path, coffeetree: Run) -> None:
    old = write(tmp_path, "used_classes_x_20230401_101500.txt", b"a.A\na.B$$Lambda$7/0x01\na.C\n")
    new = write(tmp_path, "used_classes_x_20230402_101500.txt", b"a.A\na.B$$Lambda$9/0x0f\na.D\na.E\n")
    answer = coffeetree("diff", "--json", old, new)
    assert (answer.status, changes(answer)) == (1, [("added", "a.D", 0), ("added", "a.E", 0), ("removed", "a.C", 0)])
    assert coffeetree("diff", old, old).status == 0


def test_differences_of_methods_of_real_builds_equal_the_truth(coffeetree: Run) -> None:
    """`diff_to_first_build.json` for call trees is also true of the lists."""
    first, second = (
        sample_path(case, next(name for name in truth_of(case) if name.startswith("used_methods")))
        for case in ("real_23.0_first_build", "real_23.0_second_build")
    )
    answer = coffeetree("diff", "--json", first, second)
    more = [(row["new"] or {}).get("rows", 0) - (row["old"] or {}).get("rows", 0) for row in answer.rows]
    assert (sum(min(each, 0) for each in more), sum(max(each, 0) for each in more)) == (-7, 3)


def test_a_histogram_differs_in_its_counts(tmp_path: Path, coffeetree: Run) -> None:
    old, new = write(tmp_path, "old", HISTOGRAM), write(tmp_path, "new", HISTOGRAM.replace(b"1442", b"1450"))
    (row,) = coffeetree("diff", "--json", old, new).rows
    assert (row["label"], row["old"], row["new"]) == ("byte[]", {"count": 1442}, {"count": 1450})


def test_a_class_that_is_initialized_otherwise_is_reported_with_its_reasons(tmp_path: Path, coffeetree: Run) -> None:
    old = write(tmp_path, "old", INITIALIZATION)
    new = write(tmp_path, "new", INITIALIZATION.replace(b"RUN_TIME", b"BUILD_TIME"))
    assert changes(coffeetree("diff", "--json", old, new)) == [
        ("changed", "a.C", 0),
        ("added", "initialization: BUILD_TIME", 1),
        ("removed", "initialization: RUN_TIME", 1),
    ]


def test_numbers_that_no_number_holds_are_texts(tmp_path: Path, coffeetree: Run) -> None:
    old, new = (
        write(tmp_path, f"analysis_stats_x_2024010{day}_000000.json", b'{"total_reachable_types": %b}' % value)
        for day, value in ((1, b"7"), (2, b"1e999"))
    )
    assert [row["badges"] for row in coffeetree("tree", new, "--json").rows] == [{"value": "1e999"}]
    assert "1e999" in coffeetree("diff", old, new).out


def test_values_and_graphs_of_two_builds(tmp_path: Path, coffeetree: Run) -> None:
    names = ("analysis_stats_x_20230401_101500.json", "analysis_stats_x_20230402_101500.json")
    old, new = (write(tmp_path, name, b'{"total_reachable_types": %d}' % count) for count, name in enumerate(names))
    (row,) = coffeetree("diff", "--json", old, new).rows
    assert (row["label"], row["old"], row["new"]) == ("total_reachable_types", {"value": 0}, {"value": 1})
    old = write(tmp_path, "class_initialization_dependencies_20230401_101500.dot", GRAPH)
    new = write(tmp_path, "class_initialization_dependencies_20230402_101500.dot", GRAPH.replace(b"a.C", b"a.D"))
    assert changes(coffeetree("diff", "--json", old, new))[0] == ("added", "a.D", 0)
