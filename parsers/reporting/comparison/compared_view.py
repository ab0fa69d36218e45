"""A view of the differences of two reports: a row for each added, removed or changed subject, largest change first."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from parsers.model.late.preparation import LazyValue
from parsers.model.names.ref_number import numbered_node
from parsers.model.row import Badge, Column, Link, Row, Section, SectionRow, SortKey
from parsers.model.trees.column_preorder import preorder_of
from parsers.model.trees.tree import Preorder
from parsers.model.view import References, StrangeReference, Switch, UnknownReference
from parsers.reporting.comparison.lines import ADDED, OLDER, REMOVED, Change, Comparing, Differences, is_named
from parsers.views.base import LabelFiltered
from parsers.views.lazy_view import LazyView
from parsers.views.positions_view import PositionsView
from parsers.views.switches import SwitchableView

BY_CHANGE = "change"
"""The sort order by the absolute change in the first column."""
OLD, CHANGE = "_old", "_change"
"""Suffixes of column names: values in the old report; increases in the new one."""

VIA = Column("via", "introduced by", "text", (("via", ""),), width=40, shows_text=True)
"""Column for what introduced a row; in views where anything was introduced by something."""


class ComparedView(LabelFiltered, SwitchableView, LazyView, PositionsView):
    """One view of the differences of both reports."""

    starts_closed = True
    """Folded to the first level."""
    work = "comparing"

    def __init__(
        self,
        name: str,
        both: Callable[[], tuple[Comparing, Comparing] | None],
        files: Callable[[], tuple[str, str]],
        description: str = "",
    ) -> None:
        """
        both         returns the two sides, old first; None until known
        files        returns the files of the old and the new report; empty without files
        description  description of the view; empty: derived from its name
        """
        self.name = name
        self.description = description or f"Changes in {name.partition(' (')[0].lower()}"
        self._both = both
        self._found: tuple[Comparing, Comparing] | None = None
        self._files = files

    @property
    def _pair(self) -> tuple[Comparing, Comparing] | None:
        """Returns the two sides; None until known."""
        if self._found is None:
            self._found = self._both()
        return self._found

    # -- preparation --------------------------------------------------------------------------------------------------

    @property
    def switches(self) -> tuple[Switch, ...]:
        """The switches of the compared side."""
        both = self._pair
        return () if both is None else both[1].switches

    @cached_property
    def found(self) -> LazyValue[Differences]:
        """The differences, once they are computed."""
        return LazyValue(self._compare)

    def _compare(self) -> Differences:
        both = self._pair
        assert both is not None
        old, new = both
        return new.differences(old, dict(self.chosen))

    @property
    def differences(self) -> Differences:
        """The differences. Only once both reports are complete."""
        return self.found.value

    @property
    def _computed(self) -> Differences | None:
        """Returns the differences if they are already computed."""
        return self.differences if self.is_ready and self.is_prepared else None

    @property
    def summary(self) -> Mapping[str, int]:
        """Totals of both sides; empty if there are none."""
        return {} if self._computed is None else self._computed.summary

    @property
    def notes(self) -> Sequence[str]:
        """Remarks on the rows, as sentences."""
        return () if self._computed is None else self._computed.notes

    @property
    def is_known(self) -> bool:
        """True if both reports are complete."""
        return self._pair is not None

    @property
    def is_ready(self) -> bool:
        """True if it can be shown now."""
        return self.is_known and super().is_ready

    @property
    def is_complete(self) -> bool:
        """There are no rows before both reports are complete."""
        return self.is_known

    # -- columns ------------------------------------------------------------------------------------------------------

    @property
    def columns(self) -> tuple[Column, ...]:
        """For each column the change; then its values in both reports, and columns that aren't compared."""
        both = self._pair
        if both is None:
            return ()
        own = both[1].columns
        changed = [_column(each, CHANGE, f"{each.title} ±", 9 - place) for place, each in enumerate(own)]
        if not own:
            return both[1].others
        first = own[0]
        numbers = (_column(first, OLD, f"{first.title}, old", 3), _column(first, "", f"{first.title}, new", 3))
        return (*changed, *numbers, *both[1].others)

    @property
    def compared_columns(self) -> tuple[Column, ...]:
        """The columns of which changes are shown. Only once both reports are complete."""
        both = self._pair
        return () if both is None else both[1].columns

    @property
    def sorted_by(self) -> str:
        """The change in the first column, whether increase or decrease, if anything is compared."""
        both = self._pair
        return BY_CHANGE if both is not None and both[1].columns else ""

    @property
    def orders(self) -> tuple[str, ...]:
        """The largest change first, columns, and names."""
        change = (BY_CHANGE,) if self.sorted_by else ()
        return (*change, *(column.name for column in self.columns), "name")

    # -- rows ---------------------------------------------------------------------------------------------------------

    @cached_property
    def rows(self) -> Preorder:
        """The rows."""
        return preorder_of(self.differences.depths)

    @property
    def row_count(self) -> int | None:
        """Number of rows; 0 before the reports are complete."""
        return self.rows.rows if self.is_ready else 0

    @property
    def root_count(self) -> int | None:
        """Number of rows at the top."""
        return len(self.tree.roots())

    def change(self, node: int) -> Change:
        """Returns the change of a row."""
        return self.differences.change(node)

    def row(self, node: int) -> Row:
        """Returns the row of an added, removed or changed subject, with its numbers."""
        change = self.change(node)
        line, below = change.line, self.rows.end(node) - node - 1
        return Row(
            node=node,
            kind=line.kind,
            label=line.label,
            depth=self.rows.depth(node),
            badges=self._badges(change),
            ref=line.ref or f"node:{node}",
            rows_below=below,
            has_children=below > 0,
            link=links[0].ref if not below and (links := self._links(change)) else None,
            spans=line.spans,
            look=line.look or change.change,
            bars=self._bars(change),
        )

    @property
    def _names(self) -> list[str]:
        return [column.name for column in self.differences.columns]

    def _badges(self, change: Change) -> Mapping[str, Badge]:
        badges: dict[str, Badge] = {**dict.fromkeys(change.old or {}, 0), **(change.new or {})}
        badges |= {f"{name}{OLD}": number for name, number in (change.old or {}).items()}
        badges |= {f"{name}{CHANGE}": change.difference(name) for name in self._names}
        badges |= dict(change.line.badges)
        if change.line.via is not None:
            badges[VIA.name] = change.line.via
        return badges

    def _bars(self, change: Change) -> Mapping[str, float]:
        if not self._names:
            return {}
        name = self._names[0]
        return {f"{name}{CHANGE}": min(1.0, abs(change.difference(name)) / max(self.differences.largest, 1))}

    def labels(self, start: int, stop: int) -> list[str]:
        """Returns labels of a range of nodes."""
        return self.differences.labels(start, stop) if self.is_ready else []

    def sort_keys(self, order: str, nodes: Sequence[int]) -> Sequence[SortKey]:
        """Returns sort keys for an order: numbers of a badge, -1 where there is none; or texts."""
        if order == "name":
            return [self.labels(node, node + 1)[0] for node in nodes]
        if order == BY_CHANGE:
            return [abs(self.change(node).difference(self._names[0])) for node in nodes]
        values = [self._badges(self.change(node)).get(order) for node in nodes]
        if any(isinstance(value, str) for value in values):
            return ["" if value is None else str(value) for value in values]
        return [value if isinstance(value, int | float) else -1 for value in values]

    # -- REFs ---------------------------------------------------------------------------------------------------------

    def resolve(self, ref: str) -> int:
        """Returns the node of a REF. Raises `UnknownReference`."""
        if not self.is_ready:
            raise UnknownReference(f"{ref}: what differs is known when both reports are")
        kind, _, value = ref.partition(":")
        node = self.differences.find(ref)
        if node is None and kind in ("name", "method"):
            node = self._labelled(value)
        if node is None:
            node = numbered_node(ref, self.differences_count)
        if node is None:
            raise StrangeReference(f"{ref}: nothing of that name in {self.name}")
        return node

    @property
    def differences_count(self) -> int:
        """Number of differences."""
        return len(self.differences.depths)

    def _labelled(self, label: str) -> int | None:
        labels = self.labels(0, self.differences_count)
        return labels.index(label) if label in labels else None

    def key(self, node: int) -> Hashable | None:
        """Returns the key that identifies the row's subject in another view: its kind and name."""
        line = self.change(node).line
        return line.kind, line.label

    def find_key(self, key: Hashable) -> int | None:
        """Returns the row of a key."""
        if not self.is_ready:
            return None
        match key:
            case (str(kind), str(label)):
                found = (node for node, each in enumerate(self.labels(0, self.differences_count)) if each == label)
                return next((node for node in found if self.change(node).line.kind == kind), None)
        return None

    def sections(self, node: int) -> Sequence[Section]:
        """Returns the values in both reports, and other columns."""
        change = self.change(node)
        own = _section(change, self._names)
        return (*((own,) if own.rows else ()), *self.differences.sections(node))

    def links(self, node: int) -> Sequence[Link]:
        """Returns links to its rows in both reports."""
        return self._links(self.change(node))

    def refs(self, change: Change) -> tuple[str, str]:
        """Returns the REFs of a row in the new and the old report; empty where it has none."""
        ref, old_ref = change.line.ref, change.line.old_ref
        if ref.startswith(OLDER):
            ref, old_ref = "", ref.removeprefix(OLDER)
        elif not old_ref and change.change != ADDED:
            # REFs with names are valid in both.
            old_ref = ref if is_named(ref) else ""
        return "" if change.change == REMOVED else ref, old_ref

    def _links(self, change: Change) -> Sequence[Link]:
        refs = zip(reversed(self._files()), self.refs(change), strict=True)
        return [Link(f"in {os.path.basename(file)}", place, None, file) for file, place in refs if file and place]

    def why(self, node: int) -> References:
        """Returns the path to the row."""
        return References("the groups that contain it", self.name, self.path(node))


def _column(of: Column, suffix: str, title: str, priority: int) -> Column:
    name = f"{of.name}{suffix}"
    width = max(of.width, len(title), 12)
    return replace(of, name=name, title=title, badges=((name, ""),), width=width, bar=0, priority=priority)


def _section(each: Change, names: Sequence[str]) -> Section:
    remark = {ADDED: "only in the new report", REMOVED: "only in the old report"}.get(each.change)
    rows = [] if remark is None else [SectionRow("", remark)]
    for name in names:
        old, new = ((numbers or {}).get(name, 0) for numbers in (each.old, each.new))
        share = f", {100 * (new - old) / old:+.1f} %" if old else ""
        rows.append(SectionRow(name, f"{old:,} → {new:,}: {new - old:+,}{share}"))
    return Section(each.line.label, tuple(rows))
