"""Which of many Strings hold a pattern: their texts are read many at a time and looked through as lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from parsers.query.search.line_finder import LineFinder, finder_of
from parsers.query.search.pattern import in_line
from parsers.query.search.regex_facts import quick_length
from parsers.query.search.text_lines import lines_kernels, lines_of_texts

if TYPE_CHECKING:
    from parsers.query.search.pattern import Pattern

LONG = 4 << 20
"""Bytes of texts among which those are looked for that are the same."""


@dataclass(slots=True)
class Taken:
    """A pattern as it is taken: as an expression, or as plain text."""

    expression: re.Pattern[str]
    finder: LineFinder
    most: int
    """Characters that are looked at."""

    def matches(self, text: str) -> bool:
        """Whether it is in a text."""
        return in_line(self.expression, text[: self.most])


def taken_of(pattern: Pattern, most: int, is_patient: bool) -> dict[str, Taken]:
    """What a pattern may be: a "regex", a "text" or both.

    most        characters that are looked at
    is_patient  whether expressions may be tried that could take very long
    """
    found = {}
    if pattern.regex is not None:
        length = most if is_patient else min(most, quick_length(pattern.regex.pattern))
        if length:
            found["regex"] = Taken(pattern.regex, finder_of(pattern, "regex", "utf-8"), length)
    if pattern.plain is not None:
        found["text"] = Taken(pattern.plain, finder_of(pattern, "text", "utf-8"), most)
    return found


def held_texts(
    reader: Any, strings: Any, taken: Mapping[str, Taken], before: str = "", after: str = ""
) -> Iterator[tuple[Any, str, Any]]:
    """Some Strings at a time: which of them have a text, what the pattern is taken as, whether each of these holds it.

    before, after: what is looked through with each text
    """
    for which, placed in reader.placed(strings, max((each.most for each in taken.values()), default=0)):
        there = np.flatnonzero(placed.is_text)
        texts, same = placed.only(there), None
        if int(texts.counts.sum()) > LONG:
            # Those that share an array are looked through once.
            _, firsts, same = np.unique(texts.places << 32 | texts.counts, return_index=True, return_inverse=True)
            texts = texts.only(firsts)
        for kind, each in taken.items():
            holds = _hold(texts, each.finder, before, after)
            yield which[there], kind, holds if same is None else holds[same]


def _hold(texts: Any, finder: LineFinder, before: str, after: str) -> Any:
    """Which texts a finder finds: bool[]."""
    holds, kernels, ends = np.zeros(len(texts.places), np.bool_), lines_kernels().get(), np.cumsum(texts.counts)
    start = 0
    while start < len(holds):
        stop = max(int(np.searchsorted(ends, (ends[start - 1] if start else 0) + LONG)), start + 1)
        part = texts.only(slice(start, stop))
        lines = lines_of_texts(part.data, part.places, part.counts, part.forms, before, after, kernels and kernels[0])
        holds[start + lines.found(finder)] = True
        start = stop
    return holds
