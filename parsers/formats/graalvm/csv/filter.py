"""Search and filters of a CSV call tree: in lines as they would have been printed, by names where these suffice."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import stringzilla as sz

from parsers.formats.graalvm.calls.filter import CallFilters
from parsers.formats.graalvm.calls.index.row import WORDS
from parsers.formats.graalvm.csv.printed_lines.lines import RowLines
from parsers.query.search.line_finder import FOLD, finder_of, places_of
from parsers.query.search.regex_facts import required_texts
from parsers.query.selection.selecting import RANGE, known_rows
from parsers.query.selection.texts_met import arrays_of
from parsers.query.selection.view_rows import ViewRows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parsers.formats.graalvm.calls.report import CallReport
    from parsers.model.arrays import I64Array
    from parsers.model.capabilities import RepresentsRows
    from parsers.query.search.pattern import Pattern
    from parsers.query.search.state_finder import LineFinder as TextLineFinder

TOGETHER = 1 << 16
"""Names searched at a time."""
NUMBER_CHARACTERS = frozenset("id-ref=@bci>0123456789")
"""Characters of ids and bytecode indexes."""
WORD_TEXT = b"".join(WORDS).decode()


def is_of_names(text: str, ignores_case: bool) -> bool:
    """Returns True if a text can only be in the method of a row, not in or across the text around that in its line.

    The text around a method is words between blanks, and boxes, which aren't ASCII.
    """
    seen = text.lower() if ignores_case else text
    return text.isascii() and " " not in text and seen not in WORD_TEXT and not NUMBER_CHARACTERS.issuperset(seen)


class CsvLineFinder:
    """Looks for one pattern in rows, as in lines of a text tree: a `RowFinder`.

    Lines are written only if the names don't decide, and only for rows whose names may match.
    """

    def __init__(self, report: CallReport, pattern: Pattern) -> None:
        self._report = report
        self._pattern = pattern
        self._lines = RowLines(report)

    @cached_property
    def _asked(self) -> Mapping[str, tuple[TextLineFinder, NDArray[np.bool_] | None, bool]]:
        """By kind of pattern: the finder of lines; bool by name (extra last element: no name), True if its rows may
        match (None: any may); True if all of these do match."""
        found = {}
        for kind, it in (("regex", self._pattern.regex), ("text", self._pattern.plain)):
            if it is None:
                continue
            finder = finder_of(self._pattern, kind, self._report.encoding)  # type: ignore[arg-type]
            folds = bool(it.flags & re.IGNORECASE)
            needed = ((self._pattern.text,),) if kind == "text" else required_texts(it.pattern, folds)
            texts = next((each for each in needed if all(is_of_names(text, folds) for text in each)), None)
            names = None if texts is None else np.logical_or.reduce([self._names(text, folds) for text in texts])
            found[kind] = (finder, names, kind == "text" and names is not None)
        return found

    def _names(self, text: str, ignores_case: bool) -> NDArray[np.bool_]:
        """Returns True for names that contain an ASCII text."""
        starts, blob = arrays_of(self._report.tree.names)
        wanted, found = text.encode(), np.zeros(len(starts), np.bool_)
        if ignores_case:
            wanted = wanted.translate(FOLD)
        for first in range(0, len(starts) - 1, TOGETHER):
            ends = starts[first + 1 : first + 1 + TOGETHER]
            part = blob[int(starts[first]) : int(ends[-1])]
            if ignores_case:
                part = np.frombuffer(sz.translate(part.data, FOLD), np.uint8)
            if sz.count(part.data, wanted):
                places = places_of(wanted, part) + int(starts[first])
                names = np.searchsorted(ends, places, "right")
                found[first + names[places + len(wanted) <= ends[names]]] = True
        return found

    def find(self, nodes: I64Array) -> Mapping[str, NDArray[np.bool_]]:
        """True for matching rows of some (int64[], ascending), bool[]: as "regex" and as "text", if possible."""
        nodes = np.asarray(nodes, np.int64)
        first, last = (int(nodes[0]), int(nodes[-1]) + 1) if len(nodes) else (0, 0)
        found = {}
        for kind, (finder, of_names, is_sure) in self._asked.items():
            may = np.ones(len(nodes), np.bool_)
            if of_names is not None:
                may = of_names[self._report.bulk.names(first, last)[nodes - first]]
            if not is_sure:
                asked = np.flatnonzero(may)
                may = np.zeros(len(nodes), np.bool_)
                for start in range(0, len(asked), TOGETHER):
                    part = asked[start : start + TOGETHER]
                    may[part[self._lines.of(nodes[part]).found(finder)]] = True
            found[kind] = ~may if self._pattern.is_negated else may
        return found

    def matching(self) -> NDArray[np.bool_]:
        """By row: True if it matches the pattern, taken as an expression if it is one with any match."""
        rows = self._report.tree.rows
        parts = [self.find(np.arange(start, min(start + RANGE, rows))) for start in range(0, rows, RANGE)]
        by_kind = {kind: np.concatenate([part[kind] for part in parts]) for kind in (parts[0] if parts else ())}
        if not by_kind:
            return np.zeros(rows, np.bool_)
        kind = self._pattern.kind
        if kind == "auto":
            kind = "regex" if "regex" in by_kind and self._holds(by_kind["regex"]) else "text"
        return by_kind[kind]

    def _holds(self, found: NDArray[np.bool_]) -> bool:
        """Returns True if there is any match."""
        return bool((~found if self._pattern.is_negated else found).any())


class CsvFilters(CallFilters):
    """Filters of the rows of the tree."""

    def matching(self, pattern: Pattern) -> NDArray[np.bool_]:
        """By row: True if its line matches."""
        return CsvLineFinder(self._report, pattern).matching()  # type: ignore[arg-type]


class CsvViewRows(ViewRows):
    """Filters of a view whose rows represent rows of the tree."""

    def __init__(self, view: RepresentsRows, report: CallReport) -> None:
        self._filters = CsvFilters(report)
        super().__init__(view, self._filters)

    def matching(self, pattern: Pattern) -> NDArray[np.bool_]:
        """By row: True if it matches, or the row of the tree that it represents does."""
        *_, found = self.wanted(known_rows(self._filters.matching(pattern)), pattern)
        return np.asarray(found)
