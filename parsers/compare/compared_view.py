"""A view of what two reports differ in: a row for each thing that came, went or changed, those that grew most first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from parsers.compare.lines import ADDED, REMOVED, Change, Comparable, changes
from parsers.listed_view import Entry, ListedView
from parsers.report import Badge, Column, Section, SectionRow

OLD, CHANGE = "_old", "_change"
"""Behind the names of columns: their numbers in the older report, and how much more there is in the newer one."""


class ComparedView(ListedView):
    """One view of both reports."""

    has_headings = True

    def __init__(self, name: str, both: Callable[[], tuple[Comparable, Comparable] | None]) -> None:
        """both: gives what is compared, the older one first; None until that is known"""
        super().__init__()
        self.name = name
        self._both = both
        self._changes: list[Change] = []

    @property
    def is_ready(self) -> bool:
        """Whether both are known."""
        return self._both() is not None

    @property
    def is_complete(self) -> bool:
        """The same: there are no rows before."""
        return self.is_ready

    @property
    def columns(self) -> tuple[Column, ...]:  # type: ignore[override]  # they are those of what is compared
        """What each column changed by; then its numbers in both."""
        both = self._both()
        if both is None:
            return ()
        own = both[1].columns
        changed = [_column(each, CHANGE, f"{each.title} ±", 9 - place) for place, each in enumerate(own)]
        first = own[0]
        return (*changed, _column(first, OLD, f"{first.title}, old", 3), _column(first, "", f"{first.title}, new", 3))

    @property
    def orders(self) -> tuple[str, ...]:  # type: ignore[override]
        """The columns, and names."""
        return (*(column.name for column in self.columns), "name")

    def make(self) -> Sequence[Entry]:
        """All rows."""
        both = self._both()
        if both is None:
            return ()
        old, new = both
        names = [column.name for column in new.columns]
        tops = changes(old.lines(), new.lines(), names[0])
        found = list(_walk(tops))
        self._changes = [each for each, _ in found]
        largest = max((abs(each.difference(names[0])) for each in tops), default=1)
        return [_entry(each, depth, names, largest) for each, depth in found]

    def change(self, node: int) -> Change:
        """What a row tells of."""
        assert self.entries is not None
        return self._changes[node]


def _column(of: Column, suffix: str, title: str, priority: int) -> Column:
    name = f"{of.name}{suffix}"
    width = max(of.width, len(title), 12)
    return replace(of, name=name, title=title, badges=((name, ""),), width=width, bar=0, priority=priority)


def _walk(found: Sequence[Change], depth: int = 0) -> Iterator[tuple[Change, int]]:
    """Changes in document order. As deep as lines are nested, which no file decides."""
    for each in found:
        yield each, depth
        yield from _walk(each.below, depth + 1)


def _entry(each: Change, depth: int, names: Sequence[str], largest: int) -> Entry:
    badges: dict[str, Badge] = {**dict.fromkeys(each.old or {}, 0), **(each.new or {})}
    badges |= {f"{name}{OLD}": number for name, number in (each.old or {}).items()}
    badges |= {f"{name}{CHANGE}": each.difference(name) for name in names}
    line = each.line
    return Entry(
        line.kind,
        line.label,
        depth,
        badges=badges,
        ref=line.ref,
        sections=(_section(each, names),),
        key=(line.kind, line.label),
        spans=line.spans,
        look=each.change,
        bars={f"{names[0]}{CHANGE}": abs(each.difference(names[0])) / max(largest, 1)},
    )


def _section(each: Change, names: Sequence[str]) -> Section:
    says = {ADDED: "only in the newer one", REMOVED: "only in the older one"}.get(each.change)
    rows = [] if says is None else [SectionRow("", says)]
    for name in names:
        old, new = ((numbers or {}).get(name, 0) for numbers in (each.old, each.new))
        share = f", {100 * (new - old) / old:+.1f} %" if old else ""
        rows.append(SectionRow(name, f"{old:,} → {new:,}: {new - old:+,}{share}"))
    return Section(each.line.label, tuple(rows))
