"""Files of rules: their syntax, and reports of mistakes."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest
from conftest import ROOT

from parsers.reporting.rules.amount import amount_of, amount_text
from parsers.reporting.rules.rule_file import RuleError, parse_rules, split_patterns
from parsers.reporting.rules.toml_places import TomlPlaces


def mistakes(text: str) -> list[str]:
    """Returns the reported mistakes of a file, without its name."""
    with pytest.raises(RuleError) as caught:
        parse_rules(text, "rules.toml")
    return [each.removeprefix("rules.toml:") for each in caught.value.args]


@pytest.mark.parametrize(
    ("written", "unit", "number"),
    [
        (60_000, "count", 60_000),
        ("60_000", "count", 60_000),
        ("60,000", "count", 60_000),
        ("10 MB", "bytes", 10_000_000),
        ("1KiB", "bytes", 1024),
        ("2.5 ms", "ns", 2_500_000),
        ("2.5ms", "s", Fraction(25, 10_000)),
        ("5 %", "percent", 5),
        (0.1, "percent", Fraction(1, 10)),
    ],
)
def test_an_amount_is_exact_in_the_unit_of_a_column(written: object, unit: str, number: Fraction) -> None:
    assert amount_of(written).in_unit(unit) == number


@pytest.mark.parametrize("written", ["", "MB", "10 XB", "-1", -1, True, None, "1.2.3", "1e5", float("nan"), "٣"])
def test_an_invalid_amount_reports_what_is_expected(written: object) -> None:
    with pytest.raises(ValueError, match="expected a number"):
        amount_of(written)


def test_an_amount_of_bytes_is_none_of_time() -> None:
    with pytest.raises(ValueError, match=r"is in ms: expected a number or such as .2\.5 ms., not '10 MB'"):
        amount_of("10 MB").in_unit("ms")


@pytest.mark.parametrize(
    ("number", "unit", "text"),
    [
        (1234567, "count", "1,234,567"),
        (999, "bytes", "999 B"),
        (1_500_000, "bytes", "1.5 MB"),
        (13_981_000, "ns", "13.98 ms"),
        (2044, "ms", "2.044 s"),
        (0, "bytes", "0 B"),
        (12.5, "percent", "12.5 %"),
    ],
)
def test_a_number_is_shown_in_a_unit_that_keeps_it_short(number: float, unit: str, text: str) -> None:
    assert amount_text(number, unit) == text


def test_patterns_are_split_at_commas_outside_of_parentheses() -> None:
    assert split_patterns("a.B.f(int, long):void, c.*") == ("a.B.f(int, long):void", "c.*")


def test_a_list_holds_one_pattern_an_item_with_all_its_commas() -> None:
    (rule,) = parse_rules('[[forbid]]\nname = "a"\nmethods = ["T.adds one, then two", " b*"]', "r").rules
    assert rule.patterns.patterns == ("T.adds one, then two", " b*")


def test_rules_keep_the_order_of_the_file() -> None:
    text = '[[limit]]\nname = "b"\nmethods = "*"\nat-most = 1\n[[forbid]]\nname = "a"\nclasses = "x"\n'
    assert [rule.name for rule in parse_rules(text, "r").rules] == ["b", "a"]


def test_each_mistake_is_reported_with_its_line() -> None:
    text = """\
acept = 1

[[forbid]]
name = "one"
clases = "com.*"

[[limit]]  # a comment with [[forbid]]
name = "two"
view = "Classes"
column = "retained"
at-most = "10 XB"

[[require]]
reason = '''
[[limit]]
name = 7
'''
methods = "a"
"""
    told = mistakes(text)
    assert [each.partition(":")[0] for each in told] == ["1", "3", "5", "11", "13"]
    assert "no key is called 'clases': did you mean classes?" in told[2]
    assert "at-most: expected a number, or one with a unit" in told[3]
    assert "[[require]]: name: expected a unique text" in told[4]


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ("", "expected one of methods, classes, packages, entries, types, objects, view or sql: there is none"),
        ('methods = "a"\nclasses = "b"', "expected one of"),
        ("methods = 3", "methods: expected a pattern"),
        ("methods = []", "methods: expected a pattern"),
        ('methods = ["a", 1]', "methods: expected a pattern"),
        ('methods = "a"\nkind = "class"', "kind: belongs to view"),
        ('methods = "a"\nnew = "yes"', "new: expected true or false, not 'yes'"),
        ('methods = "a"\nat-most = 3', "no key is called 'at-most'"),
        ('methods = "a"\nwhere = 3', "where: expected columns with patterns"),
        ('methods = "a"\nwhere = { at = 3 }', "where.at: expected a pattern"),
        ('methods = "a"\nreason = 3', "reason: expected a text, not 3"),
    ],
)
def test_contradictions_in_a_rule_are_mistakes(table: str, expected: str) -> None:
    assert expected in "\n".join(mistakes(f'[[forbid]]\nname = "a"\n{table}\n'))


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ("", "limits nothing: expected at-most, may-grow or both"),
        ('at-most = "10 MB"', "at-most: expected a number of rows, or column, too"),
        ('may-grow = "10 MB"', 'may-grow: expected a number or such as "5 %"'),
        ('at-most = 1\ntake = "each"', "take: needs a column"),
        ('at-most = 1\ncolumn = "x"\ntake = "all"', "take: expected 'sum' or 'each', not 'all'"),
    ],
)
def test_contradictions_in_a_limit_are_mistakes(table: str, expected: str) -> None:
    assert expected in "\n".join(mistakes(f'[[limit]]\nname = "a"\nmethods = "*"\n{table}\n'))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "1: holds no rules"),
        ("[[forbid]]\nname = 'a", "2: is no TOML: "),
        ('[[forbid]]\nname = "a\nmethods = "b"', "2: is no TOML: at column 10: the text has no closing quote"),
        ("baseline = 'a'\nbaseline = 'b'\n", "2: is no TOML: at column 15: the key is here for the second time"),
        ("[forbid]\nname = 'a'", "1: forbid: expected tables that begin with [[forbid]]"),
        ("forbid = 3", "1: forbid: expected tables"),
        ("baseline = 3", "1: baseline: expected the path of a file, not 3"),
        ("accept-problems = 'cut'", "1: accept-problems: expected kinds"),
        ("x = " + "[" * 5000, "is no TOML"),
        ('[[forbid]]\nname="a"\n[[limit]]\nname="a"', "3: name: 'a' is the name of the rule of line 1, too"),
        ('[[forbid]]\nname="a"\nmethods="b"\n' * 2, "4: name: 'a' is the name of the rule of line 1, too"),
    ],
)
def test_an_invalid_file_of_rules_is_refused(text: str, expected: str) -> None:
    assert expected in "\n".join(mistakes(text))


def test_a_file_of_rules_that_is_made_to_take_long_does_not() -> None:
    assert "is no TOML: exceeds the limit" in mistakes("x = " + "9" * 5_000)[0]
    assert len(mistakes("".join(f"[k{number}]\n" for number in range(20_000)))) == 1_000
    long = '[[forbid]]\nname = "a"\nmethods = "' + "*a" * 500_000 + '"\nx = 1'
    assert "4: [[forbid]] 'a': no key is called 'x'" in mistakes(long)[0]


def test_the_rules_of_the_documents_are_rules() -> None:
    text = (ROOT / "docs" / "rules.md").read_text("utf-8")
    blocks = re.findall(r"^```toml\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    found = [parse_rules(block, "rules.toml") for block in blocks]
    assert [rule.name for file in found for rule in file.rules][:2] == ["no server", "size of the image"]
    assert len(found) > 2
    assert not [doubt for file in found for doubt in file.doubts]


def test_a_star_inside_of_a_pattern_is_doubted() -> None:
    (doubt,) = parse_rules('[[forbid]]\nname = "a"\nmethods = "com.*.Main"', "r").doubts
    assert doubt.startswith("r:3: [[forbid]] 'a': methods: the * inside of 'com.*.Main' is a plain character")


def test_a_baseline_is_looked_for_beside_its_rules() -> None:
    text = 'baseline = "b.toml"\n[[forbid]]\nname = "a"\nmethods = "b"'
    assert parse_rules(text, "ci/rules.toml").baseline == "ci/b.toml"


def test_places_are_not_confused_by_strings_and_comments() -> None:
    text = 'a = """\n[[x]]\n"""\r\n# [[x]]\n[[x]]\nb = [\n  "#",\n] # c\n"c" = \'\'\'\n\n\'\'\'\n[[ x ]]\nd = 1\n'
    places = TomlPlaces(text)
    assert [places.line(key="a"), places.line("x"), places.line("x", 0, "b"), places.line("x", 0, "c")] == [1, 5, 6, 9]
    assert [places.line("x", 1), places.line("x", 1, "d"), places.line("x", 1, "none")] == [12, 13, 12]
