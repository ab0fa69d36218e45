"""Expressions by states, against Python's own `re` over the decoded lines: whatever expression, charset and bytes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, partial
from typing import Any

import numpy as np
import pytest
from examples import more_examples
from hypothesis import given
from hypothesis import strategies as st

from parsers.query.search import byte_states, state_finder
from parsers.query.search.automaton import machine_of
from parsers.query.search.byte_states import ByteStates
from parsers.query.search.line_finder import SLACK, checked_lines, every_line, finder_of, no_line
from parsers.query.search.pattern import exact_pattern, in_line
from parsers.query.search.regex_facts import few_texts, quick_length, required_bytes
from parsers.query.search.state_finder import LineFinder

CODECS = ("utf-8", "gb18030", "cp932", "cp949", "euc_jp", "cp950", "cp437", "koi8_r", "ascii")

# -- patterns and texts ----------------------------------------------------------------------------------------------

PIECES = st.sampled_from(
    [
        *(
            "a",
            "b",
            "A",
            "é",
            "│",
            "ſ",
            "K",
            ".",
            r"\w",
            r"\W",
            r"\d",
            r"\s",
            r"\S",
            "[ab]",
            "[^a]",
            "[^é]",
            "[a-zA-Z]",
        ),
        *(
            "[é-│]",
            r"[^\w]",
            "^",
            "$",
            r"\b",
            r"\B",
            r"\A",
            r"\Z",
            " ",
            r"\0",
            r"\r",
            "(?i:ab)",
            r"(?a:\w)",
            r"(?a:\b)",
        ),
        *("(?-i:a)", "\ufffd", "(?s:.)", "(?m:^)", "(?m:$)", "1", "ab", ""),
    ]
)
EXPRESSIONS = st.recursive(
    PIECES,
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=4).map("".join),
        st.lists(inner, min_size=1, max_size=3).map(lambda several: f"({'|'.join(several)})"),
        st.tuples(inner, st.sampled_from(["*", "+", "?", "{2}", "{0,3}", "{2,}", "*?", "+?", "{0}"])).map(
            lambda both: f"(?:{both[0]}){both[1]}"
        ),
    ),
    max_leaves=8,
)
QUICK = EXPRESSIONS.filter(lambda text: quick_length(text) > 0)
"""Those that Python's matcher answers soon."""
BYTES = st.lists(
    st.one_of(
        st.sampled_from([b"a", b"b", b"A", b"ab", b"\n", b"\n", b"\r\n", b"\r", b"\0", b" ", b"1", b"_"]),
        st.sampled_from(
            [text.encode() for text in ("é", "│", "ſ", "\u212a", "İ", "ı", "\ufeff", "\U0001f600", "\x85")]
        ),
        st.sampled_from([b"\xff", b"\xe2", b"\xe2\x94", b"\xf0\x9f", b"\x81", b"\x84\x31", b"\xa9\xa6", b"\xc0\x80"]),
        st.binary(max_size=3),
    ),
    max_size=60,
).map(b"".join)


@cache
def kernel() -> Any:
    return state_finder.state_kernels()


def naive(data: bytes, expression: re.Pattern[str], codec: str) -> list[int]:
    found, offset = [], 0
    for line in data.split(b"\n"):
        if offset < len(data) and in_line(expression, line.removesuffix(b"\r").decode(codec, "replace")):
            found.append(offset)
        offset += len(line) + 1
    return found


def checked(expression: re.Pattern[str]) -> LineFinder:
    return partial(checked_lines, every_line, expression, "utf-8", ())


def by_states(data: bytes, expression: re.Pattern[str], codec: str, is_compiled: bool, section: int = 1 << 14) -> Any:
    finder = state_finder.state_finder(expression, codec, None, no_line)
    assert finder is not None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(state_finder, "SECTION", section)
        buffer = bytearray(data + b"a" * SLACK)
        return finder.find_by_states(kernel() if is_compiled else None, buffer, len(data)).tolist()


@given(QUICK, st.booleans(), BYTES, st.sampled_from(CODECS), st.integers(1, 64))
@more_examples(3)
def test_states_find_the_lines_that_python_finds(
    text: str, ignores_case: bool, data: bytes, codec: str, section: int
) -> None:
    expression = exact_pattern(text, "regex", ignores_case).regex
    assert expression is not None
    expected = naive(data, expression, codec)
    assert by_states(data, expression, codec, False) == expected
    assert by_states(data * 5, expression, codec, True, section) == naive(data * 5, expression, codec)


@given(EXPRESSIONS, st.lists(st.sampled_from([b"a", b"b", b"ab", b"1", b"\n", b" "]), max_size=8).map(b"".join))
@more_examples(3)
def test_states_find_the_lines_that_python_finds_by_any_expression(text: str, data: bytes) -> None:
    expression = exact_pattern(text, "regex").regex
    assert expression is not None
    assert by_states(data, expression, "utf-8", False) == naive(data, expression, "utf-8")


FEW_TEXTS = st.lists(
    st.sampled_from(
        ["a", "[ab]", "b", "[ab1]", "1", "(a|b)", "(a1|b)", "(?:ab|[1b])", "a+", "[a-c]{2}", "(a|b1){2}", "b*", "A"]
    ),
    min_size=1,
    max_size=5,
).map("".join)


def lines_with(places: Sequence[bytes], data: bytes) -> list[int]:
    """Offsets of the lines with these bytes side by side, in plain Python."""
    expression = re.compile(b"".join(b"[" + re.escape(few) + b"]" for few in places))
    found, start = [], 0
    for line in data.split(b"\n"):
        if expression.search(line):
            found.append(start)
        start += len(line) + 1
    return found


@given(FEW_TEXTS, st.booleans(), BYTES)
@more_examples(3)
def test_lines_with_few_bytes_side_by_side_are_proposed(text: str, ignores_case: bool, data: bytes) -> None:
    expression = exact_pattern(text, "regex", ignores_case).regex
    assert expression is not None
    places = required_bytes(expression.pattern, ignores_case)
    asks = checked(expression)
    finder = state_finder.state_finder(expression, "utf-8", None, asks, [places] if places else ())
    assert finder is not None
    data = data * 3 + b"\n"
    buffer = bytearray(data + b"ab1" * SLACK)
    if places:
        assert finder.lines_with(kernel()[1], buffer, len(data)).tolist() == lines_with(places, data)
    assert finder.find_by_states(kernel(), buffer, len(data)).tolist() == naive(data, expression, "utf-8")


@given(st.lists(FEW_TEXTS, min_size=1, max_size=3).map("|".join), st.booleans(), BYTES)
@more_examples(3)
def test_an_expression_that_is_a_few_texts_needs_no_states(text: str, ignores_case: bool, data: bytes) -> None:
    expression = exact_pattern(text, "regex", ignores_case).regex
    assert expression is not None
    texts = few_texts(expression.pattern, ignores_case)
    asks = checked(expression)
    data = data * 3 + b"ab"
    for is_exact in (True, False) if texts else ():
        finder = state_finder.state_finder(expression, "utf-8", None, asks, texts, is_exact)
        assert finder is not None
        buffer = bytearray(data + b"ab1" * SLACK)
        assert finder.find_by_states(kernel(), buffer, len(data)).tolist() == naive(data, expression, "utf-8")
    finder = finder_of(exact_pattern(text, "regex", ignores_case), "regex", "utf-8")
    assert finder(bytearray(data + b"ab1" * SLACK), len(data)).tolist() == naive(data, expression, "utf-8")


@pytest.mark.parametrize(
    ("text", "ignores_case", "texts"),
    [
        ("(a|b)c", False, ((b"ab", b"c"),)),
        ("ab|cd", False, ((b"a", b"b"), (b"c", b"d"))),
        ("a(b|cd){2}", False, ()),
        ("[xyz]{3}", False, ((b"xyz",) * 3,)),
        (r"java\.lang\.String", False, (tuple(bytes((byte,)) for byte in b"java.lang.String"),)),
        ("ab", True, ((b"Aa", b"Bb"),)),
        ("a[0-9]{4}", False, ()),
        ("a|", False, ()),
        ("a+", False, ()),
        ("^a", False, ()),
        ("(?i:a)", False, ()),
        ("(?=a)b", False, ()),
    ],
)
def test_the_few_texts_of_an_expression_are_known(text: str, ignores_case: bool, texts: tuple[Any, ...]) -> None:
    assert few_texts(text, ignores_case) == texts


@pytest.mark.parametrize(
    ("text", "ignores_case", "places"),
    [
        ("(a|b)c", False, (b"ab", b"c")),
        ("[xyz]{3}", False, (b"xyz",) * 3),
        ("[xy]+z", True, ()),
        ("ab", True, (b"Aa", b"Bb")),
        ("a[0-9]", False, (b"a", b"0123456789")),
        ("a.b", False, ()),
        ("(?i:a)b", False, ()),
        ("é[ab]", False, ()),
    ],
)
def test_few_bytes_that_each_match_holds_are_known(text: str, ignores_case: bool, places: tuple[bytes, ...]) -> None:
    assert required_bytes(text, ignores_case) == places


@given(QUICK, BYTES)
@more_examples(3)
def test_states_find_what_python_finds_among_proposed_lines(text: str, data: bytes) -> None:
    expression = exact_pattern(text, "regex").regex
    assert expression is not None
    asks = checked(expression)
    finder = state_finder.state_finder(expression, "utf-8", every_line, asks)
    assert finder is not None
    buffer = bytearray(data + bytes(SLACK))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(state_finder, "THICK", 0)
        found = [finder.find_by_states(each, buffer, len(data)).tolist() for each in (kernel(), None)]
    assert found == [naive(data, expression, "utf-8")] * 2


@pytest.mark.parametrize("text", [r"(a)\1", "(?<=a)b", "(?=a)", "(?!a)", "(?>a+)b", "a++b", "(a)(?(1)a|b)", "a{6000}"])
def test_expressions_without_automaton_are_left_to_python(text: str) -> None:
    assert machine_of(re.compile(text)) is None


@pytest.mark.parametrize(
    ("text", "lines"),
    [("(a+)+$", [0]), ("(a|aa)+b", [5005]), ("(a*)*b", [5005]), ("(.*a){12}", [3]), ("a*a*a*a*a*a*b", [5005])],
)
def test_expressions_that_take_python_for_ever_take_states_no_longer_than_others(text: str, lines: list[int]) -> None:
    data = b"!a\n" + b"a" * 5000 + b"!\nab\n"
    assert by_states(data, re.compile(text), "utf-8", True) == lines


def test_a_table_that_gets_full_is_begun_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(byte_states, "MOST_STATES", 12)
    monkeypatch.setattr(state_finder, "BYTES_A_STATE", 0)
    expression = re.compile("abc$")
    finder = state_finder.state_finder(expression, "utf-8", None, no_line)
    assert finder is not None
    lines = [b"abc\n", "é\n".encode(), "│\n".encode(), "\U0001f600abc\n".encode()]
    found = [finder.find_by_states(kernel(), bytearray(line + bytes(SLACK)), len(line)).tolist() for line in lines * 3]
    assert found == [[0], [], [], [0]] * 3


def test_expressions_of_too_many_states_are_left_to_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(byte_states, "MOST_STATES", 64)
    expression = re.compile("(a|b)*a(a|b){9}c")
    finder = state_finder.state_finder(expression, "utf-8", None, checked(expression))
    assert finder is not None
    line = b"abbabaaabbbababbaababbbabaabababbabc"
    data = bytearray(line * 3 + b"\n" + bytes(SLACK))
    for _ in range(2):
        assert finder.find_by_states(kernel(), data, 3 * len(line) + 1).tolist() == [0]


def test_states_are_learned_once() -> None:
    machine = machine_of(re.compile(r"\bget\w+"))
    assert machine is not None
    states = ByteStates(machine, "utf-8")
    finder = state_finder.StateFinder(states, None, no_line, True)
    line = "│   ├── directly calls java.util.Map.getOrDefault(Object, Object) id-ref=12\n".encode()
    data = bytearray(line * 100 + bytes(SLACK))
    assert len(finder.find_by_states(kernel(), data, 100 * len(line))) == 100
    known = states.count, np.count_nonzero(states.table != byte_states.UNKNOWN)
    assert len(finder.find_by_states(kernel(), data, 100 * len(line))) == 100
    assert known == (states.count, np.count_nonzero(states.table != byte_states.UNKNOWN))
