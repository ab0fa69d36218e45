r"""Patterns as people type them: the text, its case sensitivity, regular expression or plain text.

The text may be preceded by `!` (first: lines that do *not* match), then by any of `\c` (ignore case), `\C` (match
case), `\v` (regular expression), `\V` (plain text). `\c` and `\C` may also be at its end. Without them case matters if
the text contains a capital letter. The default kind is *auto*: a regular expression if it is one and matches anything,
else plain text. So `Map$Entry`, `foo(I)` and `[B` work as typed.

A pattern is searched within a line: the text between two LF, without a CR at its end. Regular expressions are Python's,
but without case ASCII letters match ASCII letters only (not `ı` for `i`). This module knows only texts;
`parsers.query.search.scan` scans files.
"""

from __future__ import annotations

import re
import warnings
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any, Literal

from parsers.query.search.regex_facts import quick_length

Kind = Literal["auto", "regex", "text"]

KINDS: tuple[Kind, ...] = ("auto", "regex", "text")

MOST_CHARACTERS = 10_000
"""Maximum length of a pattern."""

_FOLDED_TO_ASCII = "\u0130\u0131\u017f\u212a"
"""Characters that Python matches with i, s, k if case is ignored."""

_META = frozenset(".^$*+?{}[]\\|()")
_KIND_FLAGS: dict[str, Kind] = {r"\v": "regex", r"\V": "text"}
_CASE_FLAGS = {r"\c": True, r"\C": False}


class PatternError(ValueError):
    """A pattern that must be a regular expression is not one; the text says why."""


@dataclass(frozen=True)
class Pattern:
    """A search pattern. Made by `compile_pattern`."""

    text: str
    """The text without leading flags."""
    kind: Kind
    """`auto` only while it is unknown whether the regular expression matches anything."""
    ignores_case: bool = False
    is_negated: bool = False

    @property
    def is_empty(self) -> bool:
        """True if the text is empty."""
        return not self.text

    @cached_property
    def regex(self) -> re.Pattern[str] | None:
        """The regular expression of an `auto` or `regex` pattern."""
        return None if self.kind == "text" else _compile(self.text, self.ignores_case)

    @cached_property
    def plain(self) -> re.Pattern[str] | None:
        """The plain text of an `auto` or `text` pattern, as an expression. Only ASCII letters of ASCII texts fold."""
        if self.kind == "regex":
            return None
        flags = re.IGNORECASE if self.ignores_case else 0
        return re.compile(re.escape(self.text), flags | re.ASCII if self.text.isascii() else flags)

    def resolved(self, kind: Literal["regex", "text"]) -> Pattern:
        """The same pattern, with the kind that turned out to match."""
        return replace(self, kind=kind)

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Matches in a label or line, as half-open ranges of characters; empty for a negated pattern.

        Fast for any pattern and text: expressions that could take long are not tried, and only the beginning of a text
        is searched.
        """
        if self.is_negated or not self.text:
            return []
        for expression, length in self._quick_expressions:
            if found := [match.span() for match in expression.finditer(text[:length]) if match.end() > match.start()]:
                return found
        return []

    def matches(self, text: str) -> bool:
        """True if a text contains a match (or none, if negated). Takes as long as the expression does."""
        expressions = [each for each in (self.regex, self.plain) if each is not None]
        return any(in_line(each, text) for each in expressions) is not self.is_negated

    def to_json(self) -> dict[str, Any]:
        """Its fields, for another process."""
        return asdict(self)

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> Pattern:
        """Builds the pattern that `to_json` returned."""
        return cls(**fields)

    @cached_property
    def _quick_expressions(self) -> list[tuple[re.Pattern[str], int]]:
        """The expressions to try in order, and the number of characters of a label to search."""
        expressions = [each for each in (self.regex, self.plain) if each is not None]
        return [(each, length) for each in expressions if (length := quick_length(each.pattern))]


def folded_to_ascii(expression: re.Pattern[str]) -> str:
    """Characters that an expression of a pattern would match with ASCII letters but must not."""
    return _FOLDED_TO_ASCII if expression.flags & re.IGNORECASE and expression.pattern.isascii() else ""


def in_line(expression: re.Pattern[str], line: str) -> bool:
    """True if an expression of a pattern matches somewhere in a line."""
    if not line.isascii():
        for character in folded_to_ascii(expression):
            if character in line:
                line = line.replace(character, "\ufffd")
    return expression.search(line) is not None


def compile_pattern(text: str, kind: Kind = "auto", ignores_case: bool | None = None) -> Pattern:
    """The pattern of a typed text, leading flags included, which have priority.

    ignores_case: None ignores case if the text has no capitals.
    Raises `PatternError` if it must be a regular expression (`kind`, or `\\v` in front) and is none.
    """
    is_negated = text.startswith("!")
    text = text.removeprefix("!")
    while (flag := text[:2]) in _KIND_FLAGS or flag in _CASE_FLAGS:
        kind = _KIND_FLAGS.get(flag, kind)
        ignores_case = _CASE_FLAGS.get(flag, ignores_case)
        text = text[2:]
    if text[-2:] in _CASE_FLAGS and text[-3:-2] != "\\":
        ignores_case, text = _CASE_FLAGS[text[-2:]], text[:-2]
    if ignores_case is None:
        letters = text if kind == "text" else re.sub(r"\\.", "", text)
        ignores_case = letters == letters.lower()
    return exact_pattern(text, kind, ignores_case, is_negated)


def exact_pattern(text: str, kind: Kind = "text", ignores_case: bool = False, is_negated: bool = False) -> Pattern:
    """The pattern of a literal text, without leading flags: for the command line.

    Raises `PatternError` if it must be a regular expression and is none.
    """
    if len(text) > MOST_CHARACTERS:
        raise PatternError(f"a pattern may have {MOST_CHARACTERS:,} characters, this one has {len(text):,}")
    if kind == "regex":
        _check(text, ignores_case)
    elif kind == "auto" and (_META.isdisjoint(text) or _compile(text, ignores_case) is None):
        kind = "text"
    return Pattern(text, kind, ignores_case, is_negated)


def _compile(text: str, ignores_case: bool) -> re.Pattern[str] | None:
    try:
        return _check(text, ignores_case)
    except PatternError:
        return None


def _check(text: str, ignores_case: bool) -> re.Pattern[str]:
    try:
        with warnings.catch_warnings():
            # "[[a]" may get another meaning in a later Python: of no interest to users who search.
            warnings.simplefilter("ignore")
            return re.compile(text, re.IGNORECASE if ignores_case else 0)
    except re.error as error:
        raise PatternError(f"no regular expression: {error}") from None
    except (OverflowError, RecursionError, MemoryError):
        raise PatternError("no regular expression: too large") from None
