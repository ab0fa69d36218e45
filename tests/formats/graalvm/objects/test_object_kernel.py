"""Compiled classifiers of object trees against their plain twins, on any bytes."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from parsers.formats.graalvm.objects.index.kernel import HAS_LOADER, HAS_POSITION
from parsers.formats.graalvm.objects.index.plain import UNKNOWN_TAGS, ObjectCounts, loader_length
from parsers.formats.graalvm.objects.index.row import POSITION, ROOT_OPEN, UNKNOWN, ObjectRow, parse_object_row
from parsers.formats.graalvm.text.read.chunk import DECLARES, HAS_VERTEX, NAMED, PROBLEM, new_chunk, prefix_words
from parsers.formats.graalvm.text.read.kernel import OBJECT, parse_chunk
from parsers.io.charset import CHARSETS

CHUNK = new_chunk(1 << 16)
WORDS = prefix_words(CHARSETS[0])
TEE = CHARSETS[0].tee

pieces = st.sampled_from(
    [
        *(
            b"root ",
            b"at ",
            b"[1] ",
            b"[",
            b"]",
            b"a.B",
            b"a:b",
            b"null:",
            b"(",
            b")",
            b" ",
            b"x",
            b"\r",
            b"=",
            b"y" * 60,
        ),
        *(b" id=", b" id-ref=", b"7", b"1234567890123456789", b" @bci=", b"-3", b"->", b"\xe4", b"\0"),
        *(
            b" toString=",
            b" value:",
            b" value=null",
            b" null",
            b" fields:",
            b" (no fields)",
            b" (expansion suppressed)",
        ),
        *(b" elements (excluding null):", b" (no elements)"),
    ]
)
bodies = (
    st.lists(pieces, max_size=10).map(b"".join)
    | st.lists(pieces, max_size=8).map(lambda parts: b"root at " + b"".join(parts))
    | st.lists(pieces, max_size=6).map(lambda parts: b"".join(parts) + b" toString=" + b"".join(parts[::2]))
    | st.binary(max_size=40).map(lambda data: data.replace(b"\n", b""))
)


def parsed(data: bytes) -> int:
    """Returns the rows of a whole file in one chunk."""
    CHUNK.data[: len(data)] = np.frombuffer(data, np.uint8)
    CHUNK.data[len(data) : len(data) + 256] = 0
    return int(parse_chunk(CHUNK, 0, len(data), len(data), True, True, WORDS, OBJECT))


def tag_of(row: ObjectRow, body: bytes) -> int:
    """Returns the tag of a root's source as counted by plain code."""
    if row.kind > ROOT_OPEN:
        return 0
    source = body[row.start : row.end]
    if source.startswith(POSITION):
        return HAS_POSITION
    return HAS_LOADER if loader_length(source) else 0


@given(st.lists(bodies, min_size=1, max_size=20), st.booleans())
def test_every_row_is_classified_as_by_its_twin(some: list[bytes], is_cut: bool) -> None:
    data = b"Heap roots\n" + b"\n".join(TEE + body for body in some) + (b"" if is_cut else b"\n\n")
    assert parsed(data) == len(some)
    for number, body in enumerate(some):
        text = body.removesuffix(b"\r")
        row = parse_object_row(text, is_cut and number == len(some) - 1)
        start = int(CHUNK.name_start[number])
        assert CHUNK.kind[number] == row.kind
        assert CHUNK.id[number] == (-1 if row.id is None else row.id)
        assert CHUNK.data[start : start + int(CHUNK.name_length[number])].tobytes() == row.name
        assert CHUNK.tag[number] == tag_of(row, text)
        flags = int(CHUNK.flags[number])
        assert bool(flags & NAMED) == bool(row.name)
        assert bool(flags & HAS_VERTEX) == row.has_vertex
        assert bool(flags & DECLARES) == (row.id is not None and not row.is_ref)
        assert bool(flags & PROBLEM) == (row.kind == UNKNOWN or row.kind in UNKNOWN_TAGS)


lines = st.lists(pieces, max_size=5).map(lambda parts: b"at " + b"".join(parts))


@given(st.lists(pieces, max_size=6).map(b"".join), st.lists(lines, max_size=4), st.sampled_from([b"\n", b"\r\n"]))
def test_a_source_of_several_lines_is_read_to_its_ending(first: bytes, more: list[bytes], line_end: bytes) -> None:
    body = b"root at " + first
    data = b"Heap roots" + line_end + TEE + line_end.join([body, *more]) + line_end + line_end
    assert parsed(data) == 1
    row = parse_object_row(body.removesuffix(b"\r"))
    if row.continues and more:
        joined = line_end.join([body, *more])
        row = parse_object_row(joined.removesuffix(b"\r"))
    assert (CHUNK.kind[0], CHUNK.id[0]) == (row.kind, -1 if row.id is None else row.id)
    assert CHUNK.tag[0] == (HAS_POSITION if row.kind <= ROOT_OPEN else 0)


@given(st.lists(st.sampled_from([b"\r", b"\n", b"\0", b"\x7f", b"x" * 63, b"\x1f", b"\r\n", b"\xff"])).map(b"".join))
def test_control_characters_are_counted_as_the_twin_counts_them(data: bytes) -> None:
    counts = ObjectCounts()
    counts.feed(data)
    parsed(data)
    assert CHUNK.facts[0]["controls"] == counts.control_characters
    assert CHUNK.facts[0]["nuls"] == counts.nul_bytes
    assert CHUNK.facts[0]["rows"] == 0
