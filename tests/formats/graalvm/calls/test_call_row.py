"""Rows of a call tree taken apart: every form of the format, and what only looks like one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.formats.graalvm.calls.index.row import KINDS, CallRow, method_parts, package_of, parse_call_row

DIRECT = "directly calls a.B.c(int):void id=7 @bci=3 "


def told(body: str, is_cut: bool = False) -> tuple[str, str, int | None, bool]:
    """Kind, name, id, and whether it is a reference."""
    row = parse_call_row(body.encode(), is_cut)
    return KINDS[row.kind], row.name.decode(), row.id, row.is_ref


def part(body: str, span: tuple[int, int] | None) -> str | None:
    return None if span is None else body.encode()[slice(*span)].decode()


@pytest.mark.parametrize(
    ("body", "kind", "name", "id", "is_ref"),
    [
        ("entry a.B.c():void id=0 ", "entry", "a.B.c():void", 0, False),
        ("entry a.B.c():void id=0, parsing reason:  root method ", "entry", "a.B.c():void", 0, False),
        (DIRECT, "direct call", "a.B.c(int):void", 7, False),
        ("directly calls a.B.c():void id-ref=7 @bci=24->5->3 ", "direct call", "a.B.c():void", 7, True),
        ("virtually calls a.B.c():void @bci=-6", "virtual call", "a.B.c():void", None, False),
        ("interfacially calls a.B.c():void @bci=40", "interface call", "a.B.c():void", None, False),
        ("is overridden by app:a.B.c():void id=7 ", "overridden by", "a.B.c():void", 7, False),
        ("is implemented by a.B.c():void id-ref=7 ", "implemented by", "a.B.c():void", 7, True),
    ],
)
def test_every_form_is_known(body: str, kind: str, name: str, id: int | None, is_ref: bool) -> None:
    assert told(body) == (kind, name, id, is_ref)
    # Editors cut trailing blanks.
    assert told(body.rstrip()) == (kind, name, id, is_ref)


@pytest.mark.parametrize(
    ("body", "name", "id"),
    [
        ("inlined a.B.c():void id=7 ", "inlined a.B.c():void", 7),
        ("inlined a.B.c():void id=7 @bci=3 ", "inlined a.B.c():void", 7),
        ("entry a.B.c():void id=7 @bci=3 ", "entry a.B.c():void", 7),
        ("directly calls a.B.c():void id=7 ", "directly calls a.B.c():void", 7),
        ("directly calls a.B.c():void @bci=7 ", "directly calls a.B.c():void @bci=7 ", None),
        ("virtually calls a.B.c():void", "virtually calls a.B.c():void", None),
        ("directly calls a.B.c():void id=7 @bci=3-> ", "directly calls a.B.c():void id=7 @bci=3-> ", None),
        ("is overridden by a.B.c():void id=1234567890123456789 ", None, None),
        ("", "", None),
    ],
)
def test_unparsable_rows_are_unknown_but_keep_an_id_at_their_end(body: str, name: str | None, id: int | None) -> None:
    assert told(body) == ("unknown", body if name is None else name, id, False)


@pytest.mark.parametrize(
    ("body", "name", "id"),
    [
        ("directly calls K.adds id=5 @bci=3 (x):void id=7 @bci=1 ", "K.adds id=5 @bci=3 (x):void", 7),
        ("virtually calls K.adds id=5 ():void @bci=1", "K.adds id=5 ():void", None),
        ("entry K.e (), parsing reason:  x():v id=7, parsing reason:  id=3 ", "K.e (), parsing reason:  x():v", 7),
    ],
)
def test_names_may_hold_what_looks_like_an_end(body: str, name: str, id: int | None) -> None:
    assert told(body)[1:3] == (name, id)


@pytest.mark.parametrize(
    ("body", "kind", "id"),
    [
        ("entry a.B.c():void id=1", "unknown", None),
        ("entry a.B.c():void id=1 ", "entry", 1),
        ("entry a.B.c():void id=1,", "entry", 1),
        ("entry a.B.c():void id=1, parsing rea", "entry", 1),
        ("entry a.B.c():void id=1, parsing reason:  root", "entry", 1),
        ("is overridden by a.B.c():void id-ref=1", "unknown", None),
        ("directly calls a.B.c():void id=1 @bci=2", "direct call", 1),
        ("directly calls a.B.c():void id=1 @b", "unknown", None),
    ],
)
def test_at_a_cut_end_an_id_counts_only_if_something_follows(body: str, kind: str, id: int | None) -> None:
    found = told(body, is_cut=True)
    assert (found[0], found[2]) == (kind, id)


def test_a_loader_ends_at_the_first_colon_before_the_parameters() -> None:
    body = "is overridden by com.x.Loader:a.B.c(int):void id=7 "
    row = parse_call_row(body.encode())
    assert part(body, row.loader) == "com.x.Loader"
    assert part(body, (row.start, row.end)) == "com.x.Loader:a.B.c(int):void"
    assert parse_call_row(b"virtually calls x:a.B.c():void @bci=1").loader is None


def test_a_reason_extends_to_the_end_of_its_last_line() -> None:
    body = "entry a.B.c():void id=7, parsing reason:  at x.Y.z(Y.java:1) [bci: 2]\nat x.Y.main(Y.java:9) [bci: 1] "
    row = parse_call_row(body.encode())
    assert row.continues
    assert part(body, row.reason) == "at x.Y.z(Y.java:1) [bci: 2]\nat x.Y.main(Y.java:9) [bci: 1]"


@pytest.mark.parametrize(
    ("method", "holder", "name", "parameters", "result"),
    [
        ("a.B.c(int, x.Y[]):void", "a.B", "c", "int, x.Y[]", "void"),
        ("k.T.adds (one), then two(int):k.Unit", "k.T", "adds (one), then two", "int", "k.Unit"),
        ("X.<init>():void", "X", "<init>", "", "void"),
        ("plain", "", "plain", "", ""),
        ("a.b", "a", "b", "", ""),
        ("a.b):void", "a", "b):void", "", ""),
    ],
)
def test_a_method_has_its_parts(method: str, holder: str, name: str, parameters: str, result: str) -> None:
    for text in (method, method.encode()):
        parts = method_parts(text)
        found = [text[slice(*span)] for span in parts]
        assert [bytes(x).decode() if isinstance(x, bytes) else x for x in found] == [holder, name, parameters, result]


@pytest.mark.parametrize(
    ("holder", "package"),
    [("a.b.C", "a.b"), ("C", "C"), ("a.C$$Lambda$7/0x0.1", "a"), ("C$$Lambda/0x1.2", "C"), ("", "")],
)
def test_a_package_is_the_text_before_the_last_dot(holder: str, package: str) -> None:
    assert package_of(holder) == package
    assert package_of(holder.encode()) == package.encode()


@given(st.binary(max_size=200), st.booleans())
def test_any_bytes_are_some_row(body: bytes, is_cut: bool) -> None:
    row = parse_call_row(body, is_cut)
    assert isinstance(row, CallRow)
    assert 0 <= row.start <= row.name_start <= row.end <= len(body)
