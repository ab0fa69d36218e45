"""Lines of a text tree: charsets, depth, what is a row, what continues one, what is neither."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.formats.graalvm.calls.index.plain import call_tree
from parsers.formats.graalvm.calls.index.row import UNKNOWN, parse_call_row
from parsers.formats.graalvm.text.read.line import DEEPEST, LONGEST, split_line
from parsers.formats.graalvm.text.read.plain_scan import PlainTextScan
from parsers.io.charset import CHARSETS, Boxes, boxes_of, decode, detect

UTF8 = boxes_of("utf-8")


@pytest.mark.parametrize("boxes", CHARSETS)
def test_the_first_row_decides_the_charset(boxes: Boxes) -> None:
    rows = boxes.tee + b"entry a.B.c():void id=0 \n" + boxes.bar + boxes.corner + b"directly calls x id=1 @bci=0 \n\n"
    tree = call_tree(b"VM Entry Points\n" + rows)
    assert detect(b"VM Entry Points\n" + rows) == boxes.encoding == tree.summary.facts["encoding"]
    assert [tree.depth(row) for row in range(tree.rows)] == [0, 1]


def test_invalid_bytes_become_replacement_characters() -> None:
    assert decode(b"Gr\xf6\xdfe", "ascii-?") == "Gr\ufffd\ufffde"
    assert decode("Größe".encode(), "utf-8") == "Größe"


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("├── x", (0, 10)),
        ("└── ", (0, 10)),
        ("│   ├── x", (1, 16)),
        ("    │       └── x", (3, 24)),
        ("├──", None),
        ("│ ├── x", None),
        ("", None),
        ("at x", None),
    ],
)
def test_depth_is_the_number_of_groups(line: str, found: tuple[int, int] | None) -> None:
    assert split_line(line.encode(), UTF8) == found


def test_depth_has_a_bound() -> None:
    assert split_line(b"?   " * (DEEPEST + 5) + b"??? x", boxes_of("ascii-?")) == (DEEPEST, 4 * DEEPEST + 24)


def test_lines_that_are_no_rows() -> None:
    tree = call_tree(
        """\
VM Entry Points
├── entry a.B.c():void id=0, parsing reason:  at x.Y.z(Y.java:1) [bci: 2]
at x.Y.z(Y.java:3) [bci: 4]
at x.Y.z(Y.java:5) [bci: 6]\x20
│   └── directly calls a.B.d():void id=1 @bci=1\x20

at x.Y.z(Y.java:7) [bci: 8]
log output
├── entry a.B.e():void id=2\x20

""".encode()
    )
    assert (
        tree.summary.totals["continuation_lines"],
        tree.summary.totals["stray_lines"],
        tree.summary.totals["blank_lines"],
    ) == (2, 2, 2)
    assert [tree.line(row) for row in range(tree.rows)] == [2, 5, 9]
    assert [tree.row_of_line(line) for line in range(11)] == [None, None, 0, 0, 0, 1, None, None, None, 2, None]
    assert [problem.kind for problem in tree.summary.problems] == ["stray line", "stray line"]


@pytest.mark.parametrize(
    ("data", "problems"),
    [
        (b"VM Entry Points\n\n", []),
        (b"VM Entry Points\n", ["cut"]),
        (b"VM Entry Points", ["cut"]),
        ("VM Entry Points\n    ├── entry a():void id=0 \n\n".encode(), ["depth jump"]),
        ("VM Entry Points\n├── entry a():void id=0 \n├── entry a():void id=0 \n\n".encode(), ["duplicate id"]),
        ("VM Entry Points\n├── is overridden by a():void id-ref=0 \n\n".encode(), ["dangling reference"]),
        ("VM Entry Points\n├── what\n\n".encode(), ["unknown row"]),
    ],
)
def test_problems_are_reported(data: bytes, problems: list[str]) -> None:
    tree = call_tree(data)
    assert [problem.kind for problem in tree.summary.problems] == problems
    assert tree.summary.problem_count == len(problems)


def test_names_follow_the_first_known_row() -> None:
    tree = call_tree(
        """\
VM Entry Points
├── what id=0\x20
├── entry a.B.c():void id=1\x20
│   ├── directly calls a.B.x():void id-ref=0 @bci=1\x20
│   └── directly calls a.B.y():void id-ref=0 @bci=2\x20

""".encode()
    )
    assert list(tree.names) == [b"a.B.c():void", b"a.B.x():void", b"a.B.y():void"]
    vertex = tree.vertex_of_id(0)
    assert vertex is not None
    assert tree.name(vertex) == 1
    assert list(tree.name_vertices(2)) == [vertex]


@given(st.binary(max_size=3000), st.lists(st.integers(1, 400), max_size=10))
def test_it_matters_not_where_the_data_is_cut(data: bytes, cuts: list[int]) -> None:
    scans = [PlainTextScan(parse_call_row, UNKNOWN, UTF8), PlainTextScan(parse_call_row, UNKNOWN, UTF8)]
    rest = data
    for cut in cuts:
        scans[0].feed(rest[:cut])
        rest = rest[cut:]
    scans[0].feed(rest)
    scans[1].feed(data)
    for scan in scans:
        scan.finish()
    assert (scans[0].offsets, scans[0].strays, scans[0].size) == (scans[1].offsets, scans[1].strays, len(data))


def test_a_line_without_end_takes_bounded_memory() -> None:
    scan = PlainTextScan(parse_call_row, UNKNOWN, UTF8)
    for _ in range(8):
        scan.feed(b"x" * LONGEST)
        assert len(scan._rest) <= 2 * LONGEST
    scan.finish()
    assert (scan.line_count, scan.longest_line, scan.size) == (1, 8 * LONGEST, 8 * LONGEST)
