"""What can be held against each other: the rows of a view by their names, with numbers.

A report that can be compared has `comparable`: names of views, each with what makes the lines of it. Lines stand in
document order, each with its depth. What are the same things in two reports have the same key below the same line;
names that a program makes up anew each time it runs are normalised in it. Lines of one key are added up.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol, runtime_checkable

from parsers.report import Column, Span

ADDED, REMOVED, CHANGED = "added", "removed", "changed"


@dataclass(frozen=True, slots=True)
class Line:
    """A thing with its numbers, by the names of columns."""

    key: Hashable
    kind: str
    label: str
    numbers: Mapping[str, int]
    depth: int = 0
    ref: str = ""
    """The REF of its row."""
    spans: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class Comparable:
    """What a view gives for it. The change in the first of the columns is what rows are put in order by."""

    columns: tuple[Column, ...]
    lines: Callable[[], Sequence[Line]]


@runtime_checkable
class HasComparable(Protocol):
    """A report that can be held against others of its format."""

    @property
    def comparable(self) -> Mapping[str, Comparable]:
        """By name of a view."""
        ...


@dataclass(frozen=True, slots=True)
class Change:
    """A line that is not the same in both reports."""

    change: str
    line: Line
    """As in the newer report; of what went as in the older one."""
    old: Mapping[str, int] | None
    new: Mapping[str, int] | None
    below: tuple[Change, ...] = ()

    def difference(self, column: str) -> int:
        """How much more there is of something."""
        return (self.new or {}).get(column, 0) - (self.old or {}).get(column, 0)


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
            numbers = {name: before.get(name, 0) + line.numbers.get(name, 0) for name in {**before, **line.numbers}}
            thing.line = replace(thing.line, numbers=numbers)
        levels.append(thing.below)
    return top


def _changes(old: Mapping[Hashable, _Thing], new: Mapping[Hashable, _Thing], first: str) -> tuple[Change, ...]:
    found = []
    for key in {**new, **old}:
        before, after = old.get(key), new.get(key)
        # As deep as lines are nested, which no file decides.
        below = _changes({} if before is None else before.below, {} if after is None else after.below, first)
        thing = after or before
        assert thing is not None
        numbers = [None if each is None else each.line.numbers for each in (before, after)]
        if numbers[0] == numbers[1] and not below:
            continue
        change = ADDED if before is None else REMOVED if after is None else CHANGED
        found.append(Change(change, thing.line, numbers[0], numbers[1], below))
    return tuple(sorted(found, key=lambda each: (-each.difference(first), each.line.label)))
