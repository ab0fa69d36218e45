"""Every number of the samples' `truth.json`, asked through the headless commands.

The truth was counted by a program that shares nothing with this project. Real samples are indexed once a session.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from conftest import Answer, sample_path, samples, truth_of

CALL_TREES = samples("graalvm-call-tree")
OBJECT_TREES = samples("graalvm-object-tree")
TEXT_TREES = CALL_TREES + OBJECT_TREES
SMALL_TREES = [(case, name) for case, name in TEXT_TREES if truth_of(case)[name]["totals"]["rows"] < 20_000]
LOADER_TREES = [(case, name) for case, name in CALL_TREES if "loaders" in truth_of(case)[name]]

Run = Callable[..., Answer]

EACH = 6
"""Of so many chosen rows, methods, or objects, commands are asked about one; the report itself about all, in the tests
of its views.
"""


def ids(samples: list[tuple[str, str]]) -> list[str]:
    return [f"{case}/{name}" for case, name in samples]


@pytest.fixture
def expected(request: pytest.FixtureRequest) -> Any:
    case, name = request.param
    return truth_of(case)[name] | {"path": sample_path(case, name)}


text_trees = pytest.mark.parametrize("expected", TEXT_TREES, indirect=True, ids=ids(TEXT_TREES))
call_trees = pytest.mark.parametrize("expected", CALL_TREES, indirect=True, ids=ids(CALL_TREES))
small_trees = pytest.mark.parametrize("expected", SMALL_TREES, indirect=True, ids=ids(SMALL_TREES))
loader_trees = pytest.mark.parametrize("expected", LOADER_TREES, indirect=True, ids=ids(LOADER_TREES))
object_trees = pytest.mark.parametrize("expected", OBJECT_TREES, indirect=True, ids=ids(OBJECT_TREES))


def status_of(expected: Any, status: int = 0) -> int:
    """A damaged report ends with 3, whatever the answer."""
    return 3 if expected["problems"] else status


@text_trees
def test_info_shows_format_totals_and_problems(expected: Any, coffeetree: Run) -> None:
    answer = coffeetree("info", "--json", expected["path"])
    info = answer.json
    assert answer.status == status_of(expected)
    assert {name: info[name] for name in ("format", "format_version", "encoding", "line_end")} == {
        name: expected[name] for name in ("format", "format_version", "encoding", "line_end")
    }
    assert info["totals"] == expected["totals"]
    assert info["bytes"] == expected["totals"]["bytes"]
    assert info["views"][0]["rows"] == expected["totals"]["rows"]
    assert info["files"][0]["totals"] == expected["totals"]
    found = [(problem["kind"], problem["line"], problem["offset"]) for problem in info["problems"]]
    assert found[:50] == [(problem["kind"], problem["line"], problem["offset"]) for problem in expected["problems"]]
    assert all(f"{problem['offset']:,}" in answer.err for problem in expected["problems"])


@text_trees
def test_rows_by_depth(expected: Any, coffeetree: Run) -> None:
    assert coffeetree("info", "--json", expected["path"]).json["facts"].get("depth_rows", []) == expected["depth_rows"]


@small_trees
def test_every_row_of_a_small_tree_is_printed(expected: Any, coffeetree: Run) -> None:
    answer = coffeetree("tree", "--json", "--depth", "all", "--limit", "all", expected["path"])
    depths = [row["depth"] for row in answer.rows]
    assert [depths.count(depth) for depth in range(max(depths, default=-1) + 1)] == expected["depth_rows"]
    assert "missing" not in answer.err


@text_trees
def test_chosen_rows(expected: Any, coffeetree: Run) -> None:
    for node in expected["nodes"][::EACH]:
        answer = coffeetree("show", "--json", expected["path"], f"line:{node['line']}")
        shown = answer.json
        row, path = shown["row"], shown["path"]
        assert answer.status == status_of(expected)
        badges = {name: node[name] for name in ("id", "id_ref", "bci", "tag", "text") if node.get(name) is not None}
        assert row["badges"] == badges
        plain = ("line", "offset", "depth", "kind", "label", "children", "rows_below")
        assert {name: row[name] for name in plain} == {name: node[name] for name in plain}
        assert row["ref"] == f"line:{node['line']}"
        assert path[-1] == row
        assert (path[-2]["line"] if len(path) > 1 else None) == node["parent_line"]
        if "link_line" in node:
            assert row["link"] == (f"line:{node['link_line']}" if node["link_line"] else None)


@text_trees
def test_lines_that_hold_a_text(expected: Any, coffeetree: Run) -> None:
    for text, count in expected["lines_containing"].items():
        answer = coffeetree("find", "--count", "--json", expected["path"], text)
        assert (text, answer.json) == (text, {"count": count})
        assert answer.status == status_of(expected, 0 if count else 1)


@loader_trees
def test_declared_methods_by_loader(expected: Any, coffeetree: Run) -> None:
    assert coffeetree("info", "--json", expected["path"]).json["facts"]["loaders"] == expected["loaders"]


@call_trees
def test_largest_entries(expected: Any, coffeetree: Run) -> None:
    rows = coffeetree("tree", "--json", "--depth", "0", "--limit", "all", expected["path"]).rows
    entries = sorted((-row["rows_below"], row["line"], row["badges"]["id"]) for row in rows if row["kind"] == "entry")
    largest = expected["largest_entries"]
    assert entries[: len(largest)] == [(-entry["rows_below"], entry["line"], entry["id"]) for entry in largest]


@call_trees
def test_chosen_methods(expected: Any, coffeetree: Run) -> None:
    for method in expected["methods"][::EACH]:
        ref = f"id:{method['id']}"
        shown = coffeetree("show", "--json", expected["path"], ref).json
        assert {name: shown["row"][name] for name in ("line", "depth", "label", "rows_below")} == {
            name: method[name] for name in ("line", "depth", "label", "rows_below")
        }
        assert len(shown["path"]) == method["path_rows"]
        assert distance_in(shown) == method["distance"]
        if method["path_lines"] is not None:
            assert [row["line"] for row in shown["path"]] == method["path_lines"]
            why = coffeetree("why", "--json", expected["path"], ref).json
            assert [row["line"] for row in why["path"]] == method["path_lines"]
            assert why["match"] == shown["row"]
        refs = coffeetree("refs", "--json", expected["path"], ref)
        assert len(refs.rows) == method["call_sites"]
        assert refs.status == status_of(expected, 0 if method["call_sites"] else 1)
        assert len(callers_of(coffeetree, expected, ref)) == method["callers"]


def distance_in(shown: Any) -> int | None:
    """Returns the distance from an entry in the side pane of a method; an entry itself has no such row."""
    texts = [row["text"] for section in shown["sections"] for row in section["rows"] if row["label"] == "distance"]
    if not texts and shown["row"]["kind"] == "entry":
        return 0
    number = texts[0].partition(" ")[0].replace(",", "")
    return int(number) if number.isdigit() else None


def callers_of(coffeetree: Run, expected: Any, ref: str) -> set[str]:
    """The different methods that call one, by the REF of their declaration."""
    answer = coffeetree(
        "tree", "--json", "--view", "Callers", "--at", ref, "--depth", "1", "--limit", "all", expected["path"]
    )
    return {row["badges"]["id"] for row in answer.rows[1:]}


@object_trees
def test_largest_roots(expected: Any, coffeetree: Run) -> None:
    rows = coffeetree("tree", "--json", "--depth", "0", "--limit", "all", expected["path"]).rows
    roots = sorted((-row["rows_below"], row["line"], row["label"]) for row in rows if row["kind"] == "root")
    largest = expected["largest_roots"]
    assert roots[: len(largest)] == [(-root["rows_below"], root["line"], root["source"]) for root in largest]


@object_trees
def test_largest_types(expected: Any, coffeetree: Run) -> None:
    answer = coffeetree("tree", "--json", "--view", "Types", "--depth", "0", "--limit", "all", expected["path"])
    types = sorted((-row["badges"]["objects"], row["label"]) for row in answer.rows)
    largest = expected["largest_types"]
    assert types[: len(largest)] == [(-count, name) for name, count in largest]


@object_trees
def test_chosen_objects(expected: Any, coffeetree: Run) -> None:
    for vertex in expected["objects"][::EACH]:
        ref = f"id:{vertex['id']}"
        shown = coffeetree("show", "--json", expected["path"], ref).json
        assert {name: shown["row"][name] for name in ("line", "label", "rows_below")} == {
            name: vertex[name] for name in ("line", "label", "rows_below")
        }
        assert shown["path"][0]["line"] == vertex["root_line"]
        assert len(shown["path"]) == vertex["path_rows"]
        if vertex["path_lines"] is not None:
            assert [row["line"] for row in shown["path"]] == vertex["path_lines"]
            why = coffeetree("why", "--json", expected["path"], ref).json
            assert [row["line"] for row in why["path"]] == vertex["path_lines"]
        refs = coffeetree("refs", "--json", expected["path"], ref)
        assert len(refs.rows) == vertex["id_refs"]
        assert refs.status == status_of(expected, 0 if vertex["id_refs"] else 1)


def test_a_report_without_bytes_is_none(coffeetree: Run) -> None:
    name = next(name for name, truth in truth_of("quirks").items() if truth["format"] is None)
    answer = coffeetree("info", sample_path("quirks", name))
    assert answer.status == 2
    assert "is empty" in answer.err
