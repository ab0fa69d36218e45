"""Rows by their names: those that arrays give are those that are found by looking at each row."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import CORPUS, plain_bytes, sample_path, samples, truth_of
from hypothesis import given
from hypothesis import strategies as st

from parsers.formats.graalvm.calls.group_names import class_names
from parsers.formats.graalvm.calls.index.row import method_parts
from parsers.model.names.patterns import PatternSet
from parsers.model.report import Report
from parsers.query.selection.texts_met import MatchedTexts
from parsers.reporting.rules.named_rows import listed_rows, named_rows
from parsers.runtime.opening import open_report

TEXTS = st.text(st.sampled_from("ab.*\n\0\ud800é\U0001f600"), max_size=12)
CASE = "real_23.0_helloworld"


@given(st.lists(TEXTS, max_size=12), st.lists(TEXTS.filter(bool), min_size=1, max_size=4))
def test_names_match_like_texts(names: list[str], patterns: list[str]) -> None:
    found = MatchedTexts.of_texts(names).of(PatternSet(tuple(patterns)))
    assert found.tolist() == [name in PatternSet(tuple(patterns)) for name in names]


@given(st.lists(st.binary(max_size=9).map(lambda name: name.replace(b"\n", b"")), max_size=8), st.text(min_size=1))
def test_names_with_invalid_bytes_match_as_shown(names: list[bytes], pattern: str) -> None:
    shown = [name.decode("utf-8", "replace") for name in names]
    for each in (pattern, *shown, *(f"*{text}*" for text in shown)):
        found = MatchedTexts.of_names(names, "utf-8", lambda name: name.decode("utf-8", "replace")).of(
            PatternSet((each,))
        )
        assert found.tolist() == [name in PatternSet((each,)) for name in shown]


@given(st.lists(st.text(st.sampled_from("ab.():é"), max_size=12), min_size=1, max_size=8))
def test_holders_of_methods_are_found_at_once(methods: list[str]) -> None:
    names, numbers = [method.encode() for method in methods], np.arange(len(methods))[::-1]
    found = class_names(names, numbers, "utf-8", bytes.decode)
    assert [found.text(place) for place in range(len(found))] == [
        names[number][: method_parts(names[number]).holder[1]].decode() for number in numbers
    ]


@given(st.lists(TEXTS, max_size=12), st.lists(TEXTS.filter(bool), min_size=1, max_size=4))
def test_names_match_like_texts_after_many_patterns(names: list[str], patterns: list[str]) -> None:
    table = MatchedTexts.of_texts(names)
    table.of(PatternSet(tuple(f"x{number}" for number in range(20))))
    assert table.of(PatternSet(tuple(patterns))).tolist() == [name in PatternSet(tuple(patterns)) for name in names]


def opened(path: Path) -> Report:
    """A sample with its index."""
    report = open_report([str(path)])
    report.wait()
    return report


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Report]]:
    """The first lines of the call tree, and the object tree, of a real build, by format."""
    names = {truth["format"]: name for name, truth in truth_of(CASE).items()}
    beginning = tmp_path_factory.mktemp("calls") / names["graalvm-call-tree"]
    lines = plain_bytes(sample_path(CASE, beginning.name)).splitlines(keepends=True)
    beginning.write_bytes(b"".join(lines[:10_000]))
    objects = sample_path(CASE, names["graalvm-object-tree"])
    reports = {"graalvm-call-tree": opened(beginning), "graalvm-object-tree": opened(objects)}
    yield reports
    for report in reports.values():
        report.close()


@pytest.mark.parametrize(
    ("format", "view", "kind"),
    [
        ("graalvm-call-tree", "Packages", "package"),
        ("graalvm-call-tree", "Packages", "class"),
        ("graalvm-call-tree", "Packages", "method"),
        ("graalvm-call-tree", "Call tree", ""),
        ("graalvm-call-tree", "Call tree", "virtual call"),
        ("graalvm-call-tree", "Entry points", "entry"),
        ("graalvm-call-tree", "Callers", ""),
        ("graalvm-object-tree", "Types", "type"),
        ("graalvm-object-tree", "Types", "object"),
    ],
)
def test_arrays_give_the_rows_that_are_there(indexed: dict[str, Report], format: str, view: str, kind: str) -> None:
    asked: Any = indexed[format].view(view)
    rows: Any = named_rows(asked, kind)
    plain: Any = listed_rows(asked, kind, columns=asked.columns)
    assert asked.named_rows(kind) is not None
    for patterns in (("*",), ("java.util.*",), ("*String*", "*[]"), ("java.lang.String",), ("*:void",)):
        matching = PatternSet(patterns)
        found = list(map(int, rows.nodes(rows.names.of(matching))))
        expected = list(map(int, plain.nodes(plain.names.of(matching))))
        if view == "Types":
            # Patterns match an array by its innermost element type, which is not its label.
            assert set(expected) <= set(found) or patterns == ("*String*", "*[]")
            continue
        assert found == expected
    some = np.array(found[:: max(1, len(found) // 50)], np.int64)
    assert [rows.name(node) for node in some] == [plain.name(node) for node in some]
    for column in asked.columns:
        if column.unit != "text":
            assert list(rows.numbers(column, some)) == list(plain.numbers(column, some))


def test_types_match_by_their_innermost_element_type(indexed: dict[str, Report]) -> None:
    report = indexed["graalvm-object-tree"]
    rows = named_rows(report.view("Types"), "type")
    found = [rows.name(node) for node in rows.nodes(rows.names.of(PatternSet(("java.lang.Object",))))]
    assert "java.lang.Object[]" in found
    assert all(name.replace("[]", "") == "java.lang.Object" for name in found)


def test_all_that_truth_counts_is_found(indexed: dict[str, Report]) -> None:
    truth = {report["format"]: report["totals"] for report in truth_of(CASE).values()}
    calls = opened(next(sample_path(*each) for each in samples("graalvm-call-tree") if each[0] == CASE))
    view = calls.view("Packages")
    everything = PatternSet(("*",))
    for kind, name in (("package", "packages"), ("class", "classes"), ("method", "ids")):
        rows = named_rows(view, kind)
        assert len(rows.nodes(rows.names.of(everything))) == truth["graalvm-call-tree"][name]
    rows = named_rows(indexed["graalvm-object-tree"].view("Types"), "object")
    assert len(rows.nodes(rows.names.of(everything))) == truth["graalvm-object-tree"]["objects"]
    calls.close()


@pytest.mark.parametrize(("case", "name"), [each for each in samples("graalvm-call-tree") if each[0].startswith("v")])
def test_loaders_are_no_part_of_names(case: str, name: str) -> None:
    report = opened(sample_path(case, name))
    rows = named_rows(report.view("Packages"), "method")
    loaders = ("null:", "app:", "com.oracle.svm.hosted.NativeImageClassLoader:")
    nodes = rows.nodes(rows.names.of(PatternSet(("*",))))
    assert len(nodes) == report.totals["ids"]
    assert not [node for node in nodes if rows.name(int(node)).startswith(loaders)]
    report.close()


@pytest.mark.parametrize("kind", ["", "object", "array", "class object", "*"])
def test_objects_of_a_heap_are_found_by_their_classes(kind: str) -> None:
    report = opened(CORPUS.parent / "hprof" / "heap" / "two-dumps.hprof.xz")
    for name in ("Objects", "Referrers", "Dominators"):
        view: Any = report.view(name)
        rows: Any = named_rows(view, kind)
        plain = listed_rows(view, kind, columns=view.columns)
        for pattern in ("*", "java.*", "*[]", "class *"):
            matching = PatternSet((pattern,))
            found = rows.nodes(rows.names.of(matching)).tolist()
            assert found == list(map(int, plain.nodes(plain.names.of(matching))))
            for column in view.columns:
                assert list(rows.numbers(column, found)) == list(plain.numbers(column, found))
    report.close()


def compare(view: Any, kind: str) -> int:
    """Asserts that arrays and rows agree for all rows of a kind. Returns their number."""
    rows, plain = named_rows(view, kind), listed_rows(view, kind, columns=view.columns)
    assert view.named_rows(kind) is not None
    everything = PatternSet(("*",))
    found = np.asarray(rows.nodes(rows.names.of(everything)))
    assert found.tolist() == list(map(int, plain.nodes(plain.names.of(everything))))
    assert [rows.name(node) for node in found] == [plain.name(node) for node in found]
    for column in view.columns:
        if column.unit != "text":
            assert list(rows.numbers(column, found)) == list(plain.numbers(column, found))
    return len(found)


@pytest.mark.parametrize("name", ["work_c1only_17.log.xz", "odd_space_17.log.xz", "two_jvms_17.log.xz"])
def test_tasks_are_found_by_their_methods(name: str) -> None:
    report = opened(CORPUS.parent / "hotspot" / name)
    assert compare(report.view("Tasks"), "task")
    report.close()


def test_texts_of_a_heap_are_found_by_their_contents() -> None:
    report = opened(CORPUS.parent / "hprof" / "heap" / "agent-quit-all.hprof.xz")
    assert compare(report.view("Strings"), "string") > 100
    report.close()


def test_kinds_of_a_level_are_found_without_looking_at_the_others() -> None:
    report = opened(CORPUS.parent / "hotspot" / "work_c1only_17.log.xz")
    for name in ("Methods", "Story", "Inlining failures", "Deoptimisations"):
        view: Any = report.view(name)
        rows = [view.tree.row(node) for node in range(view.row_count)]
        for kind in {row.kind for row in rows}:
            everything = PatternSet(("*",))
            found = listed_rows(view, kind)
            assert list(found.nodes(found.names.of(everything))) == [row.node for row in rows if row.kind == kind]
        assert set(view.level_kinds) <= {row.kind for row in rows} | set(report.kinds)
    report.close()
