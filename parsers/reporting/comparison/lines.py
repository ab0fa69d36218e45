"""The interface of comparison: rows of a view by name, with numbers.

A report that can be compared has `comparable`: names of views, each with the source of its lines. Lines are in
document order, each with its depth. The same subject in two reports has the same key below the same line; volatile
names, which change with each run, are normalised in it. Lines of one key are added up.

Reports with hundreds of thousands of rows compare arrays, and create lines only for rows that are shown.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from parsers.model.row import Badge, Column, Section, Span
from parsers.model.view import Switch

ADDED, REMOVED, CHANGED = "added", "removed", "changed"
OLDER = "run:1/"
"""Prefix of a REF of the old report."""
NAMED = ("package", "class", "method", "name")
"""REFs that are equal in all reports that have the subject."""


@dataclass(frozen=True, slots=True)
class ComparedLine:
    """A subject with its numbers, by column name."""

    key: Hashable
    kind: str
    label: str
    numbers: Mapping[str, float]
    depth: int = 0
    ref: str = ""
    """The REF of its row; of a row of the old report with prefix `OLDER`."""
    spans: tuple[Span, ...] = ()
    old_ref: str = ""
    """The REF of its row in the old report, if different."""
    via: str | None = None
    """The subject that introduced it: the nearest one on its path that the old report has."""
    look: str = ""
    """The kind that determines the mark of the row, instead of that of its change."""
    badges: Mapping[str, Badge] = field(default_factory=dict)
    """Values in columns that aren't compared."""


class Differences:
    """Base class of the differences of two reports as a tree in document order: numbers as arrays, texts on access."""

    columns: tuple[Column, ...]
    """Columns whose numbers are compared."""
    depths: Any
    """uint16 by row."""
    largest: float
    """The largest change of a row at the top in the first column."""
    summary: Mapping[str, int] = {}
    """Counts of what was compared, if there are any."""
    notes: Sequence[str] = ()
    """Remarks that concern all rows, a sentence each."""

    def change(self, row: int) -> Change:
        """Returns the change of a row."""
        raise NotImplementedError

    def labels(self, start: int, stop: int) -> list[str]:
        """Returns labels of a range of rows."""
        raise NotImplementedError

    def find(self, ref: str) -> int | None:
        """Returns the row of a REF."""
        raise NotImplementedError

    def sections(self, row: int) -> Sequence[Section]:
        """Returns the side pane sections of a row after its numbers."""
        return ()


class Comparing(Protocol):
    """One side of a comparison."""

    @property
    def columns(self) -> tuple[Column, ...]:
        """Columns whose numbers are compared. Rows are sorted by the change in the first one."""
        ...

    @property
    def others(self) -> tuple[Column, ...]:
        """Columns that aren't compared, with values in the badges of lines."""
        ...

    @property
    def needs(self) -> str:
        """The view that both reports must have; empty: that of the same name."""
        ...

    @property
    def description(self) -> str:
        """Description of the view of the differences; empty: derived from its name."""
        ...

    @property
    def switches(self) -> tuple[Switch, ...]:
        """Choices of how to compare, the default first."""
        ...

    def differences(self, old: Any, chosen: Mapping[str, str]) -> Differences:
        """Returns the differences from an older side."""
        ...


@dataclass(frozen=True, slots=True)
class ComparableSubject:
    """A side whose differences from an older one are made at once."""

    columns: tuple[Column, ...]
    subject: Any
    make: Callable[[Any, Any, Mapping[str, str]], Differences]
    """Makes the differences of the old and the new subject, as chosen."""
    others: tuple[Column, ...] = ()
    needs: str = ""
    switches: tuple[Switch, ...] = ()
    description: str = ""

    def differences(self, old: ComparableSubject, chosen: Mapping[str, str]) -> Differences:
        """Returns the differences."""
        return self.make(old.subject, self.subject, chosen)


def comparable_lines(columns: tuple[Column, ...], lines: Callable[[], Sequence[ComparedLine]]) -> ComparableSubject:
    """Returns a side that is compared line by line; among siblings those with the largest change are first."""
    return ComparableSubject(
        columns,
        lines,
        lambda old, new, chosen: LineDifferences(columns, changes(old(), new(), columns[0].name)),
    )


@dataclass(frozen=True, slots=True)
class Change:
    """A line that differs between the reports."""

    change: str
    line: ComparedLine
    """The line of the new report; if removed, of the old one."""
    old: Mapping[str, float] | None
    new: Mapping[str, float] | None
    below: tuple[Change, ...] = ()

    def difference(self, column: str) -> float:
        """Returns the increase in a column."""
        return rounded((self.new or {}).get(column, 0) - (self.old or {}).get(column, 0))


def rounded(number: float) -> float:
    """Rounds to the precision of times, to remove floating-point errors."""
    return number if isinstance(number, int) else round(number, 2)


class LineDifferences(Differences):
    """`Differences` of lines."""

    def __init__(self, columns: tuple[Column, ...], changes: Sequence[Change]) -> None:
        self.columns = columns
        walked = list(_walk(changes))
        self._changes = [each for each, _ in walked]
        self.depths = array("H", (depth for _, depth in walked))
        names = [column.name for column in columns[:1]]
        self.largest = max((abs(each.difference(name)) for each in changes for name in names), default=0)

    def change(self, row: int) -> Change:
        """Returns the change of a row."""
        return self._changes[row]

    def labels(self, start: int, stop: int) -> list[str]:
        """Returns labels of a range of rows."""
        return [each.line.label for each in self._changes[start:stop]]

    def find(self, ref: str) -> int | None:
        """Returns the row of a REF."""
        return next((row for row, each in enumerate(self._changes) if each.line.ref == ref), None)


def _walk(found: Sequence[Change], depth: int = 0) -> Iterator[tuple[Change, int]]:
    """Yields changes in document order. Recursive to the depth of lines, which no file determines."""
    for each in found:
        yield each, depth
        yield from _walk(each.below, depth + 1)


@dataclass(slots=True)
class _Subject:
    line: ComparedLine
    below: dict[Hashable, _Subject] = field(default_factory=dict)


def changes(
    old: Iterable[ComparedLine], new: Iterable[ComparedLine], first: str, extremes: Collection[str] = ()
) -> tuple[Change, ...]:
    """Returns the differences, at each level by change in the column `first`, whether increase or decrease.

    extremes  columns of which lines of one key have the largest number, not the sum
    """
    return _changes(_by_key(old, extremes), _by_key(new, extremes), first)


def _by_key(lines: Iterable[ComparedLine], extremes: Collection[str]) -> dict[Hashable, _Subject]:
    """Returns lines by key, those of one key added up."""
    top: dict[Hashable, _Subject] = {}
    levels = [top]
    for line in lines:
        del levels[line.depth + 1 :]
        level = levels[line.depth]
        subject = level.get(line.key)
        if subject is None:
            subject = level[line.key] = _Subject(line)
        else:
            numbers = dict(subject.line.numbers)
            for name, number in line.numbers.items():
                before = numbers.get(name, 0)
                numbers[name] = max(before, number) if name in extremes else rounded(before + number)
            subject.line = replace(subject.line, numbers=numbers)
        levels.append(subject.below)
    return top


def _changes(old: Mapping[Hashable, _Subject], new: Mapping[Hashable, _Subject], first: str) -> tuple[Change, ...]:
    found = []
    for key in {**new, **old}:
        before, after = old.get(key), new.get(key)
        # Recursive to the depth of lines, which no file determines.
        below = _changes({} if before is None else before.below, {} if after is None else after.below, first)
        numbers = [None if each is None else each.line.numbers for each in (before, after)]
        if numbers[0] == numbers[1] and not below:
            continue
        change = ADDED if before is None else REMOVED if after is None else CHANGED
        found.append(Change(change, _line(before, after), numbers[0], numbers[1], below))
    return tuple(sorted(found, key=lambda each: (*largest_first(each.difference(first)), each.line.label)))


def largest_first(difference: Any) -> tuple[Any, Any]:
    """Returns sort keys of a difference, or of an array of them: larger changes are first, then increases."""
    return -abs(difference), -difference


def _line(before: _Subject | None, after: _Subject | None) -> ComparedLine:
    """Returns the line of a subject from its lines in each report."""
    if after is None:
        assert before is not None
        ref = before.line.ref
        is_final = not ref or ref.startswith(OLDER) or is_named(ref)
        return before.line if is_final else replace(before.line, ref=f"{OLDER}{ref}")
    if before is None or after.line.old_ref or is_named(after.line.ref):
        return after.line
    return replace(after.line, old_ref=before.line.ref.removeprefix(OLDER))


def is_named(ref: str) -> bool:
    """True if a REF is equal in all reports that have the subject."""
    return ref.partition(":")[0] in NAMED
