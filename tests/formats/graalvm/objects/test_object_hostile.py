"""Object trees that are damaged in any way: everything can still be asked of every row, and nothing fails."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from test_object_tree import DEMO, report_of

from parsers.formats.graalvm.objects.tree_report import ObjectTreeReport
from parsers.model.row import FLAGS
from parsers.model.trees.tree import walk

WHOLE = ("Heap roots\n" + DEMO.strip("\n") + "\n\n").encode()
LINES = WHOLE.split(b"\n")
MOST = 200
"""Maximum nodes of an unfolded graph that are visited."""


def ask_everything(report: ObjectTreeReport) -> None:
    """Every question that a screen or a command asks of each node of each view."""
    for view in report.views:
        assert view.is_ready
        for asked, (node, _) in enumerate(walk(view.tree)):
            if asked == MOST:
                break
            row = view.tree.row(node)
            assert row.kind in report.kinds
            assert set(row.flags) <= set(FLAGS)
            assert all(0 <= span.start <= span.end <= len(row.label) for span in row.spans)
            assert view.path(node)[-1] == node
            assert view.key(node) is not None
            assert not row.link or report.document.resolve(row.link) >= 0
            assert report.locate(row.ref)[1] >= 0
            list(view.tree.children(node))
            view.patterns(node)
            view.references(node)
            assert all(report.locate(link.ref, link.view) for link in view.links(node))
            for section in view.sections(node):
                assert all(line.ref is None or report.locate(line.ref, line.view) for line in section.rows)
            report.why(view.name, node)
            if view is report.document:
                report.document.suppressed_row(row)
    filters = report.row_filters()
    for name in ("jdk", "synthetic", "references", "nulls"):
        assert len(filters.mask(name, 0, filters.rows)) == filters.rows
    assert len(filters.suppressed({"suppress_types": "*", "suppress_roots": "*"}, 0, filters.rows)) == filters.rows


@given(st.integers(0, len(WHOLE)))
def test_a_report_cut_anywhere(size: int) -> None:
    ask_everything(report_of(WHOLE[:size]))


@given(st.lists(st.tuples(st.integers(0, len(WHOLE) - 1), st.binary(min_size=1, max_size=6)), max_size=6))
def test_a_report_with_other_bytes_here_and_there(changes: list[tuple[int, bytes]]) -> None:
    data = bytearray(WHOLE)
    for place, text in changes:
        data[place : place + len(text)] = text
    ask_everything(report_of(bytes(data)))


@given(st.lists(st.sampled_from([*LINES, b"log", b"\r", b"at x", b"\xff"]), max_size=24))
def test_the_lines_of_a_report_in_any_order_and_number(lines: list[bytes]) -> None:
    ask_everything(report_of(b"Heap roots\n" + b"\n".join(lines)))


@given(st.binary(max_size=200))
def test_any_bytes_at_all(data: bytes) -> None:
    ask_everything(report_of(data))


def test_thousands_of_levels() -> None:
    deep = b"".join(b"\xe2\x94\x82   " * depth + "├── x:a.B value:\n".encode() for depth in range(3000))
    report = report_of(b"Heap roots\n" + deep + b"\n")
    view = report.document
    assert len(view.path(2999)) == 3000
    assert view.sections(2999)
    assert view.patterns(2999) == {"types": "a.B"}
