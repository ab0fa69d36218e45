"""A folder of one build as one report: the views of all its reports, and what joins them."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import Answer

from parsers.io.cache import Cache
from parsers.model.capabilities import StopsIndex
from parsers.model.report import Report, ReportError
from parsers.model.view import UnknownReference
from parsers.reports.members import MembersReport
from parsers.runtime.opening import open_report
from parsers.views.collection import own_view, owner_of

Run = Callable[..., Answer]

FOLDERS = ("v20_to_24.0", "v24.1", "v24.2_and_25")


@pytest.fixture
def folder(corpus: Path) -> Path:
    return corpus / "v20_to_24.0" / "reports"


@pytest.fixture
def build(folder: Path, cache: Cache) -> Iterator[MembersReport]:
    report = open_report([str(folder)], cache=cache)
    assert isinstance(report, MembersReport)
    yield report
    report.close()


def texts(view: Any, node: int) -> dict[str, list[tuple[str, str]]]:
    return {section.title: [(row.label, row.text) for row in section.rows] for section in view.sections(node)}


def test_a_folder_of_one_build_is_one_report_with_all_views(build: MembersReport) -> None:
    assert build.format == "graalvm-build"
    names = build.views.names
    trees = names[: names.index("Classes")]
    assert trees[:4] == ["Call tree", "Callers", "Entry points", "Packages (call tree)"]
    assert [name for name in trees if name in ("Heap roots", "Types", "Referrers")] == [
        "Heap roots",
        "Types",
        "Referrers",
    ]
    assert names[len(trees) :] == [
        "Classes",
        "Packages",
        "Heap histogram",
        "Class initialization",
        "Statistics",
        "Used methods",
        "Used classes",
        "Used packages",
    ]


def test_only_opened_reports_are_indexed(build: MembersReport) -> None:
    def opened() -> set[str]:
        return {member.title for member in build.members if member.is_open}

    before = opened()
    assert "heap histogram" not in before
    build.start_index()
    assert build.view("heap histogram").row_count == 3
    assert opened() == before | {"heap histogram"}


def test_a_view_knows_its_report_and_links_by_the_names_of_all(build: MembersReport) -> None:
    build.wait()
    view: Any = build.view("Packages (call tree)")
    assert (own_view(view).name, owner_of(build, view).format) == ("Packages", "graalvm-call-tree")
    node = view.resolve("class:com.example.Config")
    there = {row.view for section in view.sections(node) for row in section.rows if row.ref}
    assert there == {"Call tree", "Packages (call tree)"}
    assert view.references(node).view == "Call tree"
    assert view.why(node).view == "Entered from"
    place, line = view.locate("line:3")
    assert (place.name, place.row(line).line) == ("Call tree", 3)


def test_a_class_shows_the_facts_of_all_reports(build: MembersReport) -> None:
    build.wait()
    view: Any = build.view("Classes")
    row = view.row(view.resolve("class:com.example.Config"))
    assert row.badges == {
        "methods": 2,
        "call_sites": 2,
        "objects": 1,
        "tree_objects": 0,
        "initialization": "RUN_TIME",
    }
    told = texts(view, row.node)
    assert told["Initialization"] == [
        ("initialized", "RUN_TIME"),
        ("reason", "classes are initialized at run time by default"),
    ]
    assert told["Objects in the image"] == [("heap histogram", "1"), ("object tree", "none")]
    assert [name for name, _ in told["Methods (2), call sites"]] == ["<clinit>", "<init>"]
    assert told["Reached first through"] == [("", "Config.<clinit>")]


def test_of_more_methods_than_are_shown_all_are_one_step_away(
    build: MembersReport, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("parsers.formats.graalvm.folder.pane.SHOWN", 1)
    build.wait()
    view = build.view("Classes")
    section = next(each for each in view.sections(view.resolve("class:com.example.Config")) if each.more)
    shown, everywhere = section.rows
    assert (section.title, shown.badges, everywhere.label) == (
        "Methods (2), call sites",
        {"call_sites": 0},
        "all of them",
    )
    there = build.view(everywhere.view or "")
    assert len(there.tree.children(there.resolve(everywhere.ref or ""))) == 2


def test_callers_of_a_class_and_paths_to_it_come_from_the_call_tree(
    build: MembersReport, folder: Path, coffeetree: Run
) -> None:
    build.wait()
    view, calls = build.view("Classes"), build.view("Packages (call tree)")
    node, there = (each.resolve("class:java.lang.Object") for each in (view, calls))
    for ask in ("references", "why"):
        mine, theirs = getattr(view, ask)(node), getattr(calls, ask)(there)
        assert (mine.view, list(mine.nodes)) == (theirs.view, list(theirs.nodes))
    asked = ["--json", "--view", "Classes", folder, "class:java.lang.Object"]
    path = coffeetree("why", *asked).json["path"]
    assert [row["kind"] for row in path] == ["entry", "virtual call", "overridden by"]
    assert len(coffeetree("refs", *asked).rows) == 2


def test_the_largest_are_first(build: MembersReport) -> None:
    build.wait()
    for name in ("Classes", "Packages"):
        view = build.view(name)
        methods = [view.tree.row(node).badges["methods"] for node in view.tree.roots()]
        assert methods == sorted(methods, reverse=True)


def test_a_view_may_be_asked_for_by_the_name_that_its_report_has_for_it(build: MembersReport, coffeetree: Run) -> None:
    assert build.view("dominators").name == "Dominators (call tree)"
    assert build.view("packages").name == "Packages"
    with pytest.raises(KeyError):
        build.view("none")


def test_numbers_of_classes_add_up_to_those_of_packages(build: MembersReport) -> None:
    build.wait()
    for what in ("methods", "call_sites", "objects", "tree_objects"):
        sums = [
            sum(view.row(node).badges[what] for node in range(view.row_count))
            for view in (build.view("Classes"), build.view("Packages"))
        ]
        assert sums[0] == sums[1] > 0
    calls, histogram = build.view("Packages (call tree)"), build.view("Heap histogram")
    packages: Any = build.view("Packages")
    for node in calls.tree.roots():
        row = calls.tree.row(node)
        assert packages.row(packages.resolve(row.ref)).badges["methods"] == row.badges["methods"]
    assert sum(packages.row(node).badges["objects"] for node in range(packages.row_count)) == sum(
        histogram.tree.row(node).badges["count"] for node in histogram.tree.roots()
    )


@pytest.mark.parametrize("case", FOLDERS)
def test_all_links_lead_somewhere(case: str, corpus: Path, cache: Cache) -> None:
    report: Any = open_report([str(corpus / case / "reports")], cache=cache)
    report.wait()
    for name in report.views.names:
        view = report.view(name)
        for node in list(view.tree.roots())[:25]:
            rows = [row for section in view.sections(node) for row in section.rows if row.ref]
            for link in (*view.links(node), *rows):
                assert report.locate(link.ref, link.view)
    report.close()


def test_missing_reports_show_the_option_that_writes_them(corpus: Path, cache: Cache, coffeetree: Run) -> None:
    folder = corpus / "v24.1" / "reports"
    report: Any = open_report([str(folder)], cache=cache)
    assert "PrintClassInitialization" in report.missing_views["Class initialization"]
    report.close()
    answer = coffeetree("tree", "--view", "statistics", folder)
    assert (answer.status, "-H:+PrintAnalysisStatistics writes it" in answer.err) == (2, True)


def test_build_output_beside_the_folder_is_of_its_build(corpus: Path, cache: Cache) -> None:
    report: Any = open_report([str(corpus / "real_23.0_helloworld_csv")], cache=cache)
    names = report.views.names
    assert "Build output" in names and "Call tree" in names and "Build output" not in report.missing_views
    assert report.view("Build output").resolve("name:analysis_results.methods.reachable") > 0
    report.close()


def test_files_of_different_kinds_are_one_report_together(folder: Path, tmp_path: Path, cache: Cache) -> None:
    names = ["used_classes_demo_20230401_101500.txt", "analysis_heap_histogram_demo_20230401_101500.txt"]
    report = open_report([str(folder / name) for name in names], cache=cache)
    assert report.views.names == ["Classes", "Packages", "Used classes", "Heap histogram"]
    report.wait()
    assert report.view("Classes").row_count == 17
    report.close()
    log = tmp_path / "log.xml"
    log.write_text("<?xml version='1.0' encoding='UTF-8'?>\n<hotspot_log version='160 1'>\n")
    with pytest.raises(ReportError, match="no parts of one run"):
        open_report([str(folder / names[0]), str(log)], cache=cache)


def test_a_folder_with_two_builds_needs_a_choice(folder: Path, tmp_path: Path, cache: Cache) -> None:
    for path in folder.iterdir():
        shutil.copy(path, tmp_path / path.name)
        shutil.copy(path, tmp_path / path.name.replace("20230401", "20230402"))
    with pytest.raises(ReportError, match="name one of them"):
        open_report([str(tmp_path)], cache=cache)


# -- without the browser ----------------------------------------------------------------------------------------------


def test_commands_ask_the_report_that_has_the_view(folder: Path, coffeetree: Run) -> None:
    (call_tree,) = folder.glob("call_tree*")
    assert coffeetree("tree", "--json", folder).out == coffeetree("tree", "--json", call_tree).out
    (histogram,) = folder.glob("*histogram*")
    asked = coffeetree("tree", "--json", "--view", "heap histogram", folder)
    assert asked.out == coffeetree("tree", "--json", histogram).out
    assert coffeetree("find", "--json", "--count", "--view", "used classes", folder, "java").json == {"count": 4}
    packages = coffeetree("tree", "--json", "--view", "packages (call tree)", folder)
    assert packages.out == coffeetree("tree", "--json", "--view", "packages", call_tree).out


def test_a_ref_is_looked_for_in_all_reports(folder: Path, coffeetree: Run) -> None:
    assert coffeetree("why", "--json", folder, "class:com.example.Config").json["match"]["kind"] == "entry"
    shown = coffeetree("show", "--json", folder, "class:java.util.concurrent.ConcurrentHashMap$Node").json
    assert shown["row"]["kind"] in ("type", "class")
    assert coffeetree("show", folder, "class:none.Such").status == 2


@pytest.mark.parametrize("ref", ["xx", "foo:3", "task:1"])
def test_a_text_that_is_no_ref_is_said_to_be_in_no_view(build: MembersReport, ref: str) -> None:
    build.wait()
    with pytest.raises(UnknownReference, match=f"^{ref}: nothing of that name in any view$"):
        build.locate(ref)


def test_the_indexes_of_all_reports_in_use_are_stopped_and_continued(
    build: MembersReport, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[tuple[str, Report]] = []
    build.open_all()
    indexed = [report for report in build.looked_at if isinstance(report, StopsIndex)]
    for report in indexed:
        for name in ("stop_index", "go_on_index"):
            monkeypatch.setattr(report, name, lambda name=name, report=report: done.append((name, report)))
    build.stop_index()
    build.go_on_index()
    assert len(indexed) > 1
    assert done == [(name, report) for name in ("stop_index", "go_on_index") for report in indexed]


def test_a_name_is_looked_for_in_all_reports(folder: Path, coffeetree: Run) -> None:
    assert coffeetree("why", "--json", folder, "toString").rows[0]["path"][0]["kind"] == "entry"
    assert coffeetree("why", "--json", folder, "java.util.HashMap$Node").rows[0]["path"][0]["kind"] == "root"
    assert coffeetree("why", folder, "no.such.Name").status == 1


def test_two_folders_are_compared(folder: Path, tmp_path: Path, coffeetree: Run) -> None:
    for path in folder.iterdir():
        data = path.read_bytes()
        if "histogram" in path.name:
            data = data.replace(b"1442", b"1443")
        (tmp_path / path.name).write_bytes(data)
    (row,) = coffeetree("diff", "--json", "--view", "Classes", folder, tmp_path).rows
    assert (row["label"], row["old"]["objects"], row["new"]["objects"]) == ("java.lang.Object[]", 1442, 1443)
    (row,) = coffeetree("diff", "--json", "--view", "heap histogram", folder, tmp_path).rows
    assert row["label"] == "java.lang.Object[]"
    assert coffeetree("diff", "--view", "Packages (call tree)", folder, tmp_path).status == 0


def test_info_of_files_together_counts_all(folder: Path, coffeetree: Run) -> None:
    info = coffeetree("info", "--json", *sorted(folder.iterdir())).json
    assert (info["format"], info["totals"]["reports"], len(info["files"])) == ("graalvm-build", 8, 8)
    assert info["bytes"] == sum(path.stat().st_size for path in folder.iterdir())
    assert {view["name"]: view["rows"] for view in info["views"]}["Heap histogram"] == 3


# -- in the browser ---------------------------------------------------------------------------------------------------


def test_joined_views_are_built_in_the_background(build: MembersReport) -> None:
    build.start_index()
    view: Any = build.view("Classes")
    assert (view.is_ready, view.is_prepared) == (True, False)
    preparation = view.preparation()
    preparation.run()
    assert (preparation.finish(), view.is_prepared, view.preparation()) == (True, True, None)


def test_while_a_report_is_not_known_its_classes_are_waited_for(
    build: MembersReport, monkeypatch: pytest.MonkeyPatch
) -> None:
    view: Any = build.view("Classes")
    monkeypatch.setattr("parsers.formats.graalvm.folder.views.STEP", 0)
    monkeypatch.setattr(type(view.own.report), "is_complete", False)
    preparation = view.preparation()
    preparation.run()
    assert (preparation.finish(), view.is_ready, view.is_prepared) == (False, False, False)
    assert view.preparation() is not None
