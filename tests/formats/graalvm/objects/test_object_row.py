"""Rows of object trees: every form, every trap, and the counts of all samples."""

from __future__ import annotations

from typing import Any

import pytest
from conftest import plain_bytes, sample_path, samples, truth_of
from hypothesis import given
from hypothesis import strategies as st

from parsers.formats.graalvm.objects.index.plain import ObjectCounts, object_tree
from parsers.formats.graalvm.objects.index.row import KINDS, TAGS, ObjectRow, parse_object_row


def told(body: bytes, is_cut: bool = False) -> dict[str, Any]:
    """Returns the contents of a row: kind and label, and if it has them tag, id, text and name."""
    row = parse_object_row(body, is_cut)
    said: dict[str, Any] = {"kind": KINDS[row.kind], "label": body[row.start : row.end].decode("utf-8", "replace")}
    if TAGS[row.kind]:
        said["tag"] = TAGS[row.kind]
    if row.id is not None:
        said["id_ref" if row.is_ref else "id"] = row.id
    if row.text is not None:
        said["text"] = body[slice(*row.text)].decode("utf-8", "replace")
    if row.name:
        said["name"] = row.name.decode("utf-8", "replace")
    return said


def test_a_root_whose_value_follows() -> None:
    assert told(b"root a.B.c:int[] value:") == {"kind": "root", "label": "a.B.c:int[]", "tag": "value"}


def test_a_root_that_was_expanded_elsewhere() -> None:
    assert told(b"root a.B.m(String) id-ref=7 toString=x y") == {
        "kind": "root",
        "label": "a.B.m(String)",
        "id_ref": 7,
        "text": "x y",
    }


def test_a_suppressed_root() -> None:
    assert told(b"root a.B.c:X toString=X@1 (expansion suppressed)") == {
        "kind": "root",
        "label": "a.B.c:X",
        "tag": "suppressed",
        "text": "X@1",
    }


def test_an_object_with_index() -> None:
    assert told(b"[2] a.B$C[] id=12 toString=B.C[0]{} (no elements)") == {
        "kind": "object",
        "label": "[2] a.B$C[]",
        "name": "a.B$C[]",
        "id": 12,
        "tag": "no_elements",
        "text": "B.C[0]{}",
    }


@pytest.mark.parametrize(
    ("end", "tag"),
    [
        (" fields:", "fields"),
        (" (no fields)", "no_fields"),
        (" elements (excluding null):", "elements"),
        (" (no elements)", "no_elements"),
        (" (no methods)", "unknown"),
    ],
)
def test_the_tag_of_an_object_is_its_end(end: str, tag: str) -> None:
    text = 'String:"(no elements) id=7 toString= fields: '
    said = told(f"a.B id=1 toString={text}{end}".encode())
    assert said["tag"] == tag
    assert said["text"] == text + (end if tag == "unknown" else "")


def test_a_reference_ends_in_its_text_whatever_it_looks_like() -> None:
    assert told(b"a.B id-ref=1 toString=x (no fields)") == {
        "kind": "reference",
        "label": "a.B",
        "name": "a.B",
        "id_ref": 1,
        "text": "x (no fields)",
    }


def test_a_suppressed_field_keeps_its_quotes_and_ids() -> None:
    assert told(b'name:java.lang.String toString="he said "hi" id=7 " (expansion suppressed)') == {
        "kind": "field",
        "label": "name:java.lang.String",
        "tag": "suppressed",
        "text": '"he said "hi" id=7 "',
    }


def test_fields_with_and_without_value() -> None:
    assert told(b"next:a.B value:") == {"kind": "field", "label": "next:a.B", "tag": "value"}
    assert told(b"next:a.B value=null") == {"kind": "field", "label": "next:a.B", "tag": "null"}


def test_suppressed_values_with_type_and_with_index() -> None:
    assert told(b"int[] toString=int[1]{2} (expansion suppressed)") == {
        "kind": "value",
        "label": "int[]",
        "name": "int[]",
        "tag": "suppressed",
        "text": "int[1]{2}",
    }
    assert told(b"[3] toString=5 (expansion suppressed)") == {
        "kind": "value",
        "label": "[3]",
        "tag": "suppressed",
        "text": "5",
    }


def test_a_null_element() -> None:
    assert told(b" null") == {"kind": "null", "label": ""}


def test_an_empty_text() -> None:
    assert told(b"java.lang.Character id=1 toString= (no fields)")["text"] == ""
    assert told(b"a:char toString= (expansion suppressed)")["text"] == ""
    assert told(b"a.B id-ref=1 toString=")["text"] == ""


def test_a_class_that_is_called_root() -> None:
    assert told(b"root id=5 toString=root@1 fields:")["kind"] == "object"
    assert told(b"root id-ref=5 toString=root@1")["kind"] == "reference"
    assert told(b"root toString=root@1 (expansion suppressed)")["kind"] == "value"


@pytest.mark.parametrize(
    "body", [b"", b"null", b"value:", b"a.B value:", b"a.B", b"a.B toString=x", b" toString=x (expansion suppressed)"]
)
def test_a_body_that_fits_no_form_is_kept_whole(body: bytes) -> None:
    assert told(body) == {"kind": "unknown", "label": body.decode()}


def test_the_id_at_the_end_of_an_unknown_row_counts() -> None:
    assert told(b"inlined a.B id=5 ") == {"kind": "unknown", "label": "inlined a.B", "id": 5}
    assert told(b"inlined a.B id-ref=5 @bci=3->-1") == {"kind": "unknown", "label": "inlined a.B", "id_ref": 5}


def test_an_id_at_the_very_end_of_a_cut_file_may_be_the_beginning_of_another() -> None:
    assert told(b"a.B id=1", is_cut=True) == {"kind": "unknown", "label": "a.B id=1"}
    assert told(b"a.B id=1 ", is_cut=True) == {"kind": "unknown", "label": "a.B", "id": 1}


def test_an_id_in_the_text_of_a_cut_row_is_none() -> None:
    assert told(b"a:B toString=x id=7") == {"kind": "unknown", "label": "a:B toString=x id=7"}


def test_a_number_too_long_for_an_id_is_none() -> None:
    assert told(b"a.B id=1234567890123456789 toString=x fields:")["kind"] == "unknown"


def test_a_root_at_a_position_of_one_line() -> None:
    said = told(b"root at a.B.c(B.java:1) [bci: 2] value:")
    assert said == {"kind": "root", "label": "at a.B.c(B.java:1) [bci: 2]", "tag": "value"}
    assert not parse_object_row(b"root at a.B.c(B.java:1) [bci: 2] value:").continues


def test_a_root_at_a_position_of_several_lines_waits_for_its_ending() -> None:
    first = b"root at a.B.c(B.java:1) [bci: 2]"
    assert parse_object_row(first).continues
    assert told(first + b"\r\nat a.B.d(B.java:3)\r\nat a.E.f(E.java:4) id-ref=3 toString=E@1") == {
        "kind": "root",
        "label": "at a.B.c(B.java:1) [bci: 2]",
        "id_ref": 3,
        "text": "E@1",
    }
    assert told(first + b"\nat a.B.d(B.java:3) value:")["tag"] == "open"
    assert told(first + b"\nat a.B.d(B.java:3)")["kind"] == "unknown"


def whole(case: str, name: str) -> bytes:
    """The plain bytes of a sample."""
    return plain_bytes(sample_path(case, name))


@pytest.mark.parametrize(("case", "name"), samples("graalvm-object-tree"))
def test_the_plain_counts_of_a_sample_are_true(case: str, name: str) -> None:
    truth = truth_of(case)[name]
    summary = object_tree(whole(case, name)).summary
    assert dict(summary.totals) == truth["totals"]
    assert summary.facts["format_version"] == truth["format_version"]
    assert summary.facts["encoding"] == truth["encoding"]
    assert summary.facts["line_end"] == truth["line_end"]
    assert summary.facts["depth_rows"] == truth["depth_rows"]
    assert [(problem.kind, problem.line, problem.offset) for problem in summary.problems[:50]] == [
        (problem["kind"], problem["line"], problem["offset"]) for problem in truth["problems"]
    ]


pieces = st.sampled_from(
    [
        *(b"root ", b"at ", b"[1] ", b"[", b"a.B", b"a:b", b" id=", b" id-ref=", b"7", b" @bci=", b" ", b"x"),
        *(
            b" toString=",
            b" value:",
            b" value=null",
            b" null",
            b" fields:",
            b" (no fields)",
            b" (expansion suppressed)",
        ),
        *(b"\n", b"\r", b"\xe4"),
    ]
)
bodies = st.lists(pieces, max_size=10).map(b"".join) | st.binary(max_size=40)


@given(bodies, st.booleans())
def test_any_body_gives_a_row_whose_pieces_are_in_it(body: bytes, is_cut: bool) -> None:
    row: ObjectRow = parse_object_row(body, is_cut)
    assert 0 <= row.start <= row.end <= len(body)
    assert row.text is None or row.end <= row.text[0] <= row.text[1] <= len(body)
    assert row.name in body
    assert 0 <= row.kind < len(KINDS)


texts = st.binary(max_size=60) | st.lists(st.sampled_from([b"\r", b"\n", b"\0", b"a", b"\x7f"])).map(b"".join)


@given(st.lists(texts, max_size=4))
def test_control_characters_are_counted_inside_lines(pieces: list[bytes]) -> None:
    counts = ObjectCounts()
    for piece in pieces:
        counts.feed(piece)
    lines = [line.removesuffix(b"\r") for line in b"".join(pieces).split(b"\n")]
    assert counts.control_characters == sum(byte < 0x20 or byte == 0x7F for line in lines for byte in line)
    assert counts.nul_bytes == sum(line.count(b"\0") for line in lines)
