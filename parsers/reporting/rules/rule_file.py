"""Rule files, in TOML: read whole; every mistake is reported with its line, its key and the expected value.

baseline = "baseline.toml"

[[forbid]]
name = "no XML parser"
reason = "4 MB of image for one configuration file"
classes = "com.sun.org.apache.xerces.*"

[[require]]
name = "plug-ins are found"
methods = "com.acme.plugin.Loader.load(*"

[[limit]]
name = "size of the image"
methods = "*"
at-most = 60_000
may-grow = "2 %"
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from parsers.model.names.patterns import PatternSet
from parsers.model.names.suggestion import suggestion
from parsers.model.report import ReportError
from parsers.reporting.rules.amount import Amount, amount_of
from parsers.reporting.rules.rule import SUBJECTS, WISHES, Rule, Take, Wish
from parsers.reporting.rules.toml_places import TomlPlaces

LARGEST = 16 << 20
"""Maximum of bytes of a rule file."""

MOST_MISTAKES = 1000
"""Maximum of mistakes up to which unknown keys are reported."""

_TOML_MISTAKE = re.compile(r"(.*) \(at (?:line (\d+), column (\d+)|end of document)\)", re.DOTALL)
"""Form of the error messages of Python's TOML reader."""

_MEANT = {
    "Cannot overwrite a value": "the key is here for the second time",
    "Illegal character '\\n'": "the text has no closing quote on its line",
}
"""Their meaning in terms of the file."""

TOP_KEYS = ("baseline", "accept-problems", *WISHES)

SELECTING = ("report", *SUBJECTS, "view", "sql", "pattern", "kind", "except", "where")

KEYS: Mapping[Wish, tuple[str, ...]] = {
    "forbid": ("name", "reason", *SELECTING, "new"),
    "require": ("name", "reason", *SELECTING, "column", "take", "at-least"),
    "limit": ("name", "reason", *SELECTING, "column", "take", "at-most", "may-grow"),
}
"""Valid keys of a rule."""

TAKES: tuple[Take, ...] = ("sum", "each")


class RuleError(ReportError):
    """Rules can't be parsed, or the given reports can't answer them. `args` holds a line for each mistake."""


@dataclass(frozen=True)
class RuleFile:
    """The content of one file."""

    path: str
    rules: tuple[Rule, ...]
    baseline: str | None = None
    """Path, relative to the current folder."""
    accepted: frozenset[str] = frozenset()
    """Kinds of problems of a report to ignore."""
    doubts: tuple[str, ...] = ()
    """Warnings: valid, but probably not intended."""


def read_rules(path: str) -> RuleFile:
    """Returns the rules of a file, in its order. Raises `RuleError`, `OSError`."""
    return parse_rules(read_toml(path), path)


def read_toml(path: str, largest: int = LARGEST) -> str:
    """Returns the text of a TOML file of at most `largest` bytes. Raises `RuleError`, `OSError`."""
    with open(path, "rb") as stream:
        data = stream.read(largest + 1)
    if len(data) > largest:
        raise RuleError(f"{path}: is larger than {largest >> 20} MB: expected TOML")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise RuleError(f"{path}:{line}: is no UTF-8 at byte {error.start:,}: expected TOML") from None


def parse_toml(text: str, path: str) -> dict[str, object]:
    """Parses a TOML text. Raises `RuleError`."""
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise RuleError(f"{path}: is no TOML: nested too deeply") from None
    except ValueError as error:
        # Numbers with too many digits raise another error than invalid TOML.
        parsed = _TOML_MISTAKE.fullmatch(str(error))
        what, line, column = parsed.groups() if parsed else (str(error), None, None)
        place = f"at column {column}: " if column else ""
        at = "" if parsed is None else f":{line or text.count(chr(10)) + 1}"
        raise RuleError(f"{path}{at}: is no TOML: {place}{_MEANT.get(what, what[:1].lower() + what[1:])}") from None


def parse_rules(text: str, path: str) -> RuleFile:
    """Parses the rules of a text; `path` is its file. Raises `RuleError` with all mistakes."""
    return _Reader(text, path).read()


class _Reader:
    """Reads one file; collects mistakes."""

    def __init__(self, text: str, path: str) -> None:
        self._path = path
        self._top = parse_toml(text, path)
        self._lines = text.split("\n")
        self._places = TomlPlaces(text)
        self._mistakes: list[tuple[int, str]] = []
        self._doubts: list[str] = []
        self._names: list[tuple[int, str]] = []

    def read(self) -> RuleFile:
        """Reads the whole file."""
        self._unknown_keys(self._top, TOP_KEYS, lambda key: self._places.line(key=key) or 1, "")
        rules = [rule for wish in WISHES for rule in self._rules(wish)]
        self._same_names()
        if not rules and not self._mistakes:
            self._mistake(1, "holds no rules: expected [[forbid]], [[require]] or [[limit]]")
        baseline, accepted = self._baseline(), self._accepted()
        if self._mistakes:
            raise RuleError(*(f"{self._path}:{line}: {text}" for line, text in sorted(self._mistakes)))
        rules.sort(key=lambda rule: rule.line)
        return RuleFile(self._path, tuple(rules), baseline, accepted, tuple(self._doubts))

    def _mistake(self, line: int, text: str) -> None:
        self._mistakes.append((line, text))

    def _unknown_keys(
        self, table: Mapping[str, object], known: Collection[str], line: Callable[[str], int], of: str
    ) -> None:
        for key in table:
            if key not in known and len(self._mistakes) < MOST_MISTAKES:
                self._mistake(line(key), f"{of}no key is called {key!r}: {suggestion(key, known)}")

    def _baseline(self) -> str | None:
        value = self._top.get("baseline")
        if value is None:
            return None
        if not isinstance(value, str) or not value:
            self._mistake(self._places.line(key="baseline"), f"baseline: expected the path of a file, not {value!r}")
            return None
        return os.path.join(os.path.dirname(self._path), value)

    def _accepted(self) -> frozenset[str]:
        value = self._top.get("accept-problems", [])
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            line = self._places.line(key="accept-problems")
            self._mistake(line, f'accept-problems: expected kinds such as ["stray line"], not {value!r}')
            return frozenset()
        return frozenset(value)

    def _same_names(self) -> None:
        first: dict[str, int] = {}
        for line, name in sorted(self._names):
            if name in first:
                self._mistake(line, f"name: {name!r} is the name of the rule of line {first[name]}, too")
            first.setdefault(name, line)

    def _rules(self, wish: Wish) -> list[Rule]:
        tables = self._top.get(wish, [])
        if isinstance(tables, dict) or not isinstance(tables, list) or not all(isinstance(t, dict) for t in tables):
            self._mistake(self._places.line(wish), f"{wish}: expected tables that begin with [[{wish}]]")
            return []
        found = (self._rule(wish, table, place) for place, table in enumerate(tables))
        return [rule for rule in found if rule is not None]

    def _rule(self, wish: Wish, table: dict[str, object], place: int) -> Rule | None:
        before = len(self._mistakes)

        def line(key: str) -> int:
            return self._places.line(wish, place, key)

        reader = _RuleReader(wish, table, line, self._mistake, self._lines)
        self._unknown_keys(table, KEYS[wish], reader.line, f"{reader.title}: ")
        rule = reader.read()
        if rule.name:
            self._names.append((rule.line, rule.name))
        self._doubts += [f"{self._path}:{line}: {text}" for line, text in reader.doubts]
        return rule if len(self._mistakes) == before else None


class _RuleReader:
    """Reads one table."""

    def __init__(
        self,
        wish: Wish,
        table: Mapping[str, object],
        line: Callable[[str], int],
        mistake: Callable[[int, str], None],
        lines: Sequence[str],
    ) -> None:
        """lines: of the file"""
        self._wish, self._table, self.line, self._report_mistake = wish, table, line, mistake
        self._lines = lines
        name = table.get("name")
        self.title = f"[[{wish}]] {name!r}" if isinstance(name, str) and name else f"[[{wish}]]"
        self.doubts: list[tuple[int, str]] = []

    def _mistake(self, key: str, text: str) -> None:
        self._report_mistake(self.line(key), f"{self.title}: {text}")

    def read(self) -> Rule:
        """Returns the rule; invalid parts are omitted and reported."""
        subject, patterns = self._subject()
        take = self._text("take")
        if take and take not in TAKES:
            self._mistake("take", f"take: expected {' or '.join(map(repr, TAKES))}, not {take!r}")
        if take and "column" not in self._table:
            self._mistake("take", "take: needs a column: expected column, too")
        rule = Rule(
            wish=self._wish,
            name=self._name(),
            line=self.line(""),
            lines={key: self.line(key) for key in self._table},
            subject=subject if subject in SUBJECTS else "",
            view=self._text("view"),
            kind=self._text("kind") or None,
            reason=self._text("reason"),
            sql=self._text("sql"),
            query_line=self._query_line(),
            report=self._patterns("report") or PatternSet(("*",)),
            patterns=patterns or PatternSet(("*",)),
            exceptions=self._patterns("except") or PatternSet(()),
            where=self._where(),
            column=self._text("column"),
            take=cast(Take, take),
            at_most=self._amount("at-most"),
            at_least=self._amount("at-least"),
            may_grow=self._amount("may-grow"),
            is_new=self._is_true("new"),
        )
        self._check_limits(rule)
        return rule

    def _name(self) -> str:
        name = self._table.get("name")
        if not isinstance(name, str) or not name.strip():
            self._mistake("name", "name: expected a unique text")
            return ""
        return name

    def _check_limits(self, rule: Rule) -> None:
        if self._wish == "limit" and not {"at-most", "may-grow"} & set(self._table):
            self._mistake("", "limits nothing: expected at-most, may-grow or both")
        if self._wish == "require" and rule.column and "at-least" not in self._table:
            self._mistake("column", "column: expected at-least, too: how much there must be")
        for key, amount in (("at-most", rule.at_most), ("at-least", rule.at_least)):
            if amount is not None and not rule.column and amount.of:
                self._mistake(key, f"{key}: expected a number of rows, or column, too, not {amount.written!r}")
        if rule.may_grow is not None and not rule.column and rule.may_grow.of and not rule.may_grow.is_percent:
            self._mistake("may-grow", f'may-grow: expected a number or such as "5 %", not {rule.may_grow.written!r}')

    def _subject(self) -> tuple[str, PatternSet | None]:
        """Returns the key that selects rows, and its patterns."""
        given = [key for key in (*SUBJECTS, "view", "sql") if key in self._table]
        if len(given) != 1:
            found = f"not {' and '.join(given)}" if given else "there is none"
            self._mistake(given[1] if given else "", f"expected one of {', '.join(SUBJECTS)}, view or sql: {found}")
            return "", None
        subject = given[0]
        if subject == "sql":
            for key in {"pattern", "kind", "except", "where"} & self._table.keys():
                self._mistake(key, f"{key}: belongs to view: a query has its own conditions")
            return subject, None
        if subject == "view":
            return subject, self._patterns("pattern")
        for key in ("pattern", "kind"):
            if key in self._table:
                self._mistake(key, f"{key}: belongs to view: the patterns of {subject} are given in that key itself")
        return subject, self._patterns(subject)

    def _query_line(self) -> int | None:
        """Returns the line of the first line of the query; None: it is written on one line, or there is none."""
        if "sql" not in self._table:
            return None
        line = self.line("sql")
        head = self._lines[line - 1].partition("=")[2].strip()
        return None if head[:3] not in ('"""', "'''") else line + (len(head) == 3)

    def _text(self, key: str) -> str:
        value = self._table.get(key, "")
        if isinstance(value, str) and (value.strip() or key not in self._table or key == "reason"):
            return value
        self._mistake(key, f"{key}: expected a text, not {value!r}")
        return ""

    def _is_true(self, key: str) -> bool:
        value = self._table.get(key, False)
        if not isinstance(value, bool):
            self._mistake(key, f"{key}: expected true or false, not {value!r}")
        return value is True

    def _amount(self, key: str) -> Amount | None:
        value = self._table.get(key)
        if value is None:
            return None
        try:
            return amount_of(value)
        except ValueError as error:
            self._mistake(key, f"{key}: {error}")
            return None

    def _where(self) -> tuple[tuple[str, PatternSet], ...]:
        """Returns columns and patterns of their values."""
        value = self._table.get("where", {})
        if not isinstance(value, dict):
            self._mistake(
                "where", f'where: expected columns with patterns, such as {{ result = "failed*" }}, not {value!r}'
            )
            return ()
        found = ((name, self._patterns_of(f"where.{name}", each)) for name, each in value.items())
        return tuple((name, patterns) for name, patterns in found if patterns is not None)

    def _patterns(self, key: str) -> PatternSet | None:
        """Returns the patterns of a key; None: it is missing."""
        return None if key not in self._table else self._patterns_of(key, self._table[key])

    def _patterns_of(self, key: str, value: Any) -> PatternSet | None:
        """Returns the patterns of a text, separated by commas, or of a list; None and a mistake if there are none."""
        is_list = isinstance(value, list) and value and all(isinstance(each, str) and each for each in value)
        found = tuple(value) if is_list else split_patterns(value) if isinstance(value, str) else ()
        if not found:
            self._mistake(
                key.partition(".")[0],
                f'{key}: expected a pattern, such as "com.acme.*", or a list of them, not {value!r}',
            )
            return None
        for pattern in found:
            if "*" in pattern[1:-1]:
                forms = "a pattern is text, text*, *text, *text* or *"
                text = f"{self.title}: {key}: the * inside of {pattern!r} is a plain character: {forms}"
                self.doubts.append((self.line(key.partition(".")[0]), text))
        return PatternSet(found)


def split_patterns(text: str) -> tuple[str, ...]:
    """Splits patterns at commas, and strips blanks; a comma in parentheses is part of a method."""
    parts, depth, start = [], 0, 0
    for place, character in enumerate(f"{text},"):
        depth += (character == "(") - (character == ")" and depth > 0)
        if place == len(text) or (character == "," and not depth):
            parts.append(text[start:place])
            start = place + 1
    return tuple(part.strip() for part in parts if part.strip())
