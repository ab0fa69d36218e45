"""The report of an object tree: rows, links, sections and ways against what is true of the samples."""

from __future__ import annotations

from typing import Any

import pytest
from conftest import plain_bytes, sample_path, samples, truth_of

from parsers.formats.graalvm.objects.tree_report import ObjectTreeReport
from parsers.io.cache import Cache
from parsers.model.row import Row
from parsers.model.view import UnknownReference

SAMPLES = samples("graalvm-object-tree")


class Text:
    """A source whose head is all of it."""

    def __init__(self, data: bytes, name: str = "object_tree_demo_20230401_101500.txt") -> None:
        self.head = data
        self.path = self.name = name
        self.size = len(data)
        self.is_whole = True
        self.is_packed = self.is_spooling = False
        self.problems = ()

    def pread(self, count: int, offset: int) -> bytes:
        return self.head[offset : offset + count]

    def close(self) -> None:
        pass


def report_of(data: bytes | str) -> ObjectTreeReport:
    """The report of some text; the header and the empty last line are put around text that has none."""
    if isinstance(data, str):
        data = ("Heap roots\n" + data.strip("\n") + "\n\n").encode()
    return ObjectTreeReport(Text(data), Cache(keep=False))  # type: ignore[arg-type]


_reports: dict[tuple[str, str], ObjectTreeReport] = {}


def sample(case: str, name: str) -> ObjectTreeReport:
    """The report of a sample, read once."""
    if (case, name) not in _reports:
        _reports[case, name] = report_of(plain_bytes(sample_path(case, name)))
    return _reports[case, name]


def said(row: Row) -> dict[str, Any]:
    """A row in the words of the truth."""
    badges = {"tag": None, **row.badges}
    return {
        "line": row.line,
        "offset": row.offset,
        "depth": row.depth,
        "kind": row.kind,
        "label": row.label,
        "rows_below": row.rows_below,
        **badges,
    }


@pytest.mark.parametrize(("case", "name"), SAMPLES)
def test_the_rows_of_a_sample_are_true(case: str, name: str) -> None:
    report = sample(case, name)
    view = report.views[0]
    for truth in truth_of(case)[name]["nodes"]:
        node = view.resolve(f"line:{truth['line']}")
        row = view.tree.row(node)
        parent = view.tree.parent(node)
        link = None if row.link is None else view.tree.row(view.resolve(row.link)).line
        assert {
            **said(row),
            "children": len(view.tree.children(node)),
            "parent_line": None if parent is None else view.tree.row(parent).line,
            **({"link_line": link} if "link_line" in truth or link else {}),
        } == truth


@pytest.mark.parametrize(("case", "name"), SAMPLES)
def test_the_objects_of_a_sample_are_true(case: str, name: str) -> None:
    report = sample(case, name)
    view = report.views[0]
    for truth in truth_of(case)[name]["objects"]:
        node = view.resolve(f"id:{truth['id']}")
        row = view.tree.row(node)
        path = [report.tree.line(step) for step in report.why("Heap roots", node)]
        assert (row.line, row.label, row.rows_below) == (truth["line"], truth["label"], truth["rows_below"])
        assert len(view.references(node).nodes) == truth["id_refs"]
        assert path[0] == truth["root_line"]
        assert len(path) == truth["path_rows"]
        assert truth["path_lines"] in (path, None)


@pytest.mark.parametrize(("case", "name"), SAMPLES)
def test_the_largest_roots_of_a_sample_are_first_when_sorted(case: str, name: str) -> None:
    report = sample(case, name)
    tree = report.views[0].tree
    truth = truth_of(case)[name]["largest_roots"]
    rows = [tree.row(node) for node in tree.roots("rows_below")[: len(truth)]]
    assert [{"line": row.line, "source": row.label, "rows_below": row.rows_below} for row in rows] == truth


@pytest.mark.parametrize(("case", "name"), SAMPLES)
def test_names_of_samples(case: str, name: str) -> None:
    report, truth = sample(case, name), truth_of(case)[name]
    assert report.totals == truth["totals"]
    assert (report.format, report.format_version) == (truth["format"], truth["format_version"])
    assert (report.encoding, report.line_end) == (truth["encoding"], truth["line_end"])


DEMO = """
├── root a.Config.MAP:java.util.Map value:
│   └── java.util.HashMap id=0 toString=HashMap@1 fields:
│       ├── table:java.util.HashMap$Node[] value:
│       │   └── java.util.HashMap$Node[] id=1 toString=HashMap.Node[7]{null, HashMap.Node@2} elements (excluding null):
│       │       ├──  null
│       │       └── [1] java.util.HashMap$Node id=2 toString=HashMap.Node@2 fields:
│       │           ├── next:java.util.HashMap$Node value=null
│       │           ├── key:java.lang.Object toString="a" (expansion suppressed)
│       │           └── value:java.lang.Object value:
│       │               └── java.util.HashMap id-ref=0 toString=HashMap@1
│       └── entrySet:java.util.Set value=null
├── root a.Main.main(String[]) id-ref=2 toString=HashMap.Node@2
└── root a.Config.TABLE:int[] value:
    └── int[] toString=int[2]{1, 2} (expansion suppressed)
"""
"""Lines 2 to 15; row n is on line n + 2."""


def titles(report: ObjectTreeReport, row: int) -> dict[str, dict[str, str]]:
    """Sections of a row by title, their rows by label."""
    return {
        section.title: {line.label: line.text for line in section.rows} for section in report.views[0].sections(row)
    }


def test_the_side_pane_shows_an_object_and_its_referrers() -> None:
    report = report_of(DEMO)
    assert titles(report, 5) == {
        "[1] HashMap$Node": {
            "kind": "object, with fields",
            "type": "java.util.HashMap$Node",
            "value": "HashMap.Node@2",
            "id": "2 · line 7",
            "held by": "HashMap$Node[][1]",
            "root": "Config.MAP",
            "below": "4 rows, 2 levels",
        },
        "References to it (1)": {"Main.main": ""},
    }


def test_the_side_pane_of_a_field_shows_what_it_holds() -> None:
    report = report_of(DEMO)
    assert titles(report, 2) == {
        "table:HashMap$Node[]": {
            "kind": "field",
            "declared": "java.util.HashMap$Node[]",
            "type": "java.util.HashMap$Node[]",
            "value": "HashMap.Node[7]{null, HashMap.Node@2}",
            "length": "7, 2 listed",
            "id": "1 · line 4",
            "held by": "HashMap.table",
            "root": "Config.MAP",
            "below": "7 rows, 4 levels",
        },
        "References to it (0)": {"": "only where it is declared"},
    }


def test_enter_on_a_reference_leads_to_the_declaration() -> None:
    view = report_of(DEMO).views[0]
    assert [view.tree.row(row).link for row in (1, 9, 11)] == [None, "line:3", "line:7"]


def test_all_links_of_a_row_are_valid() -> None:
    report = report_of(DEMO)
    assert [(link.label, link.ref) for link in report.views[0].links(9)] == [
        ("declaration", "line:3"),
        ("held by HashMap$Node.value", "line:7"),
        ("root Config.MAP", "line:2"),
        ("referrers", "line:3"),
        ("type java.util.HashMap", "class:java.util.HashMap"),
    ]


def test_references_to_a_root_are_those_to_its_object() -> None:
    references = report_of(DEMO).views[0].references(0)
    assert references.title == "references to java.util.HashMap HashMap@1"
    assert list(references.nodes) == [9]


def test_an_object_without_referrers_has_a_row() -> None:
    report = report_of(DEMO)
    row = next(row for row in range(report.tree.rows) if report.parsed(row).id == 1)
    references = report.views[0].references(row)
    assert (references.title, list(references.nodes)) == (
        f"references to {report.title_of(report.tree.vertex(row), row)}, only held by HashMap.table",
        [],
    )


def test_a_pattern_is_proposed_for_each_row() -> None:
    view = report_of(DEMO).views[0]
    assert view.patterns(3) == {"types": "java.util.HashMap$Node", "roots": "a.Config.MAP:java.util.Map"}
    assert view.patterns(2) == view.patterns(3)
    assert view.patterns(6)["types"] == "java.util.HashMap$Node"
    # The printer has suppressed the value of this root: only the root itself can be closed.
    assert view.patterns(13) == {"roots": "a.Config.TABLE:int[]"}
    assert view.patterns(12) == view.patterns(13)


def test_no_type_is_proposed_for_what_the_printer_has_suppressed_and_no_root_without_rows_below() -> None:
    view = report_of(DEMO).views[0]
    rows = [view.tree.row(node) for node in range(view.row_count)]
    (suppressed,) = (row.node for row in rows if row.label == "key:java.lang.Object")
    (root,) = (row.node for row in rows if row.kind == "root" and not row.has_children)
    assert view.patterns(suppressed) == {"roots": "a.Config.MAP:java.util.Map"}
    assert view.patterns(root) == {}


@pytest.mark.parametrize(
    ("row", "kind", "label", "text"),
    [
        (0, "root", "a.Config.MAP:java.util.Map", "HashMap@1"),
        (1, "value", "java.util.HashMap", "HashMap@1"),
        (2, "field", "table:java.util.HashMap$Node[]", "HashMap.Node[7]{null, HashMap.Node@2}"),
        (5, "value", "[1]", "HashMap.Node@2"),
    ],
)
def test_a_suppressed_row_shows_the_text_of_hidden_rows(row: int, kind: str, label: str, text: str) -> None:
    view = report_of(DEMO).views[0]
    shown = view.suppressed_row(view.tree.row(row))
    assert (shown.kind, shown.label, shown.badges) == (kind, label, {"text": text, "tag": "suppressed"})
    assert "suppressed" in shown.flags


def test_a_root_of_several_lines_is_one_row_with_all_of_its_source() -> None:
    report = report_of(
        "├── root at a.B.c(B.java:1) [bci: 2]\nat a.D.e(D.java:3) value:\n"
        "│   └── a.B id=0 toString=B@1 (no fields)\n└── root at a.F.g(F.java:9) id-ref=0 toString=B@1"
    )
    root = report.parsed(0)
    assert (root.label, root.tag) == ("at a.B.c(B.java:1) [bci: 2]", "open")
    assert root.source == "at a.B.c(B.java:1) [bci: 2]\nat a.D.e(D.java:3)"
    assert report.parsed(2).source == "at a.F.g(F.java:9)"
    assert titles(report, 0)["Found at"] == {"": "at a.D.e(D.java:3)"}
    assert report.format_version == "24.0-24.1"


def test_a_damaged_report_shows_it_and_keeps_its_rows() -> None:
    report = report_of(
        "├── root a.B.c:a.B value:\n│   │   └── a.B id=0 toString=B@1 (no idea)\nlog output\n"
        "├── a.B id=0 toString=B@2 (no fields)\n└── a.B id-ref=9 toString=B@3"
    )
    flags = [report.views[0].tree.row(row).flags for row in range(4)]
    assert flags == [(), ("unknown", "repaired"), ("repaired",), ("dangling",)]
    assert [(problem.kind, problem.line) for problem in report.problems] == [
        ("unknown row", 3),
        ("depth jump", 3),
        ("stray line", 4),
        ("duplicate id", 5),
        ("dangling reference", 6),
    ]


def test_no_row_of_a_report_without_rows() -> None:
    report = report_of(b"Heap roots\n\n")
    assert len(report.views[0].tree.roots()) == 0
    with pytest.raises(UnknownReference):
        report.views[0].resolve("id:0")


def test_the_value_after_a_label_comes_without_its_loader() -> None:
    old, new = report_of(DEMO).document, sample("v24.2_and_25", "object_tree_demo_20250916_101500.txt").document
    assert [old.remark(old.row(row)) for row in (0, 1, 4, 6)] == ["", "HashMap@1", "null", "null"]
    assert [new.remark(new.row(row)) for row in (1, 6, 8, 27)] == [
        "HashMap@1188382614",
        '"jdbc:h2:me..."',
        "42",
        "TimeUnit:SECONDS",
    ]
    assert new.row(27).badges["text"] == "null:TimeUnit:SECONDS"


CHARSETS = {"gbk": "gb18030", "shift-jis": "cp932", "euc-kr": "cp949", "big5": "cp950", "euc-jp": "euc_jp"}


@pytest.mark.parametrize(("encoding", "codec"), CHARSETS.items())
def test_a_report_in_an_old_charset_reads_like_one_in_utf_8(encoding: str, codec: str) -> None:
    # The second byte of this character is a backslash, a bar or a letter in some of these charsets.
    text = ("Heap roots\n" + DEMO.strip("\n") + "\n\n").replace("HashMap@1", "表功十:id=7 fields:")
    old, new = report_of(text.encode(codec)), report_of(text.encode())
    assert old.encoding == encoding
    for row in range(14):
        assert old.document.row(row).label == new.document.row(row).label
        assert old.document.row(row).badges == new.document.row(row).badges
    assert {**old.totals, "bytes": 0, "max_line_bytes": 0} == {**new.totals, "bytes": 0, "max_line_bytes": 0}


def test_boxes_that_became_question_marks_keep_the_depth() -> None:
    text = ("Heap roots\n" + DEMO.strip("\n") + "\n\n").translate(dict.fromkeys(map(ord, "│├└─"), "?"))
    report = report_of(text.encode("ascii"))
    assert report.encoding == "ascii-?"
    assert [report.tree.depth(row) for row in range(14)] == [0, 1, 2, 3, 4, 4, 5, 5, 5, 6, 2, 0, 0, 1]


def test_a_byte_order_mark_and_other_line_ends_change_nothing() -> None:
    text = ("\ufeffHeap roots\n" + DEMO.strip("\n") + "\n\n").replace("\n", "\r\n").encode()
    report = report_of(text)
    assert report.line_end == "crlf"
    assert [report.document.row(row).label for row in (0, 5)] == [
        "a.Config.MAP:java.util.Map",
        "[1] java.util.HashMap$Node",
    ]
    assert report.totals["control_characters"] == 0
    assert not report.problems
