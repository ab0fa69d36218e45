"""Rows of a call tree in a report: kinds, links, side pane."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from parsers.formats.graalvm.calls.tree_report import CallTreeReport
from parsers.io.cache import Cache
from parsers.model.row import Row, Section
from parsers.model.view import UnknownReference
from parsers.runtime.opening import open_report

Opened = Callable[..., CallTreeReport]

SMALL = """\
VM Entry Points
├── entry demo.Main.main(java.lang.String[]):void id=0
│   ├── directly calls demo.Log.write(int):void id-ref=3 @bci=2
│   ├── virtually calls java.lang.Runnable.run():void @bci=7
│   │   ├── is overridden by demo.Job.run():void id=2
│   │   │   └── directly calls demo.Log.write(int):void id=3 @bci=1
│   │   └── is overridden by demo.Main$$Lambda/0x01.run():void id=4
│   └── virtually calls java.util.List.size():int @bci=9->4
└── entry demo.Stub.start():void id=1
    └── directly calls demo.Main.main(java.lang.String[]):void id-ref=0 @bci=-6

"""


@pytest.fixture
def opened(tmp_path: Path) -> Opened:
    """A function from the text of a call tree to its report."""

    def open_text(text: str | bytes, name: str = "call_tree_demo_20240102_030405.txt") -> CallTreeReport:
        path = tmp_path / name
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        report = open_report([str(path)], cache=Cache(str(tmp_path / "cache")))
        assert isinstance(report, CallTreeReport)
        return report

    return open_text


def rows(report: CallTreeReport) -> list[Row]:
    """All rows of the call tree."""
    return [report.views[0].tree.row(node) for node in range(report.tree.rows)]


def section(report: CallTreeReport, line: int, title: str) -> Section:
    """A section of the row on a line, by how its title begins."""
    document = report.views[0]
    sections = document.sections(document.resolve(f"line:{line}"))
    return next(found for found in sections if found.title.startswith(title))


def test_every_kind_of_row_has_a_word_and_a_mark_of_one_cell(opened: Opened) -> None:
    report = opened(SMALL)

    assert [row.kind for row in rows(report)[:5]] == [
        "entry",
        "direct call",
        "virtual call",
        "overridden by",
        "direct call",
    ]
    assert [report.kinds[row.kind].mark for row in rows(report)[:4]] == ["●", "→", "⇢", "="]
    assert [report.kinds[row.kind].ascii for row in rows(report)[:4]] == ["*", ">", "~", "="]
    assert all(len(kind.mark) == len(kind.ascii) == 1 for kind in report.kinds.values())


def test_a_row_shows_its_method_its_id_and_where_it_is_called(opened: Opened) -> None:
    row = rows(opened(SMALL))[1]

    assert row.label == "demo.Log.write(int):void"
    assert row.badges == {"id_ref": 3, "bci": "2"}
    assert (row.line, row.offset, row.depth, row.ref) == (3, 77, 1, "line:3")
    assert (row.rows_below, row.has_children, row.is_growing) == (0, False, False)


def test_an_id_ref_before_its_declaration_links_forward(opened: Opened) -> None:
    assert rows(opened(SMALL))[1].link == "line:6"


def test_an_id_ref_after_its_declaration_links_back(opened: Opened) -> None:
    assert rows(opened(SMALL))[8].link == "line:2"


def test_a_declaration_has_no_link(opened: Opened) -> None:
    assert rows(opened(SMALL))[4].link is None


def test_a_virtual_call_without_callee_is_empty(opened: Opened) -> None:
    report = opened(SMALL)

    assert rows(report)[6].flags == ("empty",)
    assert rows(report)[6].badges == {"bci": "9->4"}
    assert rows(report)[2].flags == ()
    assert section(report, 8, "May call").rows[0].text == "no method of the image"


def test_pieces_of_a_label_are_distinguished(opened: Opened) -> None:
    method = "app:demo.io.Log.write(java.lang.String[], int):java.util.List"
    text = f"VM Entry Points\n└── entry {method} id=0, parsing reason:  root \n\n"
    row = rows(opened(text))[0]

    assert [(span.role, row.label[span.start : span.end]) for span in row.spans] == [
        ("loader", "app"),
        ("package", "demo.io"),
        ("class", "Log"),
        ("name", "write"),
        ("argument package", "java.lang"),
        ("argument", "String[]"),
        ("argument", "int"),
        ("result package", "java.util"),
        ("result", "List"),
    ]


@pytest.mark.parametrize(
    "method",
    [
        "HelloWorld.greet():void",
        "a.Main$$Lambda$277/0x00000007c08538b0.get():java.lang.Object",
        "a.Foo.adds one, then two(int, a.b.C):kotlin.Unit",
        "a.b",
        "():",
        "",
        "a.B.c(",
        "a.B.c)(",
        "ä.Größe.wert-JR5F0z0(long):long",
    ],
)
def test_spans_of_any_method_are_in_its_label_and_in_order(opened: Opened, method: str) -> None:
    text = f"VM Entry Points\n└── entry x:{method} id=0 \n\n"

    for row in rows(opened(text)):
        ends = [0, *(place for span in row.spans for place in (span.start, span.end)), len(row.label)]
        assert ends == sorted(ends)


def test_a_lambda_keeps_its_class_in_one_piece(opened: Opened) -> None:
    row = rows(opened(SMALL))[5]

    assert [row.label[span.start : span.end] for span in row.spans[:3]] == ["demo", "Main$$Lambda/0x01", "run"]


def test_a_parsing_reason_of_two_lines_belongs_to_its_entry(opened: Opened) -> None:
    text = (
        "VM Entry Points\n"
        "├── entry a.A.a():void id=0, parsing reason:  at a.M.x(M.java:4) [bci: 7]\n"
        "at a.M.main(M.java:1) [bci: 1] \n"
        "└── entry b.B.b():void id=1, parsing reason:  root method \n\n"
    )
    report = opened(text)

    reason = section(report, 2, "Entry because")

    assert report.format_version == "24.1"
    assert [row.text for row in reason.rows] == ["at a.M.x(M.java:4) [bci: 7]", "at a.M.main(M.java:1) [bci: 1]"]
    assert report.views[0].resolve("line:3") == 0
    assert [report.views[0].remark(row) for row in rows(report)] == [  # type: ignore[attr-defined]
        "at a.M.x(M.java:4) [bci: 7]",
        "root method",
    ]
    assert [row.label for row in rows(report)] == ["a.A.a():void", "b.B.b():void"]


def test_the_side_pane_of_a_row_has_callees_and_callers(opened: Opened) -> None:
    report = opened(SMALL)

    method = {row.label: row.text for row in section(report, 5, "Overridden by").rows}
    callers = section(report, 6, "Called from (2)")

    assert method == {
        "class": "demo.Job",
        "overrides": "java.lang.Runnable.run",
        "at": "bytecode index 7",
        "id": "2 · line 5",
        "distance": "1 call from an entry",
        "below": "1 row, 1 level",
    }
    assert [(row.label, row.badges, row.ref) for row in callers.rows] == [
        ("Main.main", {"bci": "2"}, "line:3"),
        ("Job.run", {"bci": "1"}, "line:6"),
    ]


def test_a_virtual_call_shows_what_it_may_call(opened: Opened) -> None:
    targets = section(opened(SMALL), 4, "May call (2)")

    assert [(row.label, row.ref) for row in targets.rows] == [
        ("Job.run", "line:5"),
        ("Main$$Lambda/0x01.run", "line:7"),
    ]


def test_links_lead_to_declaration_caller_and_other_views(opened: Opened) -> None:
    report = opened(SMALL)

    links = {link.label: (link.ref, link.view) for link in report.views[0].links(8)}

    assert links == {
        "declaration": ("line:2", "Call tree"),
        "called in Stub.start": ("line:9", "Call tree"),
        "callers": ("line:10", "Callers"),
        "package": ("line:10", "Packages"),
        "entry point": ("line:10", "Entry points"),
    }
    for ref, view in links.values():
        assert report.locate(ref, view)[0].name == view


def test_references_of_a_method_are_its_call_sites(opened: Opened) -> None:
    document = opened(SMALL).views[0]

    assert list(document.references(4).nodes) == [1, 4]


def test_references_of_a_reference_are_those_of_what_it_refers_to(opened: Opened) -> None:
    document = opened(SMALL).views[0]

    assert list(document.references(1).nodes) == [1, 4]


def test_an_entry_row_is_no_call_site_of_itself(opened: Opened) -> None:
    document = opened(SMALL).views[0]

    assert list(document.references(0).nodes) == [8]


def test_references_of_a_virtual_call_are_all_calls_of_that_target(opened: Opened) -> None:
    document = opened(SMALL).views[0]

    assert list(document.references(2).nodes) == [2]


def test_why_shows_the_path_to_the_declaration(opened: Opened) -> None:
    report = opened(SMALL)

    assert list(report.why("Call tree", 1)) == [0, 2, 3, 4]


def test_why_of_a_target_without_id_shows_the_path_to_its_nearest_call(opened: Opened) -> None:
    report = opened(SMALL)

    assert list(report.why("Call tree", 6)) == [0, 6]


@pytest.mark.parametrize(
    ("ref", "node"),
    [
        ("line:3", 1),
        ("id:3", 4),
        ("node:5", 5),
        ("name:demo.Log.write(int):void", 4),
        ("name:java.lang.Runnable.run():void", 2),
    ],
)
def test_a_ref_names_a_row(opened: Opened, ref: str, node: int) -> None:
    assert opened(SMALL).views[0].resolve(ref) == node


@pytest.mark.parametrize(
    ("ref", "says"),
    [
        ("line:1", "no row is printed on line 1"),
        ("line:11", "no row is printed on line 11"),
        ("line:0", "no row is printed on line 0"),
        ("line:99999999999999999", "no row"),
        ("id:9", "no row declares id 9"),
        ("node:9", "there are 9 rows"),
        ("node:-1", "is no number"),
        ("line:", "is no number"),
        ("line:٣", "is no number"),
        ("name:unknown", "nothing has exactly this name"),
        ("task:3", "has no such REFs"),
        ("", "has no such REFs"),
        ("3", "has no such REFs"),
    ],
)
def test_an_unknown_ref_shows_why(opened: Opened, ref: str, says: str) -> None:
    with pytest.raises(UnknownReference, match=says):
        opened(SMALL).views[0].resolve(ref)


def test_a_name_of_several_methods_gives_all_of_them(opened: Opened) -> None:
    text = "VM Entry Points\n├── entry a:x.A.f():void id=0\n└── entry b:x.A.f():void id=1\n\n"
    document = opened(text).views[0]

    assert document.resolve("name:x.A.f():void") == 0
    assert list(document.resolve_all("name:x.A.f():void")) == [0, 1]  # type: ignore[attr-defined]


def test_a_key_finds_the_method_from_any_of_its_rows(opened: Opened) -> None:
    document = opened(SMALL).views[0]

    assert document.key(1) == document.key(4)
    assert document.find_key(document.key(1) or "") == 4
    assert document.find_key(("id", 99)) is None


def test_image_and_time_are_in_the_name_of_the_file(opened: Opened) -> None:
    report = opened(SMALL, "call_tree_my_app_20240102_030405.txt")

    assert report.facts["image"] == "my_app"
    assert report.facts["written"] == "2024-01-02 03:04:05"


def test_any_other_name_decides_nothing(opened: Opened) -> None:
    assert "image" not in opened(SMALL, "tree.txt").facts


def test_names_of_a_code_page_are_decoded_and_found(opened: Opened) -> None:
    text = "VM Entry Points\n└── entry demo.グレー.色(int):void id=0 \n\n".encode("cp932")
    report = opened(text)

    assert report.encoding == "shift-jis"
    assert rows(report)[0].label == "demo.グレー.色(int):void"
    assert report.views[0].resolve("name:demo.グレー.色(int):void") == 0


def test_a_byte_that_is_invalid_is_shown_and_found_as_a_replacement(opened: Opened) -> None:
    text = "VM Entry Points\n└── entry demo.A.b\xff():void id=0 \n\n".encode().replace(b"\xc3\xbf", b"\xff")
    report = opened(text)

    assert rows(report)[0].label == "demo.A.b\ufffd():void"
    assert report.views[0].resolve("name:demo.A.b\ufffd():void") == 0


def test_a_byte_order_mark_is_no_part_of_anything(opened: Opened) -> None:
    report = opened("\ufeff" + SMALL)

    assert rows(report)[0].label == "demo.Main.main(java.lang.String[]):void"


def test_opening_a_small_file_needs_neither_numpy_nor_numba(tmp_path: Path) -> None:
    path = tmp_path / "call_tree.txt"
    path.write_text(SMALL, "utf-8")
    script = (
        "import sys; from parsers.runtime.opening import open_report; r = open_report([sys.argv[1]]); v = r.views[0];"
        "rows = [v.tree.row(n) for n in range(9)]; v.sections(0); list(v.tree.children(0)); r.totals;"
        "print(sorted({'numpy', 'numba', 'lxml', 'textual', 'rich'} & set(sys.modules)))"
    )

    done = subprocess.run([sys.executable, "-c", script, str(path)], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("first", ["", "│   │   ", "│   "])
def test_all_rows_without_parent_are_counted_also_behind_a_deep_first_one(opened: Opened, first: str) -> None:
    report = opened(SMALL.replace("├── entry demo.Main", f"{first}├── entry demo.Main", 1))

    view = report.views[0]
    assert view.root_count == len(view.tree.roots())
    assert view.root_count == sum(view.tree.parent(node) is None for node in range(report.tree.rows))
