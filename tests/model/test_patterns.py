"""Suppress and expand patterns: GraalVM's rules, one by one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.model.names.patterns import Patterns, PatternSet, element_type, matches, proposed, split

texts = st.text(alphabet="ab*, .\t", max_size=8)
patterns = st.text(alphabet="ab*. \t", max_size=5)


@pytest.mark.parametrize(
    ("pattern", "text", "meets"),
    [
        ("*", "", True),
        ("*", "anything", True),
        ("**", "anything", True),
        ("*Map", "java.util.HashMap", True),
        ("*Map", "java.util.HashMap$Node", False),
        ("java.util.*", "java.util.Map", True),
        ("java.util.*", "null:java.util.Map", False),
        ("*:java.util.*", "null:java.util.Map", True),
        ("*Hash*", "java.util.HashMap", True),
        ("java.util.Locale.cache", "java.util.Locale.cache:java.util.Map", False),
        ("java.util.Locale.cache:java.util.Map", "java.util.Locale.cache:java.util.Map", True),
        ("java.*.Map", "java.util.Map", False),
        ("java.*.Map", "java.*.Map", True),
        ("", "", True),
        ("", "a", False),
        ("JAVA*", "java.util.Map", False),
    ],
)
def test_a_pattern_matches_a_text(pattern: str, text: str, meets: bool) -> None:
    assert matches(pattern, text) is meets


def test_a_value_is_trimmed_once_and_its_items_are_not() -> None:
    assert split("  a, b ,c \n") == ("a", " b ", "c")


def test_no_value_holds_no_pattern() -> None:
    assert split("") == ()


def test_expand_wins_over_suppress() -> None:
    wanted = Patterns(suppress_types="java.*", expand_types="java.util.HashMap")
    assert wanted.is_suppressed_type("java.util.ArrayList")
    assert not wanted.is_suppressed_type("java.util.HashMap")


def test_an_array_matches_by_its_innermost_element_type() -> None:
    wanted = Patterns(suppress_types="java.lang.String")
    assert wanted.is_suppressed_type("java.lang.String[][]")
    assert not wanted.is_suppressed_type("java.lang.StringBuilder[]")
    assert element_type("int[][]") == "int"


def test_a_pattern_with_brackets_matches_no_array() -> None:
    assert not Patterns(suppress_types="java.lang.String[]").is_suppressed_type("java.lang.String[]")


def test_a_root_matches_by_its_printed_form_with_loader() -> None:
    source = "null:java.util.Locale.cache:java.util.Map"
    assert not Patterns(suppress_roots="java.util.*").is_suppressed_root(source)
    assert Patterns(suppress_roots="*:java.util.*").is_suppressed_root(source)


def test_the_lists_of_the_printer_are_used_only_on_demand_and_last() -> None:
    assert not Patterns().is_suppressed_type("int[]")
    assert Patterns(built_in=True).is_suppressed_type("int[]")
    assert not Patterns(built_in=True).is_suppressed_type("short[]")
    assert not Patterns(built_in=True, expand_types="int").is_suppressed_type("int[]")
    assert Patterns(built_in=True).is_suppressed_root("java.lang.Character$UnicodeBlock.of(int)")


def test_types_roots_and_methods_have_patterns_of_their_own() -> None:
    wanted = Patterns(suppress_methods="*")
    assert wanted.is_suppressed_method("a.B.c():void")
    assert not wanted.is_suppressed_type("a.B")
    assert not wanted.is_suppressed_root("a.B.c:int")
    assert wanted.suppresses("methods") and not wanted.suppresses("types")


def test_options_come_by_name_and_others_are_passed_over() -> None:
    assert Patterns.from_options({"suppress_types": "a", "colour": "red", "expand_roots": ""}) == Patterns("a")
    assert not Patterns.from_options({})
    assert not Patterns(expand_types="*")


@given(st.lists(patterns, max_size=4), texts)
def test_a_set_matches_if_one_of_its_patterns_matches(some: list[str], text: str) -> None:
    assert (text in PatternSet(tuple(some))) is any(matches(pattern, text) for pattern in some)


@given(texts)
def test_a_proposed_pattern_matches_its_text(text: str) -> None:
    pattern = proposed(text)
    assert any(matches(item, text) for item in split(pattern))
    assert len(split(pattern)) == 1


@given(st.text(max_size=12))
def test_a_proposed_pattern_of_any_text_matches_it(text: str) -> None:
    assert Patterns(suppress_roots=proposed(text)).is_suppressed_root(text)


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        ("java.util.HashMap", "java.util.HashMap"),
        ("a.B.divide(long, long, int)", "a.B.divide(long*"),
        ("a.B.c(int, java.util.concurrent.TimeUnit)", "* java.util.concurrent.TimeUnit)"),
        ("odd ", "*odd *"),
    ],
)
def test_a_comma_or_a_blank_at_the_end_is_matched_by_a_part(text: str, pattern: str) -> None:
    assert proposed(text) == pattern


@given(patterns, patterns, texts)
def test_expanding_never_suppresses_more(suppress: str, expand: str, text: str) -> None:
    assert not Patterns(suppress_roots=suppress, expand_roots=expand).is_suppressed_root(text) or Patterns(
        suppress_roots=suppress
    ).is_suppressed_root(text)
