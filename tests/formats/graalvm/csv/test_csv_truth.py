"""Every number of the CSV samples' `truth.json`, asked through the headless commands, and the rows that it is about.

The truth was counted by a program that shares nothing with this project.
"""

from __future__ import annotations

import json
import lzma
import os
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from conftest import CORPUS, Answer, sample_path, samples, truth_of

from parsers.formats.graalvm.calls.tree_report import CallTreeReport
from parsers.formats.graalvm.csv.read.graph import CsvGraph, read_graph
from parsers.formats.graalvm.csv.read.table import EMPTY
from parsers.io.archives.unpack import without_suffix
from parsers.io.cache import Cache
from parsers.runtime.opening import open_report

SETS = samples("graalvm-call-tree-csv")
EACH = 4
"""Of so many methods, commands are asked about one."""
SEVEN = ("csv_21.3.0", "csv_21.3.2_22.0", "csv_22.1_22.2", "csv_22.3_to_24.0")

Run = Callable[..., Answer]


@pytest.fixture
def expected(request: pytest.FixtureRequest) -> Any:
    case, name = request.param
    truth = truth_of(case)[name]
    return truth | {"paths": [sample_path(case, file) for file in truth["files"]]}


csv_sets = pytest.mark.parametrize("expected", SETS, indirect=True, ids=[case for case, _ in SETS])


@csv_sets
def test_info_shows_format_files_and_totals(expected: Any, coffeetree: Run) -> None:
    info = coffeetree("info", "--json", expected["paths"][0]).json
    assert (info["format"], info["format_version"]) == (expected["format"], expected["format_version"])
    assert info["totals"] == expected["totals"]
    assert info["bytes"] == expected["totals"]["bytes"]
    assert [without_suffix(Path(each["file"]).name) for each in info["files"]] == expected["files"]
    assert sum(each["bytes"] for each in info["files"]) == expected["totals"]["bytes"]
    assert {each["totals"]["table"]: each["totals"]["rows"] for each in info["files"]} == expected["totals"]["rows"]
    assert info["problems"] == []


@csv_sets
def test_columns_of_methods(expected: Any) -> None:
    graph = graph_of(expected["paths"])
    for method in expected["methods"]:
        row = graph.methods[method["id"]]
        parameters = [] if row.parameters == EMPTY else row.parameters.decode().split(" ")
        assert {
            "name": row.name.decode(),
            "type": row.type.decode(),
            "parameters": parameters,
            "return": row.result.decode(),
            "flags": None if method["flags"] is None else row.flags.decode(),
        } == {name: method[name] for name in ("name", "type", "parameters", "return", "flags")}


@csv_sets
def test_methods_are_true(expected: Any, shared_cache: Path) -> None:
    path = os.fspath(expected["paths"][0])
    with closing(open_report([path], cache=Cache(str(shared_cache / "coffeetree")))) as report:
        assert isinstance(report, CallTreeReport)
        report.wait()
        document, callers = report.views[0], report.view("Callers")
        tree = document.tree
        for method in expected["methods"]:
            if method["distance"] is None:
                continue
            node, target = (view.resolve(f"id:{method['id']}") for view in (document, callers))
            sites = [callers.tree.row(site) for site in callers.tree.children(target)]
            calls = [tree.row(call) for call in tree.children(node)]
            virtual = (
                tree.row(each) for call in calls if call.kind == "virtual call" for each in tree.children(call.node)
            )
            called = [*(call for call in calls if call.kind != "virtual call"), *virtual]
            assert tree.row(node).label == label_of(method)
            assert report.tree.distance(report.tree.vertex(node)) == method["distance"]
            assert len({site.badges["id"] for site in sites}) == method["callers"]
            assert len({call.badges.get("id", call.badges.get("id_ref")) for call in called}) == method["callees"]


@csv_sets
def test_chosen_methods(expected: Any, coffeetree: Run) -> None:
    path = expected["paths"][0]
    for method in expected["methods"][::EACH]:
        ref = f"id:{method['id']}"
        if method["distance"] is None:
            # A target that calls name and never mean is no row of the tree.
            assert coffeetree("show", path, ref).status == 2
            continue
        shown = coffeetree("show", "--json", path, ref).json
        assert shown["row"]["label"] == label_of(method)
        assert distance_in(shown) == method["distance"]
        assert len(coffeetree("why", "--json", path, ref).json["path"]) == len(shown["path"])
        assert len(callers_of(coffeetree, path, ref)) == method["callers"]
        assert len(callees_of(coffeetree, path, ref)) == method["callees"]


def label_of(method: Any) -> str:
    return f"{method['type']}.{method['name']}({', '.join(method['parameters'])}):{method['return']}"


def distance_in(shown: Any) -> int:
    texts = [row["text"] for section in shown["sections"] for row in section["rows"] if row["label"] == "distance"]
    return int(texts[0].partition(" ")[0].replace(",", "")) if texts else 0


def callers_of(coffeetree: Run, path: Path, ref: str) -> set[int]:
    """The different methods that call one."""
    asked = ("--view", "Callers", "--at", ref, "--depth", "1", "--limit", "all")
    return {row["badges"]["id"] for row in coffeetree("tree", "--json", *asked, path).rows[1:]}


def callees_of(coffeetree: Run, path: Path, ref: str) -> set[int]:
    """The different methods that one calls: on rows below it, and below the virtual calls among these."""
    top, *rows = coffeetree("tree", "--json", "--at", ref, "--depth", "2", "--limit", "all", path).rows
    callees, is_virtual = set(), False
    for row in rows:
        if row["depth"] == top["depth"] + 1:
            is_virtual = row["kind"] == "virtual call"
        if (row["depth"] == top["depth"] + 1 or is_virtual) and row["kind"] != "virtual call":
            callees.add(row["badges"].get("id", row["badges"].get("id_ref")))
    return callees


def graph_of(paths: list[Path]) -> CsvGraph:
    return read_graph({table_in(path): read(path) for path in paths})


def table_in(path: Path) -> str:
    from parsers.io.report_name import split_name

    return split_name(path.name).table


def read(path: Path) -> bytes:
    return lzma.open(path).read() if path.suffix == ".xz" else path.read_bytes()


@pytest.mark.parametrize("case", SEVEN)
def test_the_tree_is_the_one_that_is_printed_as_text(case: str, coffeetree: Run) -> None:
    text = coffeetree("tree", "--json", "--depth", "all", "--limit", "all", CORPUS / "v20_to_24.0" / "reports" / TEXT)
    tables = coffeetree("tree", "--json", "--depth", "all", "--limit", "all", first_file(case))
    assert rows_in(tables) == rows_in(text)


TEXT = "call_tree_demo_20230401_101500.txt"


def first_file(case: str) -> Path:
    (truth,) = truth_of(case).values()
    return sample_path(case, truth["files"][0])


def rows_in(answer: Answer) -> list[Any]:
    """Contents of rows without ids, which differ between builds."""
    return [
        (row["line"], row["depth"], row["kind"], row["label"], row["badges"].get("bci"), "id" in row["badges"])
        for row in answer.rows
    ]


def test_missing_parts_are_reported(coffeetree: Run) -> None:
    case = CORPUS / "quirks" / "dangling_symlink"
    (truth,) = json.loads((case / "truth.json").read_text("utf-8"))["reports"].values()
    answer = coffeetree("info", "--json", case / "call_tree_methods.csv")
    info = answer.json
    assert answer.status == 3
    assert info["format"] == truth["format"]
    assert info["facts"]["missing_tables"] == truth["missing_tables"]
    assert [Path(each["file"]).name for each in info["files"]] == truth["files"]
    assert info["totals"] == {}
    assert "the table virtual_edges is not there; opened without it: virtual calls are unknown" in answer.err
