"""Kernels against plain code: the same arrays, counts and problems from any bytes, wherever chunks are cut."""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from parsers.formats.graalvm.text.build import ends_well
from parsers.formats.graalvm.text.read.plain_index import index_in_memory
from parsers.formats.graalvm.text.summary import kept
from parsers.formats.graalvm.text_format import FORMATS, TextFormat
from parsers.index.writer import Writer
from parsers.io.charset import CHARSETS, Boxes, boxes_of, detect
from parsers.io.source import Identity

CALLS = """\
VM Entry Points
├── entry app:a.B.main():void id=0, parsing reason:  root method
│   ├── directly calls a.B.x():void id-ref=1 @bci=1
│   ├── directly calls a.B.y():void id-ref=1 @bci=-1->2
│   └── virtually calls a.B.z():void @bci=3
│       └── is overridden by app:a.C.z():void id=123456789012
└── entry a.B.x():void id=1
    └── directly calls a.C.z():void id=123456789012 @bci=1

"""
OBJECTS = """\
Heap roots
├── root a.B.c:a.D value:
│   └── a.D id=0 toString=D@1 fields:
│       └── e:java.lang.Object value=null
└── root a.B.d:a.D id-ref=0 toString=D@1

"""
TREES = {"graalvm-call-tree": CALLS, "graalvm-object-tree": OBJECTS}

CALL, OBJECT = FORMATS.values()
SAME = Identity(0, 0, 0, 0, "")
LAYOUT_ONLY = {"name_slots"}
"""Values that depend on the layout of the hash table of names."""


def plain_index(data: bytes, format: TextFormat, folder: str, block: int = 1 << 20) -> dict[str, Any]:
    """Returns the results of plain code for a file."""
    from parsers.formats.graalvm.text.read.plain_index import PlainIndex

    writer = Writer(folder, format.name, SAME, "plain")
    index = PlainIndex(writer, format.empty_tree(detect(data[: 1 << 16])))
    for start in range(0, len(data), block):
        index.feed(data[start : start + block])
    index.finish(format.load(format.arrays))
    summary = index.tree.summary
    return contents(writer, index.tree.rows, summary.totals, summary.facts, summary.problems, summary.problem_count)


def kernel_index(data: bytes, format: TextFormat, folder: str, chunk: int) -> dict[str, Any]:
    """Returns the results of kernels for a file, read in chunks of so many bytes."""
    from parsers.formats.graalvm.text.read.build import TextBuild

    path = os.path.join(folder, "report")
    Path(path).write_bytes(data)
    descriptor = os.open(path, os.O_RDONLY)
    try:
        writer = Writer(folder, format.name, SAME, "kernels")
        build = TextBuild(writer, descriptor, len(data), boxes_of(detect(data[: 1 << 16])), format.number, chunk)
        build.read()
        end = format.load(format.end)(build)
        end.run()
        totals = end.totals()
        problems, count = end.problems(ends_well(descriptor, len(data)))
        return contents(writer, build.rows, totals, end.facts(totals), kept(problems), count)
    finally:
        os.close(descriptor)


def contents(writer: Writer, rows: int, totals: Any, facts: Any, problems: Any, count: int) -> dict[str, Any]:
    """Everything of an index as one value."""
    arrays = writer.close()
    found: dict[str, Any] = {
        name: (array.type, Path(writer.path, name).read_bytes() if array.length else b"")
        for name, array in arrays.items()
        if name not in LAYOUT_ONLY
    }
    told = [asdict(problem) for problem in problems]
    return found | json.loads(json.dumps({"rows": rows, "totals": totals, "facts": facts, "told": told, "n": count}))


def assert_same(data: bytes, format: TextFormat, *chunks: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        plain = plain_index(data, format, folder)
    for chunk in chunks:
        with tempfile.TemporaryDirectory() as folder:
            assert kernel_index(data, format, folder, chunk) == plain


def test_names_whose_invalid_bytes_decode_alike_count_once(tmp_path: Path) -> None:
    names = (b"a.B.x", b"a.B.\xff", b"a.B.\xfe", "a.B.\ufffd".encode(), "a.B.\u00e9".encode(), "a.B.\u4e2d".encode())
    rows = [b"\xe2\x94\x9c\xe2\x94\x80\xe2\x94\x80 entry %b id=%d" % each[::-1] for each in enumerate(names)]
    data = b"VM Entry Points\n" + b" \n".join(rows) + b" \n\n"
    assert kernel_index(data, CALL, str(tmp_path), 1 << 20)["totals"]["unique_names"] == 4
    assert_same(data, CALL, 1 << 20)


@pytest.mark.parametrize("format", [CALL, OBJECT])
def test_an_index_in_memory_has_the_arrays_of_one_on_disk(format: TextFormat) -> None:
    data = TREES[format.name].encode()
    tree = format.empty_tree("utf-8")
    tree.scan.feed(data)
    tree.finish()
    reader = index_in_memory(tree, format.load(format.arrays))

    with tempfile.TemporaryDirectory() as folder:
        stored = plain_index(data, format, folder)

    assert reader.rows == stored["rows"]
    assert (reader.totals, reader.facts["depth_rows"]) == (stored["totals"], stored["facts"]["depth_rows"])
    arrays = {name: (reader.type(name), bytes(reader.view(name))) for name in reader.names if name not in LAYOUT_ONLY}
    assert arrays == {name: array for name, array in stored.items() if isinstance(array, tuple)}


METHODS = [
    b"a.B.c():void",
    b"a.B.d(int, java.lang.String):a.B",
    b"app:a.B.c():void",
    b"a.b.C$$Lambda$7/0x01.get():x.Y",
    b"k.T.adds (one), id=5 @bci=3 then(int):void",
    "a.Größe.ü():void".encode(),
    b"a.Gr\xf6.e():void",
    b"a.Gr\xdf.e():void",
    b"plain",
    b"X.y",
    b"",
    b"null:x",
    b"a:b(c:d(:e):f",
    b"D.e():void, parsing reason:  id=3, parsing reason:  x",
    b"n" * 70 + b".m():void",
]
ENDS = [
    b" id=%d ",
    b" id-ref=%d ",
    b" id=%d @bci=3 ",
    b" id-ref=%d @bci=-6->12 ",
    b" id=%d @bci=1->-2 ",
    b" id-ref=%d @bci=5-> ",
    b" id=%d, parsing reason:  root method ",
    b" id=%d, parsing reason:  at x.Y.z(Y.java:1) [bci: 2]",
    b" id=%d, pars",
    b" id=%d,",
    b" id=%d",
    b" @bci=%d",
    b" @bci=%d ",
    b" id-ref=%d",
    b"",
]
WORDS = [
    b"entry ",
    b"directly calls ",
    b"virtually calls ",
    b"interfacially calls ",
    b"is overridden by ",
    b"is implemented by ",
    b"is overridden ",
    b"inlined ",
    b"",
]
IDS = st.one_of(
    st.integers(0, 5), st.integers(0, 300), st.sampled_from([4095, 4096, 10**9, 10**17, 10**18, 10**30, 2**32 - 1])
)
OTHER_LINES = [
    b"",
    b"at x.Y.z(Y.java:3)",
    b"at ",
    b"stray",
    b"    ",
    b"\xe2\x94\x82",
    b"VM Entry Points",
    b"\0\x1b[31m",
]
OBJECT_BODIES = [
    b"root a.B.c:d.E value:",
    b"root a.B.c:d.E id-ref=%d toString=x",
    b"root app:a.B.c:d.E toString=x (expansion suppressed)",
    b"root at a.B.c(B.java:1) [bci: 2]",
    b"root at a.B.c(B.java:1) value:",
    b"d.E id=%d toString=x fields:",
    b"d.E id=%d toString=x\0 id=3 (no fields)",
    b"[3] d.E id=%d toString=x elements (excluding null):",
    b"[4] d.F[] id-ref=%d toString=x",
    b"d.F id=%d toString=x what:",
    b"[0] toString=x (expansion suppressed)",
    b"int[] toString=x (expansion suppressed)",
    b"f:d.E value=null",
    b"f:d.E value:",
    b"f:d.E toString=x (expansion suppressed)",
    b" null",
    b"what id=%d ",
    b"root ",
    b"",
]


@st.composite
def lines(draw: st.DrawFn, boxes: Boxes, bodies: st.SearchStrategy[bytes]) -> bytes:
    """One line of a text tree, or nearly."""
    if draw(st.integers(0, 9)) == 0:
        return draw(st.sampled_from(OTHER_LINES))
    groups = draw(st.lists(st.sampled_from([boxes.bar, b"    "]), max_size=draw(st.sampled_from([1, 3, 3, 6, 40]))))
    return b"".join(groups) + draw(st.sampled_from([boxes.tee, boxes.corner])) + draw(bodies)


@st.composite
def call_bodies(draw: st.DrawFn) -> bytes:
    end = draw(st.sampled_from(ENDS))
    number = draw(IDS)
    return draw(st.sampled_from(WORDS)) + draw(st.sampled_from(METHODS)) + (end % number if b"%d" in end else end)


@st.composite
def object_bodies(draw: st.DrawFn) -> bytes:
    body = draw(st.sampled_from(OBJECT_BODIES))
    return body % draw(IDS) if b"%d" in body else body


@st.composite
def reports(draw: st.DrawFn, header: bytes, bodies: st.SearchStrategy[bytes]) -> bytes:
    """Draws a report, perhaps with a torn end, other line ends, or a few changed bytes."""
    boxes = draw(st.sampled_from(CHARSETS[:4]))
    newline = draw(st.sampled_from([b"\n", b"\n", b"\r\n"]))
    rows = draw(st.lists(lines(boxes, bodies), max_size=30))
    data = draw(st.sampled_from([b"", b"\xef\xbb\xbf"])) + newline.join([header, *rows, b"", b""])
    flips = draw(st.lists(st.tuples(st.integers(0, 1 << 20), st.sampled_from(b"\n\r \0=:(ai5?\xe2")), max_size=3))
    changed = bytearray(data)
    for place, value in flips:
        changed[place % len(changed)] = value
    return bytes(changed[: draw(st.one_of(st.just(len(changed)), st.integers(1, len(changed))))])


CHUNKS = st.sampled_from([64, 65, 100, 333, 4096, 1 << 20])
MANY = settings(suppress_health_check=list(HealthCheck))


@MANY
@given(reports(b"VM Entry Points", call_bodies()), CHUNKS)
@example(b"\n", 64)
@example(b"VM Entry Points", 64)
@example(b"VM Entry Points\r\n\r\n", 64)
@example("├── entry a.B.c():void id=1".encode(), 64)
def test_kernels_read_a_call_tree_as_plain_code_does(data: bytes, chunk: int) -> None:
    assert_same(data, CALL, chunk)


@MANY
@given(reports(b"Heap roots", object_bodies()), CHUNKS)
def test_kernels_read_an_object_tree_as_plain_code_does(data: bytes, chunk: int) -> None:
    assert_same(data, OBJECT, chunk)


@MANY
@given(st.binary(min_size=1, max_size=2000), CHUNKS, st.sampled_from([CALL, OBJECT]))
def test_any_bytes_are_read_alike(data: bytes, chunk: int, format: TextFormat) -> None:
    assert_same(data, format, chunk)


@pytest.mark.parametrize("length", [1 << 16, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, 3 << 20])
@pytest.mark.parametrize("end", [b"\n\n", b"\r\n", b""])
def test_a_line_of_any_length_is_one_line(length: int, end: bytes) -> None:
    row = "├── entry ".encode() + b"x" * (length - 10 - 6 - len(b"():void id=1 ")) + b"():void id=1 "
    after = "├── entry a.B.c():void id=2 \n\n".encode() if end else b""
    data = b"VM Entry Points\n" + row + end + after
    assert_same(data, CALL, *((4096, 10_000) if length > 1 << 16 else (64, 1000)), 1 << 20)


def test_rows_far_from_the_first_of_their_block_keep_their_offsets() -> None:
    row = "│   ".encode() * 3000 + "├── directly calls a.B.c():void id=1 @bci=2 \n".encode()
    assert_same(b"VM Entry Points\n" + row * 200 + b"\n", CALL, 5000)


def test_a_row_deeper_than_sixteen_bits_counts_as_that_deep() -> None:
    row = b"?   " * 70_000 + b"??? directly calls a.B.c():void id=1 @bci=2 \n"
    data = b"VM Entry Points\n??? entry a.B.c():void id=0 \n" + row * 2 + b"\n"
    assert_same(data, CALL, 1 << 20)


@pytest.mark.parametrize(("depth", "format"), [(65_534, CALL), (65_535, CALL), (65_536, CALL), (65_536, OBJECT)])
def test_rows_beyond_the_maximum_depth_are_a_problem(depth: int, format: TextFormat) -> None:
    header, rows = {
        CALL: (b"VM Entry Points", [b"entry a.B.c():void id=0 ", b"directly calls a.B.c():void id=1 @bci=2 "]),
        OBJECT: (b"Heap roots", [b"root a.B.c:a.B value:", b"d:a.B value=null"]),
    }[format]
    deep = b"?   " * depth + b"??? " + rows[1] + b"\n"
    data = header + b"\n??? " + rows[0] + b"\n" + deep + deep.replace(b"id=1", b"id=2") + b"?   " + deep + b"\n"
    assert_same(data, format, 500_000, 1 << 20)
    with tempfile.TemporaryDirectory() as folder:
        problems = kernel_index(data, format, folder, 1 << 20)["told"]
    found = [(each["kind"], each["line"]) for each in problems if each["kind"] == "too deep"]
    assert found == [("too deep", 5 if depth == 65_534 else 3)]


def test_a_shorter_path_than_the_tree_shows_is_found() -> None:
    text = """\
VM Entry Points
├── entry a.B.a():void id=0
│   └── directly calls a.B.b():void id=1 @bci=1
│       └── directly calls a.B.c():void id=2 @bci=1
│           └── directly calls a.B.d():void id=3 @bci=1
│               └── directly calls a.B.e():void id=4 @bci=1
└── entry a.B.x():void id=5
    └── directly calls a.B.d():void id-ref=3 @bci=1

"""
    with tempfile.TemporaryDirectory() as folder:
        found = kernel_index(text.encode(), CALL, folder, 64)
    assert found["totals"]["max_distance"] == 2
    assert_same(text.encode(), CALL, 64)


def test_many_lines_that_continue_a_row_are_joined_up_to_a_bound() -> None:
    row = "├── root at a.B.c(B.java:1) [bci: 2]\n".encode() + b"at x.Y.z(Y.java:3) [bci: 4]\n" * 60_000
    data = b"Heap roots\n" + row + b"at x.Y.z(Y.java:3) value:\n" + b"stray\n\n"
    assert_same(data, OBJECT, 100_000)
