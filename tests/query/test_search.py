"""Patterns as typed, and scans of whole files for them, against Python's own `re` over the lines."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator

import numpy as np
import pytest
from examples import more_examples
from hypothesis import given
from hypothesis import strategies as st

from parsers.query.search import line_finder
from parsers.query.search.line_finder import SLACK, TextFinder, places_of
from parsers.query.search.line_kernel import lines_holding
from parsers.query.search.pattern import Pattern, PatternError, compile_pattern, exact_pattern
from parsers.query.search.regex_facts import quick_length, required_texts
from parsers.query.search.scan import blocks, scan

# -- patterns ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "text", "kind", "ignores_case", "is_negated"),
    [
        ("transfer", "transfer", "text", True, False),
        ("Transfer", "Transfer", "text", False, False),
        (r"\CTransfer", "Transfer", "text", False, False),
        (r"\cTransfer", "Transfer", "text", True, False),
        (r"Transfer\c", "Transfer", "text", True, False),
        (r"transfer\C", "transfer", "text", False, False),
        ("Map$Entry", "Map$Entry", "auto", False, False),
        ("foo(I)", "foo(I)", "auto", False, False),
        ("[B", "[B", "text", False, False),
        ("[b", "[b", "text", True, False),
        (r"\v[B]", "[B]", "regex", False, False),
        (r"\V[B]", "[B]", "text", False, False),
        (r"!\vfoo.*x", "foo.*x", "regex", True, True),
        (r"\V!foo", "!foo", "text", True, False),
        (r"\S+foo", r"\S+foo", "auto", True, False),
        (r"\S+Foo", r"\S+Foo", "auto", False, False),
        ("", "", "text", True, False),
    ],
)
def test_the_typed_text_selects_the_kind_of_search(
    typed: str, text: str, kind: str, ignores_case: bool, is_negated: bool
) -> None:
    assert compile_pattern(typed) == Pattern(text, kind, ignores_case, is_negated)  # type: ignore[arg-type]


def test_a_text_that_is_no_regular_expression_is_refused_only_where_it_must_be_one() -> None:
    with pytest.raises(PatternError, match="unterminated character set"):
        compile_pattern(r"\v[B")
    assert compile_pattern("[B").kind == "text"


def test_an_exact_pattern_takes_flags_for_text() -> None:
    assert exact_pattern(r"!\cfoo").text == r"!\cfoo"


@pytest.mark.parametrize(
    ("typed", "label", "pieces"),
    [
        ("Map$Entry", "java.util.Map$Entry.x()", ["Map$Entry"]),
        ("foo(I)", "a.foo(I)", ["foo(I)"]),
        ("b.r", "bar b.r", ["bar", "b.r"]),
        ("TRANSFER", "transfer TRANSFER", ["TRANSFER"]),
        ("transfer", "Transfer TRANSFER", ["Transfer", "TRANSFER"]),
        ("x*", "axxb", ["xx"]),
        ("!bar", "bar", []),
        ("", "bar", []),
    ],
)
def test_spans_are_what_matches_in_a_label(typed: str, label: str, pieces: list[str]) -> None:
    assert [label[start:end] for start, end in compile_pattern(typed).spans(label)] == pieces


def test_spans_of_an_expression_that_takes_for_ever_are_not_looked_for() -> None:
    assert compile_pattern(r"\v(a+)+$").spans("a" * 60 + "!") == []


def test_a_pattern_can_be_sent_to_another_process() -> None:
    pattern = compile_pattern(r"!\c\vFoo.*")
    assert Pattern.from_json(pattern.to_json()) == pattern


# -- facts of expressions ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pattern", "texts"),
    [
        ("Transfer.*close", ("Transfer",)),
        ("foo|barz", ("barz", "foo")),
        ("foo|", ()),
        ("(foo|bar)bazz", ("bazz",)),
        ("x(abc)?y+z*", ("x",)),
        ("(?:abc)+", ("abc",)),
        (r"foo\b\.bar$", ("foo.bar",)),
        (r"a(?=bcd)e", ("ae",)),
        ("[a-z]+", ()),
        ("(", ()),
    ],
)
def test_a_text_that_each_match_holds_is_known(pattern: str, texts: tuple[str, ...]) -> None:
    assert required_texts(pattern)[:1] == ((texts,) if texts else ())


def test_only_ascii_is_required_without_case() -> None:
    assert required_texts("Kittén", ignores_case=True) == (("kitt",), ("n",))


def test_ascii_letters_match_ascii_letters_only() -> None:
    for kind in ("text", "regex"):
        pattern = exact_pattern("kis", kind, ignores_case=True)  # type: ignore[arg-type]
        assert found("KIS\n\u212ais\nK\u0131s\nki\u017f\n".encode(), pattern) == [0]
        assert not pattern.matches("K\u0131s")


@pytest.mark.parametrize("pattern", ["(a+)+", "(a|aa)+", r"(a*)\1", "a*b*c*d*", "(a?){50}"])
def test_expressions_that_may_take_for_ever_are_known(pattern: str) -> None:
    assert quick_length(pattern) == 0


@pytest.mark.parametrize("pattern", ["foo", "a.*b", "[a-z]+\\d*", "(foo|bar)", "a{3}"])
def test_expressions_that_are_quick_are_known(pattern: str) -> None:
    assert quick_length(pattern) > 0


# -- scans ------------------------------------------------------------------------------------------------------------


def lines_of(data: bytes) -> list[tuple[int, bytes]]:
    """Lines by LF with their offsets; one CR before the LF doesn't belong to them."""
    found, offset = [], 0
    for line in data.split(b"\n"):
        if offset < len(data):
            found.append((offset, line))
        offset += len(line) + 1
    return found


def naive(data: bytes, pattern: Pattern, codec: str = "utf-8") -> list[int]:
    """Offsets of the lines that Python's `re` finds the pattern in, as the kind it is."""
    expression = pattern.regex if pattern.kind == "regex" else pattern.plain
    assert expression is not None
    return [
        offset
        for offset, line in lines_of(data)
        if (expression.search(line.removesuffix(b"\r").decode(codec, "replace")) is None) is pattern.is_negated
    ]


def found(data: bytes, pattern: Pattern, encoding: str = "utf-8", block: int = 1 << 20) -> list[int]:
    return found_as(data, pattern, encoding, block)[1]


def found_as(data: bytes, pattern: Pattern, encoding: str = "utf-8", block: int = 1 << 20) -> tuple[str, list[int]]:
    with tempfile.TemporaryFile() as file:
        file.write(data)
        file.flush()
        steps = list(scan(file.fileno(), pattern, encoding, block=block))
    kind = steps[-1].kind if steps else ""
    return kind, [int(offset) for step in steps if step.kind == kind for offset in step.lines]


ALPHABET = st.sampled_from(
    [b"a", b"b", b"A", b"B", b"ab", b"aab", b"\n", b"\n", b"\r\n", b"\0", b"\xff", "é│".encode(), b" "]
)
DATA = st.lists(ALPHABET, max_size=120).map(b"".join)


@given(DATA, st.text("abAé│\0 ", min_size=1, max_size=4), st.booleans(), st.booleans(), st.integers(1, 64))
@more_examples(3)
def test_a_text_is_found_in_the_lines_that_hold_it(
    data: bytes, text: str, ignores_case: bool, is_negated: bool, block: int
) -> None:
    pattern = exact_pattern(text, "text", ignores_case, is_negated)
    assert found(data, pattern, block=block) == naive(data, pattern)


@given(
    DATA,
    st.booleans(),
    st.booleans(),
    st.integers(1, 64),
    st.sampled_from(
        [
            "a.b",
            "a.",
            "ab.*b",
            "a+.b*a",
            "ab|ba.*b",
            "é.*a",
            "b.é",
            "a+b",
            "^a",
            "b$",
            "(ab|b)",
            r"\bab\b",
            r"\s",
            "[^a]b",
            ".",
            "a{2}b?",
            "(?:a|bb)a",
            "é",
            r"\W+$",
            "",
            "x",
            r"ab\Z",
            r"\Aa",
            "(?<=a)b",
            "(?!a)b",
        ]
    ),
)
@more_examples(3)
def test_an_expression_is_found_in_the_lines_that_match(
    data: bytes, ignores_case: bool, is_negated: bool, block: int, text: str
) -> None:
    pattern = exact_pattern(text, "regex", ignores_case, is_negated)
    assert found(data, pattern, block=block) == naive(data, pattern)


@pytest.mark.parametrize(
    "encoding,codec", [("gbk", "gb18030"), ("shift-jis", "cp932"), ("cp437", "cp437"), ("koi8-r", "koi8_r")]
)
def test_texts_are_found_in_other_charsets(encoding: str, codec: str) -> None:
    # The second byte of many of these characters is an ASCII letter, which must not be found.
    text = {"gb18030": "丂a丏\n丅b\n", "cp932": "ア表a\nソb\n", "cp437": "é│a\n├b\n", "koi8_r": "Яa\nб│b\n"}[codec]
    data = text.encode(codec) * 3
    for wanted in [*{*text} - {"\n"}, "@", "A", "\\", "a", "b"]:
        for ignores_case in (False, True):
            pattern = exact_pattern(wanted, "text", ignores_case)
            assert found(data, pattern, encoding) == naive(data, pattern, codec), wanted


def test_a_text_that_the_charset_can_t_write_is_in_no_line() -> None:
    assert found(b"a\n?\n", exact_pattern("é"), "ascii-?") == []
    assert found(b"a\n", exact_pattern("\ud800"), "utf-8") == []


@pytest.mark.parametrize(
    ("data", "count"),
    [
        (b"", 0),
        (b"x", 1),
        (b"x\n", 1),
        (b"x\nx", 2),
        (b"x\n\nx\n", 2),
        (b"xx x\n", 1),
        (b"\n\n", 0),
        (b"\0x\0\nx\r\n", 2),
    ],
)
def test_lines_are_counted_as_grep_does(data: bytes, count: int) -> None:
    assert len(found(data, exact_pattern("x"))) == count


def test_a_byte_order_mark_is_no_part_of_the_first_line() -> None:
    assert found(b"\xef\xbb\xbfVM Entry Points\nVM\n", exact_pattern("^VM", "regex")) == [0, 19]


def test_an_auto_pattern_is_the_plain_text_where_the_expression_matches_nothing() -> None:
    data = b"a Map$Entry\nb\nfoo(I)\n"
    assert [found_as(data, compile_pattern(text)) for text in ("Map$Entry", "foo(I)", "[fF]oo", "fo+x")] == [
        ("text", [0]),
        ("text", [14]),
        ("regex", [14]),
        ("text", []),
    ]


def test_an_auto_pattern_that_matches_late_is_an_expression_all_the_same() -> None:
    data = b"foo(I)\n" * 50 + b"fooI\n"
    assert found(data, compile_pattern("foo(I)"), block=16) == [350]


# -- monster lines ----------------------------------------------------------------------------------------------------


@pytest.fixture
def short_lines(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Lines are long from 64 bytes on, pieces overlap by 16."""
    monkeypatch.setattr("parsers.query.search.scan.LONGEST", 64)
    monkeypatch.setattr("parsers.query.search.scan.OVERLAP", 16)
    yield


@pytest.mark.usefixtures("short_lines")
def test_a_line_that_is_longer_than_the_buffer_is_found_once() -> None:
    monster = b"ab" * 200
    data = b"ab\n" + monster + b"needle" + monster + b"needle\nneedle\n" + monster
    assert found(data, exact_pattern("needle"), block=32) == [3, 3 + 812 + 1]
    assert found(data, exact_pattern("ab"), block=32) == [0, 3, 3 + 812 + 1 + 7]
    assert found(data, exact_pattern("needle", is_negated=True), block=32) == [0, 3 + 812 + 1 + 7]


@given(
    st.lists(st.sampled_from([b"ab", b"b", b"\n", b"abcde" * 8, b"x" * 100]), max_size=40).map(b"".join), st.booleans()
)
@more_examples(2)
def test_long_lines_are_searched_in_pieces_that_overlap(data: bytes, is_negated: bool) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("parsers.query.search.scan.LONGEST", 64)
        patch.setattr("parsers.query.search.scan.OVERLAP", 16)
        pattern = exact_pattern("bx", is_negated=is_negated)
        assert found(data, pattern, block=16) == naive(data, pattern)


@given(DATA, st.integers(1, 40), st.integers(0, 10))
@more_examples(2)
def test_blocks_are_whole_lines_one_after_the_other(data: bytes, size: int, start: int) -> None:
    with tempfile.TemporaryFile() as file:
        file.write(data)
        file.flush()
        pieces = [
            (block.offset, bytes(block.data[: block.length])) for block in blocks(file.fileno(), start, None, size)
        ]
    assert b"".join(piece for _, piece in pieces) == data[start:]
    assert all(piece.endswith(b"\n") for _, piece in pieces[:-1])
    assert all(
        offset == start + sum(len(piece) for _, piece in pieces[:index]) for index, (offset, _) in enumerate(pieces)
    )


def test_a_scan_ends_at_its_limit(tmp_path: os.PathLike[str]) -> None:
    path = os.path.join(tmp_path, "file")
    with open(path, "wb") as file:
        file.write(b"x\n" * 100)
    descriptor = os.open(path, os.O_RDONLY)
    lines = np.concatenate([step.lines for step in scan(descriptor, exact_pattern("x"), "utf-8", 10, 21)])
    os.close(descriptor)
    assert lines.tolist() == [10, 12, 14, 16, 18, 20]


# -- fast paths -------------------------------------------------------------------------------------------------------


@given(DATA, st.binary(min_size=1, max_size=3))
@more_examples(3)
def test_all_places_of_a_text_are_found(data: bytes, text: bytes) -> None:
    expected = [place for place in range(len(data)) if data.startswith(text, place)]
    assert places_of(text, np.frombuffer(data, np.uint8)).tolist() == expected


@given(DATA, st.sampled_from([b"a", b"ab", b"b\0", b"aba", b"\xff"]), st.integers(0, 70))
@more_examples(3)
def test_the_kernel_finds_the_lines_that_its_twin_finds(data: bytes, text: bytes, padding: int) -> None:
    length = 2 * len(data) + padding
    array = np.frombuffer(data + b"z" * padding + data + b"a" * SLACK, np.uint8)
    finder = TextFinder(text)
    assert finder.lines_compiled(lines_holding, array, length).tolist() == finder.lines_plain(array[:length]).tolist()


@given(DATA, st.sampled_from([b"a", b"ab", b"b\0", b"aba", b"\xff"]), st.booleans())
@more_examples(3)
def test_few_and_many_matches_are_found_alike(data: bytes, text: bytes, ignores_case: bool) -> None:
    found = []
    for few in (0.0, 1.0):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(line_finder, "FEW", few)
            found.append(TextFinder(text, ignores_case)(bytearray(data), len(data)).tolist())
    flags = re.IGNORECASE if ignores_case else 0
    expected = [offset for offset, line in lines_of(data) if re.search(re.escape(text), line, flags)]
    assert found == [expected, expected]


@given(st.sampled_from(["a+b", "[ab]{3}", "(a|b)a", "é.*a"]), st.integers(0, 4))
def test_a_file_that_gets_shorter_while_it_is_searched_just_ends(text: str, steps: int) -> None:
    data = "aab\nbéa\nba\n\n".encode() * 20
    with tempfile.TemporaryFile() as file:
        file.write(data)
        file.flush()
        scanned = scan(file.fileno(), exact_pattern(text, "regex"), "utf-8", block=32)
        found = [step.lines.tolist() for step, _ in zip(scanned, range(steps), strict=False)]
        os.ftruncate(file.fileno(), 39)
        found += [step.lines.tolist() for step in scanned]
    lines = [line for part in found for line in part]
    assert lines == sorted(set(lines))
    assert set(lines) <= set(naive(data, exact_pattern(text, "regex")))


@pytest.mark.parametrize("text", ["^a", "a", ".a", "[ab]a"])
def test_a_byte_order_mark_is_only_left_out_where_the_file_begins(text: str) -> None:
    data = b"\xef\xbb\xbfab\n\xef\xbb\xbfab\nba\n"
    expected = [0] * (text in ("^a", "a")) + [6] * (text in ("a", ".a")) + [12] * (text != "^a")
    assert found(data, exact_pattern(text, "regex"), block=4) == expected
