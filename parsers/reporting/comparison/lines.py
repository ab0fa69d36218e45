"""What can be held against each other: the rows of a view by their names, with numbers.

A report that can be compared has `comparable`: names of views, each with what makes the lines of it. Lines stand in
document order, each with its depth. What are the same things in two reports have the same key below the same line;
names that a program makes up anew each time it runs are normalised in it. Lines of one key are added up.

Reports with hundreds of thousands of things compare themselves by arrays, and make lines only of what is looked at.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from parsers.model.capabilities import ComparedAs
from parsers.model.report import Badge, Column, Report, Section, Span, Switch

ADDED, REMOVED, CHANGED = "added", "removed", "changed"
OLDER = "run:1/"
"""Before a REF of the older report."""
NAMED = ("package", "class", "method", "name")
"""REFs that are the same in each report that has the thing."""


@dataclass(frozen=True, slots=True)
class Line:
    """A thing with its numbers, by the names of columns."""

    key: Hashable
    kind: str
    label: str
    numbers: Mapping[str, float]
    depth: int = 0
    ref: str = ""
    """The REF of its row; of a row of the older report with `OLDER` before it."""
    spans: tuple[Span, ...] = ()
    old_ref: str = ""
    """The REF of its row in the older report, where that is another."""
    via: str | None = None
    """What let it in: the nearest thing on its way that was there before."""
    look: str = ""
    """The kind whose mark a row has in place of that of its change."""
    badges: Mapping[str, Badge] = field(default_factory=dict)
    """What else is told of it, in columns that aren't compared."""


class Differences(Protocol):
    """What two reports differ in, as a tree of rows in document order: numbers as arrays, words one at a time."""

    columns: tuple[Column, ...]
    """Those whose numbers are compared."""
    depths: Any
    """uint16 by row."""

    @property
    def largest(self) -> float:
        """The largest change of a row at the top in the first column."""
        ...

    def change(self, row: int) -> Change:
        """What a row tells."""
        ...

    def labels(self, start: int, stop: int) -> list[str]:
        """Labels of a range of rows."""
        ...

    def find(self, ref: str) -> int | None:
        """The row of a REF."""
        ...

    def sections(self, row: int) -> Sequence[Section]:
        """What the side pane shows of a row behind its numbers."""
        ...


class Comparing(Protocol):
    """What a report gives to be held against that of another one."""

    @property
    def columns(self) -> tuple[Column, ...]:
        """Those whose numbers are compared. The change in the first one is what rows are put in order by."""
        ...

    @property
    def others(self) -> tuple[Column, ...]:
        """Those that only tell, by badges of lines."""
        ...

    @property
    def needs(self) -> str:
        """The view that both reports must have; empty: that of the same name."""
        ...

    @property
    def switches(self) -> tuple[Switch, ...]:
        """How it can be compared, the way it is at first in front."""
        ...

    def differences(self, old: Any, chosen: Mapping[str, str]) -> Differences:
        """What there is now that an older report had not, and the other way round."""
        ...


@dataclass(frozen=True, slots=True)
class Comparable:
    """What is compared line by line."""

    columns: tuple[Column, ...]
    lines: Callable[[], Sequence[Line]]
    others: tuple[Column, ...] = ()
    needs: str = ""
    switches: tuple[Switch, ...] = ()

    def differences(self, old: Comparable, chosen: Mapping[str, str]) -> Differences:
        """What differs, of lines below each other those first that grew most."""
        return LineDifferences(self.columns, changes(old.lines(), self.lines(), self.columns[0].name))


def compared_as(report: Report) -> str:
    """Reports that say the same here can be compared: those of one format, and those of others that tell the same."""
    return report.compared_as if isinstance(report, ComparedAs) else report.format


@dataclass(frozen=True, slots=True)
class Change:
    """A line that is not the same in both reports."""

    change: str
    line: Line
    """As in the newer report; of what went as in the older one."""
    old: Mapping[str, float] | None
    new: Mapping[str, float] | None
    below: tuple[Change, ...] = ()

    def difference(self, column: str) -> float:
        """How much more there is of something."""
        return _rounded((self.new or {}).get(column, 0) - (self.old or {}).get(column, 0))


def _rounded(number: float) -> float:
    """Times have tenths and hundredths; what is left behind these comes of counting with them."""
    return number if isinstance(number, int) else round(number, 2)


class LineDifferences:
    """`Differences` of lines."""

    def __init__(self, columns: tuple[Column, ...], changes: Sequence[Change]) -> None:
        self.columns = columns
        walked = list(_walk(changes))
        self._changes = [each for each, _ in walked]
        self.depths = array("H", (depth for _, depth in walked))
        names = [column.name for column in columns[:1]]
        self.largest = max((abs(each.difference(name)) for each in changes for name in names), default=0)

    def change(self, row: int) -> Change:
        """What a row tells."""
        return self._changes[row]

    def labels(self, start: int, stop: int) -> list[str]:
        """Labels of a range of rows."""
        return [each.line.label for each in self._changes[start:stop]]

    def find(self, ref: str) -> int | None:
        """The row of a REF."""
        return next((row for row, each in enumerate(self._changes) if each.line.ref == ref), None)

    def sections(self, row: int) -> Sequence[Section]:
        """Lines tell all by their numbers."""
        return ()


def _walk(found: Sequence[Change], depth: int = 0) -> Iterator[tuple[Change, int]]:
    """Changes in document order. As deep as lines are nested, which no file decides."""
    for each in found:
        yield each, depth
        yield from _walk(each.below, depth + 1)


@dataclass(slots=True)
class _Thing:
    line: Line
    below: dict[Hashable, _Thing] = field(default_factory=dict)


def changes(old: Iterable[Line], new: Iterable[Line], first: str) -> tuple[Change, ...]:
    """What differs, at each level by how much it grew in the column `first`, what shrank most last."""
    return _changes(_things(old), _things(new), first)


def _things(lines: Iterable[Line]) -> dict[Hashable, _Thing]:
    """Lines by their keys, those of one key added up."""
    top: dict[Hashable, _Thing] = {}
    levels = [top]
    for line in lines:
        del levels[line.depth + 1 :]
        level = levels[line.depth]
        thing = level.get(line.key)
        if thing is None:
            thing = level[line.key] = _Thing(line)
        else:
            before = thing.line.numbers
            numbers = {
                name: _rounded(before.get(name, 0) + line.numbers.get(name, 0)) for name in {**before, **line.numbers}
            }
            thing.line = replace(thing.line, numbers=numbers)
        levels.append(thing.below)
    return top


def _changes(old: Mapping[Hashable, _Thing], new: Mapping[Hashable, _Thing], first: str) -> tuple[Change, ...]:
    found = []
    for key in {**new, **old}:
        before, after = old.get(key), new.get(key)
        # As deep as lines are nested, which no file decides.
        below = _changes({} if before is None else before.below, {} if after is None else after.below, first)
        numbers = [None if each is None else each.line.numbers for each in (before, after)]
        if numbers[0] == numbers[1] and not below:
            continue
        change = ADDED if before is None else REMOVED if after is None else CHANGED
        found.append(Change(change, _line(before, after), numbers[0], numbers[1], below))
    return tuple(sorted(found, key=lambda each: (-each.difference(first), each.line.label)))


def _line(before: _Thing | None, after: _Thing | None) -> Line:
    """What is told of a thing, by what leads to it in each report."""
    if after is None:
        assert before is not None
        ref = before.line.ref
        is_told = not ref or ref.startswith(OLDER) or is_named(ref)
        return before.line if is_told else replace(before.line, ref=f"{OLDER}{ref}")
    if before is None or after.line.old_ref or is_named(after.line.ref):
        return after.line
    return replace(after.line, old_ref=before.line.ref.removeprefix(OLDER))


def is_named(ref: str) -> bool:
    """Whether a REF is the same in each report that has the thing."""
    return ref.partition(":")[0] in NAMED
