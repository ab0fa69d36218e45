"""Damaged call trees: whatever the bytes, everything before and after the damage is shown and nothing raises."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from itertools import islice, pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from parsers.formats.graalvm.calls.tree_report import CallTreeReport
from parsers.io.cache import Cache
from parsers.model.row import Row
from parsers.model.trees.tree import walk
from parsers.model.view import UnknownReference
from parsers.runtime.opening import open_report

Opened = Callable[..., CallTreeReport]

HEADER = "VM Entry Points\n"


def open_bytes(folder: Path, data: bytes) -> CallTreeReport:
    """The report of some bytes."""
    path = folder / "call_tree_demo_20240102_030405.txt"
    path.write_bytes(data)
    report = open_report([str(path)], cache=Cache(str(folder / "cache")))
    assert isinstance(report, CallTreeReport)
    return report


@pytest.fixture
def opened(tmp_path: Path) -> Opened:
    """A function from the text of a call tree to its report."""
    return lambda text: open_bytes(tmp_path, (HEADER + text).encode())


def rows(report: CallTreeReport) -> list[Row]:
    """All rows of the call tree."""
    return [report.views[0].tree.row(node) for node in range(report.tree.rows)]


def ask_everything(report: CallTreeReport) -> None:
    """Ask each view of a finished report all there is to ask."""
    assert report.totals["rows"] == report.tree.rows
    for view in report.views:
        for order in (None, *view.orders):
            assert len(view.tree.roots(order)) >= 0
        for node, _ in islice(walk(view.tree, depth=6), 300):
            row = view.tree.row(node)
            assert row.has_children == view.tree.has_children(node)
            assert all(0 <= span.start <= span.end <= len(row.label) for span in row.spans)
            assert row.kind in report.kinds
            # Only what a row is called may be unknown: a dangling id, a method that nothing declares.
            with contextlib.suppress(UnknownReference):
                assert report.locate(row.ref, view.name)[0] is view
            for section in view.sections(node):
                assert section.more >= 0
                for line in section.rows:
                    assert line.ref is None or report.locate(line.ref, line.view)
            for link in view.links(node):
                with contextlib.suppress(UnknownReference):
                    report.locate(link.ref, link.view)
            references = view.references(node)
            assert all(report.tree.rows > int(site) >= 0 for site in references.nodes)
            path = report.why(view.name, node)
            assert all(report.tree.parent(below) == above for above, below in pairwise(path))
            assert view.path(node)[-1] == node
            key = view.key(node)
            if key is not None:
                for other in report.views:
                    other.find_key(key)
    filters = report.row_filters()
    for name in ("jdk", "synthetic", "references"):
        assert len(filters.mask(name, 0, filters.rows)) == filters.rows
    assert len(filters.suppressed({"suppress_methods": "*a*"}, 0, filters.rows)) == filters.rows


def test_a_dangling_reference_has_no_link(opened: Opened) -> None:
    report = opened("└── entry a.A.a():void id=0\n    └── directly calls a.B.b():void id-ref=9 @bci=1\n\n")

    assert (rows(report)[1].flags, rows(report)[1].link) == (("dangling",), None)
    assert list(report.views[0].references(1).nodes) == [1]
    assert list(report.why("Call tree", 1)) == [0, 1]
    ask_everything(report)


def test_the_first_declaration_of_an_id_counts(opened: Opened) -> None:
    report = opened(
        "├── entry a.A.a():void id=0\n│   └── directly calls a.B.b():void id=1 @bci=1\n"
        "└── entry a.C.c():void id=1\n    └── directly calls a.B.b():void id-ref=1 @bci=1\n\n"
    )

    assert rows(report)[2].flags == ("repaired",)
    assert rows(report)[3].link == "line:3"
    assert report.problems[0].kind == "duplicate id"
    # The second declaration is an entry and so no call.
    assert list(report.views[0].references(3).nodes) == [1, 3]
    assert report.call_site_count(report.tree.vertex(3)) == 2
    ask_everything(report)


def test_an_unknown_row_keeps_its_text_and_its_id(opened: Opened) -> None:
    report = opened("└── entry a.A.a():void id=0\n    ├── inlined a.B.b():void id=1 @bci=3\n    └── nonsense\n\n")

    assert [(row.kind, row.label, dict(row.badges), row.flags) for row in rows(report)[1:]] == [
        ("unknown", "inlined a.B.b():void", {"id": 1, "bci": "3"}, ("unknown",)),
        ("unknown", "nonsense", {}, ("unknown",)),
    ]
    ask_everything(report)


def test_rows_beyond_the_maximum_depth_are_flagged_and_a_problem(opened: Opened) -> None:
    deep = "?   " * 65_535 + "??? directly calls a.B.d():void id=1 @bci=1 \n"
    report = opened("??? entry a.B.c():void id=0 \n" + deep + "?   " + deep.replace("id=1", "id=2") + "\n")
    report.wait()
    assert [(row.depth, row.flags) for row in rows(report)] == [
        (0, ()),
        (65_535, ("repaired",)),
        (65_535, ("repaired",)),
    ]
    assert [problem.kind for problem in report.problems] == ["depth jump", "too deep"]
    report.close()


def test_a_row_that_is_too_deep_is_below_the_nearest_one(opened: Opened) -> None:
    report = opened(
        "└── entry a.A.a():void id=0\n            └── directly calls a.B.b():void id=1 @bci=1\n"
        "    └── directly calls a.C.c():void id=2 @bci=2\n\n"
    )
    tree = report.views[0].tree

    assert list(tree.children(0)) == [1, 2]
    assert rows(report)[1].flags == ("repaired",)
    assert [tree.parent(1), tree.parent(2)] == [0, 0]
    ask_everything(report)


def test_a_tree_that_begins_in_the_middle_has_roots_all_the_same(opened: Opened) -> None:
    report = opened("    └── directly calls a.B.b():void id=1 @bci=1\n└── entry a.A.a():void id=0\n\n")

    assert list(report.views[0].tree.roots()) == [0, 1]
    ask_everything(report)


def test_a_stray_line_is_reported_and_shown_nowhere(opened: Opened) -> None:
    report = opened("├── entry a.A.a():void id=0\nWarning: something\n└── entry a.B.b():void id=1\n\n")

    assert [row.label for row in rows(report)] == ["a.A.a():void", "a.B.b():void"]
    assert [(problem.kind, problem.line) for problem in report.problems] == [("stray line", 3)]
    with pytest.raises(UnknownReference):
        report.views[0].resolve("line:3")
    ask_everything(report)


def test_an_id_at_the_torn_end_of_a_file_is_none(opened: Opened) -> None:
    report = opened("├── entry a.A.a():void id=0 \n└── entry a.B.b():void id=1")

    assert (rows(report)[1].kind, dict(rows(report)[1].badges)) == ("unknown", {})
    assert [problem.kind for problem in report.problems] == ["unknown row", "cut"]
    ask_everything(report)


def test_an_enormous_id_is_only_a_number(opened: Opened) -> None:
    report = opened(
        "├── entry a.A.a():void id=999999999999999999 \n└── entry a.B.b():void id=12345678901234567890 \n\n"
    )

    assert rows(report)[0].badges == {"id": 999999999999999999}
    assert rows(report)[1].kind == "unknown"
    assert report.views[0].resolve("id:999999999999999999") == 0
    ask_everything(report)


def test_three_thousand_levels_are_walked(tmp_path: Path) -> None:
    # Deeper than Python could call, and more bytes than a head, were it not for the short rows of the last levels.
    levels = 120
    lines = [f"{'    ' * level}└── directly calls a.A.f{level}():void id={level} @bci=1" for level in range(levels)]
    report = open_bytes(tmp_path, (HEADER + "\n".join(lines) + "\n\n").encode())

    assert len(list(report.views[0].path(levels - 1))) == levels
    assert [node for node, _ in walk(report.views[0].tree)] == list(range(levels))
    ask_everything(report)


def test_a_file_that_shrank_shows_damaged_rows_and_stays_open(tmp_path: Path) -> None:
    row = "├── entry a.Class.method(java.lang.String):void id={} \n"
    report = open_bytes(tmp_path, (HEADER + "".join(row.format(number) for number in range(900)) + "\n").encode())
    report.reader._source = Shrunken()  # type: ignore[assignment]

    shown = report.views[0].tree.row(899)

    assert (shown.kind, shown.label, shown.flags) == ("unknown", "", ("unknown", "damaged"))


class Shrunken:
    """An empty file."""

    head = b""

    def pread(self, count: int, offset: int) -> bytes:
        """Nothing."""
        return b""


BODIES = st.sampled_from(
    [
        "entry a.A.a():void id=0 ",
        "entry a.A.b():void id=1, parsing reason:  root ",
        "directly calls a.A.c():void id=2 @bci=1 ",
        "directly calls x:a.A.c():void id-ref=2 @bci=-1->4 ",
        "directly calls a.A.a():void id-ref=0 @bci=2 ",
        "virtually calls a.I.i():void @bci=3",
        "interfacially calls a.I.i():void @bci=3",
        "is overridden by a.$Proxy1.i():void id=3 ",
        "is implemented by a.A.i():void id-ref=7 ",
        "inlined a.A.z():void id=4 @bci=5",
        "nonsense",
        "",
    ]
)
ROWS = st.lists(
    st.one_of(
        st.tuples(st.integers(0, 5), BODIES).map(lambda row: "    " * row[0] + "├── " + row[1]),
        st.sampled_from(["", "at a.M.x(M.java:4) [bci: 7] ", "stray", "│ ├── narrow", "\0\x1b[31m"]),
    ),
    max_size=25,
)
ANY_TIME = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@ANY_TIME
@given(ROWS, st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_any_order_of_rows_can_be_asked_everything(
    tmp_path: Path, lines: list[str], line_end: str, ended: bool
) -> None:
    text = line_end.join(["VM Entry Points", *lines]) + (line_end * 2 if ended else "")

    ask_everything(open_bytes(tmp_path, text.encode()))


@ANY_TIME
@given(st.data())
def test_a_sample_with_bytes_changed_can_be_asked_everything(tmp_path: Path, corpus: Path, data: st.DataObject) -> None:
    sample = (corpus / "v24.1" / "reports" / "call_tree_demo_20240917_101500.txt").read_bytes()
    changed = bytearray(sample[: data.draw(st.integers(17, len(sample)))])
    for _ in range(data.draw(st.integers(0, 8))):
        changed[data.draw(st.integers(16, len(changed) - 1))] = data.draw(st.integers(0, 255))

    ask_everything(open_bytes(tmp_path, bytes(changed)))


@ANY_TIME
@given(st.binary(max_size=400))
def test_any_bytes_below_the_header_can_be_asked_everything(tmp_path: Path, data: bytes) -> None:
    ask_everything(open_bytes(tmp_path, HEADER.encode() + data))
