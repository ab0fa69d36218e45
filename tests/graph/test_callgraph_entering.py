"""Why a group exists: its entry points, the groups that call it, and a shortest path through each."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import Answer
from test_callgraph_views import PROGRAM, opened

from parsers.model.report import Report
from parsers.model.trees.tree import walk
from parsers.views.collection import path_from_root

Run = Callable[..., Answer]


def why(report: Report, view: str, ref: str) -> list[str]:
    """Rows of the answer as lines: label, and edges if the row counts them."""
    asked: Any = report.view(view)
    answer = path_from_root(report, asked, asked.resolve(ref))
    return lines(report.view(answer.view))


def lines(view: Any) -> list[str]:
    rows = [(view.tree.row(node), level) for node, level in walk(view.tree)]
    return [f"{'  ' * level}{row.label} {row.badges.get('edges', '')}".rstrip() for row, level in rows]


def test_a_package_is_entered_from_other_packages_by_shortest_paths(tmp_path: Path) -> None:
    assert why(opened(tmp_path, PROGRAM), "Packages", "package:a.c") == [
        "a.c 2",
        "  no entry points among 1 method; entered from:",
        "  a.b 2",
        "    z.Main.main():void",
        "      a.b.Map.put():void",
        "        a.c.Copy.copy():void",
    ]


def test_a_class_is_entered_from_other_classes_of_its_package_too(tmp_path: Path) -> None:
    found = why(opened(tmp_path, PROGRAM), "Packages", "class:a.b.Map")
    assert found[0] == "a.b.Map 2"
    assert [line for line in found if line.startswith("  ") and line[2] != " "][1:] == ["  z.Main 1", "  a.b.List 1"]


def test_groups_of_entry_points_alone_say_so(tmp_path: Path) -> None:
    assert why(opened(tmp_path, PROGRAM), "Packages", "package:z") == [
        "z 0",
        "  the only method is an entry point",
        "    z.Main.main():void",
    ]


def test_groups_of_dominators_have_the_same_answer(tmp_path: Path) -> None:
    report = opened(tmp_path, PROGRAM)
    view: Any = report.view("Dominators")
    view.choose("merge", "by package")
    assert why(report, "Dominators", "package:a.c") == why(report, "Packages", "package:a.c")


def test_a_cut_call_does_not_enter_and_the_path_avoids_it(tmp_path: Path) -> None:
    report = opened(tmp_path, PROGRAM)
    assert report.graph.cuts.cut("a.b.Map.put* -> a.c.Copy.copy*") == []
    found = why(report, "Packages", "package:a.c")
    assert found[0] == "a.c 1"
    assert "      a.b.List.add():void" in found and not any("Map.put" in line for line in found)


def test_an_entry_point_that_is_cut_is_not_counted(tmp_path: Path) -> None:
    report = opened(tmp_path, PROGRAM)
    whole = why(report, "Packages", "package:z")
    assert report.graph.cuts.cut("line:2") == []
    assert "is an entry point" in whole[1] and "no entry points" in why(report, "Packages", "package:z")[1]


def test_a_limit_of_sources_bounds_what_is_printed_and_names_the_rest(tmp_path: Path, coffeetree: Run) -> None:
    path = tmp_path / "call_tree.txt"
    path.write_text(PROGRAM, "utf-8")
    none = coffeetree("why", "--limit", "0", path, "package:a.c")
    one = coffeetree("why", "--limit", "1", path, "package:a.c")
    assert "1 more source not shown" in none.err and "Map.put" not in none.out
    assert "not shown" not in one.err and "Map.put" in one.out


def test_patterns_are_answered_as_one_group(tmp_path: Path) -> None:
    view: Any = opened(tmp_path, PROGRAM).view("Entered from")
    assert view.row_count == 0
    view.ask("a.*")
    assert lines(view)[0] == "a.* 2"
    assert view.entry_facts() == {
        "members": 5,
        "entry_points": 0,
        "edges": 2,
        "sources": [{"label": "z", "ref": "package:z", "edges": 2}],
    }


@pytest.mark.parametrize("ref", ["package:a.c", "class:a.c.Copy"])
def test_references_to_a_group_come_from_outside(tmp_path: Path, ref: str) -> None:
    report = opened(tmp_path, PROGRAM)
    view: Any = report.view("Packages")
    found = view.references(view.resolve(ref))
    rows = [report.view(found.view).tree.row(node) for node in found.nodes]
    assert [row.line for row in rows] == [6, 10]
    (section,) = [each for each in view.sections(view.resolve(ref)) if each.title.startswith("Entered from")]
    assert section.title == "Entered from (2 calls)"


def test_why_prints_the_summary_of_a_group_or_of_patterns_and_keeps_the_path_in_json(
    tmp_path: Path, coffeetree: Run
) -> None:
    path = tmp_path / "call_tree.txt"
    path.write_text(PROGRAM, "utf-8")
    found = coffeetree("why", path, "package:a.c").out
    assert "no entry points among 1 method; entered from:" in found and "a.b.Map.put" in found
    assert "no entry points among 5 methods; entered from:" in coffeetree("why", path, "a.*").out
    answer = coffeetree("why", "--json", path, "package:a.c").json
    assert [row["line"] for row in answer["path"]] == [2, 8, 10]
    assert answer["entered_from"]["sources"] == [{"label": "a.b", "ref": "package:a.b", "edges": 2}]
