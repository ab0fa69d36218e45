"""Every call tree sample against what is true of it, counted by a program that shares nothing with this one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import sample_path, samples, truth_of

from parsers.formats.graalvm.calls.tree_report import CallTreeReport
from parsers.io.cache import Cache
from parsers.model.row import Row
from parsers.model.trees.tree import walk
from parsers.runtime.opening import open_report

SAMPLES = samples("graalvm-call-tree")
EACH = 20
"""Of so many call sites of a method, one is shown as a row."""


@pytest.fixture(scope="module", params=SAMPLES, ids=[f"{case}-{name[:24]}" for case, name in SAMPLES])
def sample(request: pytest.FixtureRequest, shared_cache: Path) -> Iterator[tuple[CallTreeReport, dict[str, Any]]]:
    """An indexed sample and its truth."""
    case, name = request.param
    report = open_report([os.fspath(sample_path(case, name))], cache=Cache(str(shared_cache / "coffeetree")))
    assert isinstance(report, CallTreeReport)
    report.wait()
    yield report, truth_of(case)[name]
    report.close()


def row_of_line(report: CallTreeReport, line: int) -> Row:
    """The row printed on a line."""
    document = report.views[0]
    return document.tree.row(document.resolve(f"line:{line}"))


def test_facts_and_totals_are_true(sample: tuple[CallTreeReport, dict[str, Any]]) -> None:
    report, truth = sample

    assert report.totals == truth["totals"]
    assert report.format_version == truth["format_version"]
    assert report.encoding == truth["encoding"]
    assert report.line_end == truth["line_end"]
    assert report.size == truth["totals"]["bytes"]
    assert report.facts.get("loaders") == truth.get("loaders")
    assert report.facts.get("depth_rows", []) == truth["depth_rows"]


def test_problems_are_true(sample: tuple[CallTreeReport, dict[str, Any]]) -> None:
    report, truth = sample

    problems = [(found.kind, found.line, found.offset) for found in report.problems]

    assert problems[:50] == [(found["kind"], found["line"], found["offset"]) for found in truth["problems"]]
    assert report.problem_count == len(problems)


def test_rows_are_true(sample: tuple[CallTreeReport, dict[str, Any]]) -> None:
    report, truth = sample
    tree = report.views[0].tree

    for expected in truth["nodes"]:
        row = row_of_line(report, expected["line"])
        parent = tree.parent(row.node)
        declared = expected.get("link_line")
        found = {
            "line": row.line,
            "offset": row.offset,
            "depth": row.depth,
            "kind": row.kind,
            "label": row.label,
            "children": len(tree.children(row.node)),
            "rows_below": row.rows_below,
            "parent_line": None if parent is None else tree.row(parent).line,
            **row.badges,
            **({"link_line": int(row.link.partition(":")[2])} if row.link else {}),
        }
        assert found == {key: value for key, value in expected.items() if key != "link_line" or declared is not None}
        assert row.has_children == (expected["children"] > 0)
        assert report.views[0].resolve(row.ref) == row.node


def test_methods_are_true(sample: tuple[CallTreeReport, dict[str, Any]]) -> None:
    report, truth = sample
    document = report.views[0]

    for expected in truth["methods"]:
        node = document.resolve(f"id:{expected['id']}")
        row = document.tree.row(node)
        path = report.why("Call tree", node)
        sites = document.references(node).nodes
        callers = {report.view("Callers").vertex_at(site) for site in sites}  # type: ignore[attr-defined]
        assert (row.line, row.depth, row.label) == (expected["line"], expected["depth"], expected["label"])
        assert row.rows_below == expected["rows_below"]
        assert report.tree.distance(report.tree.vertex(node)) == expected["distance"]
        assert (len(sites), len(callers)) == (expected["call_sites"], expected["callers"])
        assert len(path) == expected["path_rows"]
        if expected["path_lines"] is not None:
            assert [document.tree.row(row).line for row in path] == expected["path_lines"]


def test_the_callers_of_a_method_are_its_call_sites(sample: tuple[CallTreeReport, dict[str, Any]]) -> None:
    report, truth = sample
    document, callers = report.views[0], report.view("Callers")

    for expected in truth["methods"]:
        method = callers.resolve(f"id:{expected['id']}")
        sites = list(callers.tree.children(method))
        references = list(document.references(document.resolve(f"id:{expected['id']}")).nodes)
        assert callers.tree.row(method).badges["call_sites"] == expected["call_sites"] == len(sites)
        assert [callers.row_of(site) for site in sites] == references
        for site, reference in zip(sites[::EACH], references[::EACH], strict=True):
            assert callers.tree.row(site).line == document.tree.row(int(reference)).line


def test_the_largest_entries_are_the_first_of_the_sorted_table(sample: tuple[CallTreeReport, dict[str, Any]]) -> None:
    report, truth = sample
    table = report.view("Entry points")

    rows = [table.tree.row(node) for node in table.tree.roots("rows_below")[: len(truth["largest_entries"])]]

    assert table.row_count == truth["totals"]["entries"]
    assert [(row.line, row.rows_below) for row in rows] == [
        (entry["line"], entry["rows_below"]) for entry in truth["largest_entries"]
    ]


def test_packages_hold_every_declared_method_once(sample: tuple[CallTreeReport, dict[str, Any]]) -> None:
    report, truth = sample
    packages = report.view("Packages")
    totals = truth["totals"]
    tree = packages.tree

    tops = [tree.row(node) for node in tree.roots()]

    assert len(tops) == packages.root_count == totals["packages"]
    assert [row.label for row in tops] == sorted((row.label for row in tops), key=str.encode)
    assert sum(len(tree.children(row.node)) for row in tops) == totals["classes"]
    assert (
        sum(int(row.badges["methods"] or 0) for row in tops)
        == totals["ids"]
        == (packages.row_count or 0) - len(tops) - totals["classes"]
    )
    assert sum(int(row.badges["call_sites"] or 0) for row in tops) == totals["call_sites"] - totals["dangling_refs"]


def test_rows_below_a_package_are_counted_once(sample: tuple[CallTreeReport, dict[str, Any]]) -> None:
    report, _ = sample
    packages = report.view("Packages")
    rows = report.tree

    for node in list(packages.tree.roots("weight"))[:3]:
        covered, reached = 0, -1
        methods = [
            rows.declaration(rows.vertex(packages.row_of(below)))  # type: ignore[attr-defined]
            for below, level in walk(packages.tree, node)
            if level == 2
        ]
        for declaration in sorted(methods):
            if declaration >= reached:
                covered += rows.end(declaration) - declaration - 1
                reached = rows.end(declaration)
        assert packages.tree.row(node).badges["weight"] == covered


def test_the_tree_can_be_walked_from_end_to_end(sample: tuple[CallTreeReport, dict[str, Any]]) -> None:
    report, truth = sample
    if truth["totals"]["rows"] > 50_000:
        pytest.skip("the small ones show it")
    tree = report.views[0].tree

    walked = list(walk(tree))

    assert [node for node, _ in walked] == list(range(truth["totals"]["rows"]))
    assert all(tree.row(node).depth == report.tree.depth(node) for node, _ in walked)
