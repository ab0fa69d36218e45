"""Searches Strings for a pattern: texts are read many at a time and searched as lines."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from parsers.query.search.line_finder import finder_of
from parsers.query.search.pattern import in_line
from parsers.query.search.regex_facts import quick_length
from parsers.query.search.state_finder import LineFinder
from parsers.query.search.text_lines import lines_kernels, lines_of_texts

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray, BoolArray, I64Array, U8Array
    from parsers.query.search.pattern import Pattern

LONG = 4 << 20
"""Bytes of texts among which equal ones are searched once."""


@dataclass(slots=True)
class Interpretation:
    """An interpretation of a pattern: an expression, or plain text."""

    expression: re.Pattern[str]
    finder: LineFinder
    most: int
    """Maximum of characters searched."""

    def matches(self, text: str) -> bool:
        """True if a text contains a match."""
        return in_line(self.expression, text[: self.most])


def interpretations_of(pattern: Pattern, most: int, is_patient: bool) -> dict[str, Interpretation]:
    """Returns the interpretations of a pattern: a "regex", a "text" or both.

    most        maximum of characters searched
    is_patient  True also tries expressions that could take very long
    """
    found = {}
    if pattern.regex is not None:
        length = most if is_patient else min(most, quick_length(pattern.regex.pattern))
        if length:
            found["regex"] = Interpretation(pattern.regex, finder_of(pattern, "regex", "utf-8"), length)
    if pattern.plain is not None:
        found["text"] = Interpretation(pattern.plain, finder_of(pattern, "text", "utf-8"), most)
    return found


class TextPlaces(NamedTuple):
    """Positions of the texts of some Strings; one entry for each."""

    data: U8Array
    """uint8: bytes of the file"""
    places: I64Array
    """int64: start of each in `data`"""
    counts: I64Array
    """int64: bytes of each"""
    forms: U8Array
    """uint8: encoding, as in `text_lines`"""
    is_text: BoolArray
    """bool: True if there is a text."""

    def only(self, chosen: AnyArray | slice) -> TextPlaces:
        """Returns the entries of some Strings."""
        return TextPlaces(self.data, self.places[chosen], self.counts[chosen], self.forms[chosen], self.is_text[chosen])


class PlacesTexts(Protocol):
    """Reads texts of Strings in bulk."""

    def placed(self, strings: I64Array, most: int) -> Iterator[tuple[I64Array, TextPlaces]]:
        """Yields the first characters of the texts of many Strings, in parts: the Strings, and their positions."""
        ...


def matching_texts(
    reader: PlacesTexts,
    strings: I64Array,
    interpretations: Mapping[str, Interpretation],
    before: str = "",
    after: str = "",
) -> Iterator[tuple[I64Array, str, BoolArray]]:
    """Yields Strings in batches: those that have a text, the interpretation, True for each match.

    before, after: text searched together with each value
    """
    for which, placed in reader.placed(strings, max((each.most for each in interpretations.values()), default=0)):
        there = np.flatnonzero(placed.is_text)
        texts, same = placed.only(there), None
        if int(texts.counts.sum()) > LONG:
            # Strings that share an array are searched once.
            _, firsts, same = np.unique(texts.places << 32 | texts.counts, return_index=True, return_inverse=True)
            texts = texts.only(firsts)
        for kind, each in interpretations.items():
            is_match = _find_matches(texts, each.finder, before, after)
            yield which[there], kind, is_match if same is None else is_match[same]


def _find_matches(texts: TextPlaces, finder: LineFinder, before: str, after: str) -> BoolArray:
    """Returns the texts with a match: bool[]."""
    is_match, kernels, ends = np.zeros(len(texts.places), np.bool_), lines_kernels(), np.cumsum(texts.counts)
    start = 0
    while start < len(is_match):
        stop = max(bisect_left(ends, (ends[start - 1] if start else 0) + LONG), start + 1)
        part = texts.only(slice(start, stop))
        lines = lines_of_texts(part.data, part.places, part.counts, part.forms, before, after, kernels and kernels[0])
        is_match[start + lines.found(finder)] = True
        start = stop
    return is_match
