"""Which files are one CSV call tree, what is wrong with them, and what is found in it."""

from __future__ import annotations

import os
import random
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import CORPUS, Answer, sample_path, samples, truth_of

from parsers.formats.graalvm.builds.normalised import normalised
from parsers.formats.graalvm.calls.index.row import DIRECT, ENTRY, OVERRIDDEN, VIRTUAL
from parsers.formats.graalvm.csv.filter import CsvLineFinder
from parsers.formats.graalvm.csv.read.table import method_of
from parsers.io.cache import Cache
from parsers.model.report import ReportError
from parsers.query.search.pattern import compile_pattern
from parsers.runtime.opening import open_report

Run = Callable[..., Answer]

TABLES = {
    "methods": "Id,Name,Type,Parameters,Return,Display,Flags\n"
    "0,main,a.B,empty,void,a.B.main,ps\n1,x,a.C,int,int,a.C.x,p\n",
    "virtual_methods": "Id,Name,Type,Parameters,Return,Display,Flags\n2,x,a.D,int,int,a.D.x,pa\n",
    "vm": "Id,Name\n0,VM\n",
    "entry_points": "Id\n0\n",
    "direct_edges": "StartId,EndId,BytecodeIndexes\n",
    "virtual_edges": "StartId,EndId,BytecodeIndexes\n0,2,7\n",
    "override_by_edges": "StartId,EndId\n2,1\n",
}


def put(folder: Path, image: str = "x", time: str = "20240101_101010", **others: Any) -> dict[str, Path]:
    """A small set; tables that are others are given."""
    paths = {}
    for table, text in (TABLES | others).items():
        paths[table] = folder / f"call_tree_{table}_{image}_{time}.csv"
        paths[table].write_bytes(text if isinstance(text, bytes) else text.encode())
    return paths


def lines(answer: Answer) -> list[str]:
    """Rows as lines: kind, label, badges, number of rows below."""
    return [
        " ".join(
            [
                f"{row['kind']} {row['label']}",
                *(f"{name.replace('_', '-')}={value}" for name, value in row["badges"].items()),
                *([f"({row['rows_below']} below)"] if row["rows_below"] else []),
            ]
        )
        for row in answer.rows
    ]


def tree(coffeetree: Run, path: Path) -> list[str]:
    return lines(coffeetree("tree", "--json", "--depth", "all", "--limit", "all", path))


PRINTED = [
    "entry a.B.main():void id=0 (2 below)",
    "virtual call a.D.x(int):int bci=7 (1 below)",
    "overridden by a.C.x(int):int id=1",
]


def test_any_file_of_a_set_opens_it(tmp_path: Path, coffeetree: Run) -> None:
    for path in put(tmp_path).values():
        assert tree(coffeetree, path) == PRINTED


def test_several_files_of_a_set_open_it(tmp_path: Path) -> None:
    paths = put(tmp_path)
    report = open_report([str(paths["vm"]), str(paths["methods"])], cache=Cache(keep=False))
    assert len(report.files) == 7
    assert report.title == "call_tree_*_x_20240101_101010.csv"
    report.close()


def test_a_link_opens_the_set_it_leads_to(tmp_path: Path, coffeetree: Run) -> None:
    paths = put(tmp_path)
    os.symlink(paths["methods"].name, tmp_path / "call_tree_methods.csv")
    assert tree(coffeetree, tmp_path / "call_tree_methods.csv") == PRINTED


def test_a_dangling_link_means_the_newest_table(tmp_path: Path, coffeetree: Run) -> None:
    put(tmp_path, time="20230101_101010", entry_points="Id\n")
    put(tmp_path)
    os.symlink("/nowhere/call_tree_vm_x_20200101_101010.csv", tmp_path / "call_tree_vm.csv")
    assert tree(coffeetree, tmp_path / "call_tree_vm.csv") == PRINTED


def test_tables_of_a_set_may_carry_different_seconds(tmp_path: Path, coffeetree: Run) -> None:
    paths = put(tmp_path)
    later = paths["vm"].with_name("call_tree_vm_x_20240101_101012.csv")
    paths["vm"].rename(later)
    answer = coffeetree("info", "--json", paths["methods"])
    assert answer.status == 0
    assert str(later) in [each["file"] for each in answer.json["files"]]


def test_sets_of_a_folder_are_kept_apart(tmp_path: Path, coffeetree: Run) -> None:
    first, other = put(tmp_path, "first"), put(tmp_path, "other", entry_points="Id\n1\n")
    assert tree(coffeetree, first["vm"]) == PRINTED
    assert tree(coffeetree, other["vm"])[0] == "entry a.C.x(int):int id=1"
    with pytest.raises(ReportError, match="is the table direct_edges of another call tree"):
        open_report([str(first["vm"]), str(other["vm"])], cache=Cache(keep=False))


def test_an_index_is_of_all_files(tmp_path: Path, coffeetree: Run) -> None:
    filler = "".join(f"{id},m{id},a.B,empty,void,a.B.m{id},p\n" for id in range(10, 4000))
    paths = put(tmp_path, methods=TABLES["methods"] + filler)
    assert coffeetree("info", "--json", paths["vm"]).json["totals"]["entries"] == 1
    paths["entry_points"].write_text("Id\n0\n1\n")
    assert coffeetree("info", "--json", paths["vm"]).json["totals"]["entries"] == 2


@pytest.mark.parametrize("case", ["csv_21.3.0", "csv_25"])
def test_rows_in_any_order_with_any_line_end_give_the_same(case: str, tmp_path: Path, coffeetree: Run) -> None:
    (truth,) = truth_of(case).values()
    folder = tmp_path / "reports"
    shutil.copytree(CORPUS / case / "reports", folder)
    chance = random.Random(7)
    for file in truth["files"]:
        header, *rows = (folder / file).read_bytes().split(b"\n")[:-1]
        chance.shuffle(rows)
        text = b"".join(row + b"\r\n" for row in [header, *rows, b""])
        (folder / file).write_bytes(b"\xef\xbb\xbf" + text)
    there, here = (tree(coffeetree, path / truth["files"][0]) for path in (CORPUS / case / "reports", folder))
    assert here == there
    assert coffeetree("info", "--json", folder / truth["files"][0]).json["line_end"] == "crlf"


# -- damage ------------------------------------------------------------------------------------------------------------


def problems(coffeetree: Run, path: Path) -> list[tuple[str, str, int | None, int | None]]:
    found = coffeetree("info", "--json", path).json["problems"]
    tables = [Path(each["file"]).name.removeprefix("call_tree_").partition("_x_")[0] for each in found]
    return [(each["kind"], table, each["line"], each["offset"]) for table, each in zip(tables, found, strict=True)]


DAMAGE: dict[str, tuple[dict[str, Any], list[tuple[str, str, int, int]]]] = {
    "a cut file": ({"virtual_edges": TABLES["virtual_edges"][:-1]}, [("cut", "virtual_edges", 2, 30)]),
    "a torn row": (
        {"virtual_edges": TABLES["virtual_edges"] + "0,2\n"},
        [("unknown row", "virtual_edges", 3, 36)],
    ),
    "zeros": ({"entry_points": b"Id\n0\n\0\0\0\n"}, [("unknown row", "entry_points", 3, 5)]),
    "an id twice": (
        {"methods": TABLES["methods"] + "1,y,a.E,empty,void,a.E.y,p\n"},
        [("duplicate id", "methods", 4, 103)],
    ),
    "an edge to nowhere": (
        {"direct_edges": TABLES["direct_edges"] + "0,123456789012345678,3\n"},
        [("dangling reference", "direct_edges", 2, 30)],
    ),
    "a call without caller": (
        {"direct_edges": TABLES["direct_edges"] + "77,1,3\n"},
        [("dangling reference", "direct_edges", 2, 30)],
    ),
}


@pytest.mark.parametrize("case", DAMAGE)
def test_damage_is_reported_with_its_position_and_costs_nothing_else(
    case: str, tmp_path: Path, coffeetree: Run
) -> None:
    others, expected = DAMAGE[case]
    path = put(tmp_path, **others)["methods"]
    assert problems(coffeetree, path) == expected
    printed = tree(coffeetree, path)
    assert printed[0].startswith("entry a.B.main():void id=0")
    assert "overridden by a.C.x(int):int id=1" in printed or "direct call a.C.x(int):int id=1 bci=3" in printed


def test_methods_missing_in_all_tables_are_shown_without_name(tmp_path: Path, coffeetree: Run) -> None:
    path = put(tmp_path, direct_edges=TABLES["direct_edges"] + "0,99,3\n77,1,4\n77,77,5\n")["methods"]
    assert tree(coffeetree, path) == [
        "entry a.B.main():void id=0 (3 below)",
        *PRINTED[1:],
        "direct call method 99 id=99 bci=3",
        "unreached method 77 id=77 (2 below)",
        "direct call a.C.x(int):int id-ref=1 bci=4",
        "direct call method 77 id-ref=77 bci=5",
    ]


def test_a_file_that_is_no_table_is_missing(tmp_path: Path, coffeetree: Run) -> None:
    paths = put(tmp_path, entry_points=b"\0\1\2\3" * 100)
    info = coffeetree("info", "--json", paths["methods"]).json
    assert info["facts"]["missing_tables"] == ["entry_points"]
    assert [problem["kind"] for problem in info["problems"]] == ["missing table"]
    assert tree(coffeetree, paths["methods"])[0] == "unreached a.B.main():void id=0 (2 below)"


def test_a_table_of_the_other_layout_is_left_out(tmp_path: Path, coffeetree: Run) -> None:
    path = put(tmp_path, targets="InvokeId,TargetId\n0,1\n")["methods"]
    info = coffeetree("info", "--json", path).json
    assert [(problem["kind"], problem["what"]) for problem in info["problems"]] == [
        ("other table", "the table targets is of another layout than most")
    ]
    assert tree(coffeetree, path) == PRINTED


def test_a_small_set_of_very_many_rows_is_no_work_for_plain_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, coffeetree: Run
) -> None:
    path = put(tmp_path)["methods"]
    monkeypatch.setattr("parsers.formats.graalvm.csv.tree.MOST_PLAIN", 1)
    assert tree(coffeetree, path) == PRINTED
    report: Any = open_report([str(path)], cache=Cache(keep=False))
    assert not report.is_small
    report.close()


def test_methods_that_lie_too_deep_are_continued_at_the_top_with_their_true_callers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, coffeetree: Run
) -> None:
    monkeypatch.setattr("parsers.formats.graalvm.csv.tree.DEEPEST", 5)
    methods = "".join(f"{id},f{id},a.B,empty,void,a.B.f{id},p\n" for id in range(12))
    path = put(
        tmp_path,
        methods=f"Id,Name,Type,Parameters,Return,Display,Flags\n{methods}",
        virtual_methods="Id,Name,Type,Parameters,Return,Display,Flags\n20,x,a.D,int,int,a.D.x,pa\n",
        direct_edges=TABLES["direct_edges"] + "".join(f"{id},{id + 1},1\n" for id in range(10)),
        virtual_edges="StartId,EndId,BytecodeIndexes\n2,20,7\n",
        override_by_edges="StartId,EndId\n20,11\n",
    )["methods"]
    (problem,) = coffeetree("info", "--json", path).json["problems"]
    assert (problem["kind"], problem["done"]) == (
        "too deep",
        "methods that lie deeper are rows at the top, of the kind continued",
    )
    assert tree(coffeetree, path) == [
        "entry a.B.f0():void id=0 (6 below)",
        "direct call a.B.f1():void id=1 bci=1 (5 below)",
        "direct call a.B.f2():void id=2 bci=1 (4 below)",
        "direct call a.B.f3():void id=3 bci=1 (1 below)",
        "direct call a.B.f4():void id-ref=4 bci=1",
        "virtual call a.D.x(int):int bci=7 (1 below)",
        "overridden by a.B.f11():void id-ref=11",
        "continued a.B.f11():void id=11",
        "continued a.B.f4():void id=4 (4 below)",
        "direct call a.B.f5():void id=5 bci=1 (3 below)",
        "direct call a.B.f6():void id=6 bci=1 (2 below)",
        "direct call a.B.f7():void id=7 bci=1 (1 below)",
        "direct call a.B.f8():void id-ref=8 bci=1",
        "continued a.B.f8():void id=8 (2 below)",
        "direct call a.B.f9():void id=9 bci=1 (1 below)",
        "direct call a.B.f10():void id=10 bci=1",
    ]
    report: Any = open_report([str(path)], cache=Cache(keep=False))
    assert {row["kind"] for row in coffeetree("tree", "--json", "--depth", "all", path).rows} <= report.kinds.keys()
    report.close()
    (found,) = coffeetree("why", "--json", path, "method:a.B.f10():void").rows
    assert list(dict.fromkeys(row["label"] for row in found["path"])) == [f"a.B.f{id}():void" for id in range(11)]
    for callee, caller in ((4, 3), (8, 7), (11, 2)):
        (call,) = coffeetree("refs", "--json", path, f"id:{callee}").rows
        assert call["from"]["label"] == f"a.B.f{caller}():void"
    shown = coffeetree("show", path, "id:10").out
    assert "distance  10 calls from an entry" in shown
    cut = coffeetree("info", "--json", "--cut", "a.B.f3():void", path).json["cuts"]
    assert (cut["reached"], cut["gone"]) == (12, 8)


def test_a_name_with_very_many_commas_is_taken_apart_at_once() -> None:
    commas = b"a" + b",a" * 150_000
    row = method_of(b"7,%b,T,empty,void,x.%b,p" % (commas, commas), 1)
    assert row is not None and (row.name, row.type) == (commas, b"T")


# -- finding -----------------------------------------------------------------------------------------------------------


def test_a_pattern_is_looked_for_in_methods(coffeetree: Run) -> None:
    path = sample_path("csv_25", "call_tree_methods_demo_20250916_101500.csv")
    found = coffeetree("find", "--json", "--regex", path, "toString|get").rows
    assert [row["line"] for row in found] == [6, 7, 8, 9, 15, 16, 20, 21, 22, 23, 27, 35]
    assert coffeetree("find", "--count", "--json", path, "TOSTRING.").json == {"count": 0}
    assert coffeetree("find", "--count", "--json", path, "nowhere").status == 1


def test_a_pattern_that_is_no_expression_is_text() -> None:
    report: Any = open_report([str(CORPUS / "csv_25" / "reports")], cache=Cache(keep=False))
    found = CsvLineFinder(report, compile_pattern("println(")).matching()
    assert np.flatnonzero(found).tolist() == [9, 10, 23, 24]
    report.close()


@pytest.mark.parametrize("name", ["Call tree", "Packages", "Entry points"])
def test_filters_of_every_view_look_at_rows(name: str) -> None:
    report: Any = open_report([str(CORPUS / "csv_25" / "reports")], cache=Cache(keep=False))
    view = report.view(name)
    found = view.row_filters().matching(compile_pattern("Config"))
    labels = [view.tree.row(int(node)).label for node in np.flatnonzero(found)]
    assert labels and all("Config" in label for label in labels)
    report.close()


def test_suppressed_methods_hide_their_descendants(coffeetree: Run) -> None:
    path = sample_path("csv_25", "call_tree_methods_demo_20250916_101500.csv")
    answer = coffeetree("tree", "--depth", "all", "--suppress-methods", "com.example.Main.*", path)
    assert "line:11" not in answer.out and "line:10" in answer.out


# -- text and tables of one program ------------------------------------------------------------------------------------


def told_by(case: str) -> dict[str, Any]:
    """Returns the facts of a report about methods, by their normalised names."""
    name = next(name for case_, name in REAL if case_ == case)
    path = sample_path(case, truth_of(case)[name].get("files", [name])[0])
    report: Any = open_report([str(path)])
    report.wait()
    rows, names = report.tree, [normalised(report.text(bytes(name))) for name in report.tree.names]
    methods = {vertex: names[rows.name(vertex)] for vertex in range(rows.vertices) if rows.declaration(vertex) >= 0}
    found: dict[str, Any] = {
        "methods": Counter(methods.values()),
        "distances": Counter(dict.fromkeys(methods.values(), 0)),
        "entries": Counter(),
        "calls": {kind: set() for kind in (DIRECT, VIRTUAL, OVERRIDDEN)},
    }
    for vertex, method in methods.items():
        found["distances"][method] += rows.distance(vertex)
    kinds, vertices = report.indexed.kinds(0, rows.rows).tolist(), report.indexed.array("vertex").tolist()
    owners: dict[int, str] = {}
    for row, (kind, vertex, depth) in enumerate(zip(kinds, vertices, rows.depths(0, rows.rows), strict=True)):
        method = names[report.bulk.vertex_names[vertex]]
        if kind == ENTRY:
            found["entries"][method] += 1
        else:
            found["calls"][kind].add((owners[depth - 1], method))
        owners[depth] = method if rows.is_declaration(row) else owners.get(depth - 1, "")
    report.close()
    return found


REAL = [sample for sample in samples("graalvm-call-tree", "graalvm-call-tree-csv") if "_helloworld" in sample[0]]


def test_text_and_tables_of_one_program_agree() -> None:
    text, tables = told_by("real_23.0_helloworld"), told_by("real_23.0_helloworld_csv")
    assert tables["methods"] == text["methods"]
    assert tables["entries"] == text["entries"]
    assert tables["calls"][DIRECT] == text["calls"][DIRECT]
    assert tables["calls"][VIRTUAL] == text["calls"][VIRTUAL]
    # Seven tables list all overrides of a target anywhere: more than a call may mean. So paths may be shorter.
    assert tables["calls"][OVERRIDDEN] > text["calls"][OVERRIDDEN]
    assert all(tables["distances"][method] <= calls for method, calls in text["distances"].items())


# -- further columns of a method -------------------------------------------------------------------------------------


def in_table(report: Any, row: int) -> dict[str, str]:
    sections = [section for section in report.views[0].sections(row) if section.title == "In its table"]
    return {each.label: each.text for section in sections for each in section.rows}


def test_the_pane_shows_flags_and_position_of_a_method(tmp_path: Path) -> None:
    paths = put(tmp_path)
    report: Any = open_report([str(paths["methods"])], cache=Cache(keep=False))
    assert [in_table(report, row) for row in range(3)] == [
        {"flags": "public static", "display": "a.B.main", "table": paths["methods"].name, "at": "line 2, byte 45"},
        {
            "flags": "public abstract",
            "display": "a.D.x",
            "table": paths["virtual_methods"].name,
            "at": "line 2, byte 45",
        },
        {"flags": "public", "display": "a.C.x", "table": paths["methods"].name, "at": "line 3, byte 79"},
    ]
    report.close()


@pytest.mark.parametrize(
    ("header", "row", "flags"),
    [
        ("", "1,x,a.C,int,int,a.C.x", None),
        (",Flags", "1,x,a.C,int,int,a.C.x,", "none: package-private"),
        (",Flags", "1,x, y,a.C,int,int,a.C.x, y,PfSbvn", "private final synchronized bridge varargs native"),
        (",Flags", "1,x,a.C,int,int,a.C.x,pz", "pz"),
    ],
)
def test_flags_are_shown_in_words(header: str, row: str, flags: str | None, tmp_path: Path) -> None:
    main = "0,main,a.B,empty,void,a.B.main" + (",ps" if header else "")
    paths = put(tmp_path, methods=f"Id,Name,Type,Parameters,Return,Display{header}\r\n{main}\r\n{row}\r\n")
    report: Any = open_report([str(paths["methods"])], cache=Cache(keep=False))
    assert in_table(report, 2).get("flags") == flags
    assert in_table(report, 2)["at"].startswith("line 3,")
    report.close()


def test_a_method_missing_in_all_tables_has_no_flags(tmp_path: Path) -> None:
    report: Any = open_report([str(put(tmp_path, entry_points="Id\n0\n77\n")["vm"])], cache=Cache(keep=False))
    lost = next(row for row in range(report.tree.rows) if report.parsed(row).id == 77)
    assert in_table(report, lost) == {}
    report.close()


def test_missing_tables_are_reported_first_with_their_names(tmp_path: Path, coffeetree: Run) -> None:
    paths = put(tmp_path, methods="", virtual_methods="no table\n")
    put(tmp_path, time="20230101_101010")
    found = coffeetree("info", "--json", paths["vm"]).json["problems"]
    assert [problem["what"] for problem in found if problem["kind"] == "missing table"] == [
        f"the table {table} is not there; {paths[table].name} is empty or has another first line"
        for table in ("methods", "virtual_methods")
    ]
    assert [problem["kind"] for problem in found[:3]] == ["missing table", "missing table", "dangling reference"]


def test_renamed_tables_are_distinguished_by_their_names(tmp_path: Path, coffeetree: Run) -> None:
    paths = [path.rename(tmp_path / f"{table}.csv") for table, path in put(tmp_path).items()]
    assert lines(coffeetree("tree", "--json", "--depth", "all", *paths)) == PRINTED
