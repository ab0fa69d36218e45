"""Ranked rows of a profile: by method (or class, or package) with all their traces below, or as the file has them."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from parsers.hotspot.level_rows import LevelRows
from parsers.java_name import class_spans
from parsers.preorder import FlatPreorder
from parsers.profile.call_views import grouped_frames
from parsers.profile.cost import Costs, costs
from parsers.profile.profile_view import BAR, ProfileView, holder_of, method_spans, shown_text
from parsers.profile.source import Groups, ProfileSource
from parsers.report import Badge, Column, Link, Preorder, Row, SectionRow, Span, Switch

if TYPE_CHECKING:
    from numpy.typing import NDArray

AS_WRITTEN = "as written"

GROUP, ROW = range(2)
"""Levels."""


@dataclass(frozen=True)
class Ranked:
    """Groups in their order, with their rows."""

    kind: str
    labels: Sequence[str]
    found: Costs
    order: NDArray[Any]
    """Groups, the heaviest first; those that are nowhere are left out."""
    place_of: dict[int, int]
    """By group: its place in `order`."""
    first: NDArray[Any]
    """By place: where its rows begin, counted in the order of places."""
    is_of_frames: bool


class CostView(ProfileView):
    """Rows by what is on top of their traces: self and total; or by what else the format groups them."""

    starts_closed = True
    """The groups are what is looked for first."""

    def __init__(self, source: ProfileSource, name: str, modes: Sequence[str], weight: str = "") -> None:
        """modes: what `fm` goes through: "by method", names of the source's groups, "as written"."""
        super().__init__(source, name, weight)
        self._modes = tuple(modes)

    @property
    def own_switches(self) -> tuple[Switch, ...]:
        """How rows are merged."""
        return (Switch("merge", "m", "rows", self._modes),)

    @property
    def mode(self) -> str:
        """How rows are merged now."""
        return self.choice("merge")

    @property
    def columns(self) -> tuple[Column, ...]:
        """What rows weigh; of methods what they weigh themselves, and with all that they call."""
        if not self.is_ready:
            return ()
        first, *others = self.profile.values
        wide = 11 if first.unit in ("bytes", "ms") else 9
        columns = [
            Column("self_percent", "self %", "percent", width=8 + BAR, priority=6, bar=BAR),
            Column("self", first.title, first.unit, width=wide, priority=5, adds_up=True),
            *(Column(value.name, value.title, value.unit, width=10, priority=2) for value in others),
        ]
        if self.mode == AS_WRITTEN:
            return (*columns, *self.source.row_columns)
        columns.insert(1, Column("accum_percent", "accum", "percent", width=8, priority=3))
        if self.ranked.is_of_frames:
            columns.append(Column("total_percent", "total %", "percent", width=8, priority=4))
        return (*columns, Column("traces", "traces", "count", width=7, priority=1))

    @property
    def orders(self) -> tuple[str, ...]:  # type: ignore[override]  # what there is to sort by depends on the switches
        """What rows can be sorted by."""
        others = [value.name for value in self.profile.values[1:]] if self.is_ready else []
        return ("self", *others, "total", "traces", "name")

    # -- groups -------------------------------------------------------------------------------------------------------

    @cached_property
    def made(self) -> Ranked:
        """The groups of what is chosen."""
        groups = {each.name: each for each in self.source.groups(self.profile)}
        if self.mode in groups:
            return self._of_groups(groups[self.mode])
        group_of, labels = grouped_frames(self.source, self.mode)
        found = costs(self.profile, group_of, len(labels), self.hidden_frames())
        kind = {"by class": "class", "by package": "package", "by line": "frame"}.get(self.mode, "method")
        return self._ranked(kind, labels, found, is_of_frames=True)

    @property
    def ranked(self) -> Ranked:
        """The groups."""
        return self.made

    def _of_groups(self, groups: Groups) -> Ranked:
        """Groups of whole rows: their sums."""
        count, weights = len(groups.labels), self.profile.weights
        heaviest = weights[0] if len(weights) else np.zeros(len(groups.of_rows), np.int64)
        rows = np.lexsort((-heaviest, groups.of_rows))
        first = np.searchsorted(groups.of_rows[rows], np.arange(count + 1))
        sums = np.zeros((len(weights), count), np.int64)
        for place, weight in enumerate(weights):
            np.add.at(sums[place], groups.of_rows, weight)
        found = Costs(sums, sums, first, rows, np.diff(first))
        return self._ranked(groups.kind, groups.labels, found, is_of_frames=False)

    @staticmethod
    def _ranked(kind: str, labels: Sequence[str], found: Costs, is_of_frames: bool) -> Ranked:
        counts = np.diff(found.first)
        order = np.lexsort((-found.total[0], -found.own[0])) if len(found.own) else np.arange(len(counts))
        order = order[counts[order] > 0]
        first = np.concatenate([[0], np.cumsum(counts[order])])
        places = {group: place for place, group in enumerate(order.tolist())}
        return Ranked(kind, labels, found, order, places, first, is_of_frames)

    def make_preorder(self) -> Preorder:
        """Groups and their rows; or just the rows."""
        if self.mode == AS_WRITTEN:
            return FlatPreorder(lambda: len(self.profile.traces), lambda: True)
        return LevelRows([self.ranked.first])

    def _place(self, node: int) -> tuple[int, int]:
        """Level, and which group (in its place) or which row of the profile."""
        if self.mode == AS_WRITTEN:
            return ROW, node
        level, number = self.preorder.level(node), self.preorder.number(node)
        return (GROUP, number) if level == GROUP else (ROW, self._row_at(number))

    def _row_at(self, number: int) -> int:
        ranked = self.ranked
        place = int(np.searchsorted(ranked.first, number, "right")) - 1
        group = ranked.order[place]
        return int(ranked.found.rows[ranked.found.first[group] + number - ranked.first[place]])

    # -- rows ---------------------------------------------------------------------------------------------------------

    def row(self, node: int) -> Row:
        """A group with its sums, or a row of the file."""
        level, number = self._place(node)
        return self._group_row(node, number) if level == GROUP else self._profile_row(node, number)

    def _group_row(self, node: int, place: int) -> Row:
        ranked, values = self.ranked, self.profile.values
        group = int(ranked.order[place])
        own, total = (array[:, group].tolist() for array in (ranked.found.own, ranked.found.total))
        count = int(ranked.found.first[group + 1] - ranked.found.first[group])
        badges: dict[str, Badge] = {
            "self_percent": self.share(0, own[0]),
            "accum_percent": self.share(0, int(self._running[place])),
            "self": values[0].shown(own[0]),
            **{value.name: value.shown(own[at]) for at, value in enumerate(values) if at},
            "traces": count,
        }
        if ranked.is_of_frames:
            badges["total"] = values[0].shown(total[0])
            badges["total_percent"] = self.share(0, total[0])
        label = ranked.labels[group]
        return Row(
            node=node,
            kind=ranked.kind,
            label=label,
            badges=badges,
            ref=f"{ranked.kind}:{label}" if ranked.kind in ("method", "class", "package") else f"node:{node}",
            rows_below=count,
            has_children=count > 0,
            spans=spans_of(ranked.kind, label),
            bars={"self_percent": min(1.0, abs(own[0]) / self._most)},
        )

    @cached_property
    def _running(self) -> NDArray[Any]:
        """By place: what it and all before it weigh themselves."""
        own = self.ranked.found.own
        return np.cumsum(own[0][self.ranked.order]) if len(own) else np.zeros(0, np.int64)

    @cached_property
    def _most(self) -> int:
        """The longest bar."""
        if self.mode == AS_WRITTEN:
            return int(max(1, np.abs(self.profile.weights[0]).max(initial=1)))
        ranked = self.ranked
        return max(1, abs(int(ranked.found.own[0][ranked.order[0]]))) if len(ranked.order) else 1

    def _profile_row(self, node: int, row: int) -> Row:
        profile, source = self.profile, self.source
        trace = int(profile.traces[row])
        weights = [int(weight[row]) for weight in profile.weights]
        label = source.row_label(profile, row) if self.mode == AS_WRITTEN or self._groups_frames else None
        badges: dict[str, Badge] = {
            "self_percent": self.share(0, weights[0]),
            "self": profile.values[0].shown(weights[0]),
            **{value.name: value.shown(weights[at]) for at, value in enumerate(profile.values) if at},
            **source.row_badges(profile, row),
        }
        top = self.top_text(trace)
        if self._groups_frames and self._is_on_top(node, trace):
            # The method stands above.
            top = without_holder(top)
        ref = source.trace_ref(trace)
        return Row(
            node=node,
            kind="trace",
            label=label if label is not None else top,
            depth=self.preorder.depth(node),
            badges=badges,
            ref=ref if self.mode == AS_WRITTEN else f"node:{node}",
            rows_below=0,
            spans=tuple(class_spans(label)) if label is not None else method_spans(top),
            bars={"self_percent": min(1.0, abs(weights[0]) / self._most)},
        )

    def _is_on_top(self, node: int, trace: int) -> bool:
        """Whether the group above a row is what its trace begins with, and a method."""
        above = self.preorder.parent(node)
        group = int(self.ranked.order[self.preorder.number(above)]) if above is not None else -1
        frames = self.profile.stacks.of(trace)
        return self.ranked.kind == "method" and len(frames) > 0 and int(self.source.method_of[frames[0]]) == group

    @property
    def _groups_frames(self) -> bool:
        return self.mode != AS_WRITTEN and self.ranked.is_of_frames

    def remark(self, row: Row) -> str:
        """Of a trace its number."""
        level, number = self._place(row.node)
        return self.source.trace_title(int(self.profile.traces[number])) if level == ROW else ""

    def top_text(self, trace: int) -> str:
        """Method and line on top of a trace."""
        frames = self.profile.stacks.of(trace)
        if not len(frames):
            return "no frames"
        frame = int(frames[0])
        return f"{self.source.methods[int(self.source.method_of[frame])]} {self.source.line(frame)}".rstrip()

    def sort_keys(self, order: str, nodes: Sequence[int]) -> Sequence[Any]:
        """Keys of an order."""
        if order == "name":
            return [self.row(node).label for node in nodes]
        values = [self.row(node).badges.get(order) for node in nodes]
        return [value if isinstance(value, int | float) else -1 for value in values]

    def rows_of(self, node: int) -> NDArray[Any]:
        """The rows below a group, those that it is on top of if there are any; a row itself."""
        level, number = self._place(node)
        if level == ROW:
            return np.array([number])
        ranked = self.ranked
        group = ranked.order[number]
        first, stop = ranked.found.first[group], ranked.found.first[group + 1]
        tops = ranked.found.tops[group]
        found: NDArray[Any] = ranked.found.rows[first : first + tops if tops else stop]
        return found

    # -- names --------------------------------------------------------------------------------------------------------

    def method_of_node(self, node: int) -> int | None:
        """A method's own number; of a row the method on top of its trace."""
        level, number = self._place(node)
        if level == GROUP:
            return int(self.ranked.order[number]) if self.ranked.kind == "method" else None
        frames = self.profile.stacks.of(int(self.profile.traces[number]))
        return int(self.source.method_of[frames[0]]) if len(frames) else None

    def find_method(self, method: int) -> int | None:
        """The row of a method; as written the first trace that it is on top of."""
        if self.mode == AS_WRITTEN:
            tops = np.array([self.method_of_node(row) == method for row in range(len(self.profile.traces))], bool)
            return int(np.argmax(tops)) if tops.any() else None
        if self.ranked.kind != "method":
            return None
        place = self.ranked.place_of.get(method)
        return None if place is None else self.preorder.node(GROUP, place)

    def find_trace(self, trace: int) -> int | None:
        """The row of a trace, below the method on top of it."""
        rows = np.flatnonzero(self.profile.traces == trace)
        if not len(rows):
            return None
        if self.mode == AS_WRITTEN:
            return int(rows[0])
        ranked = self.ranked
        found = np.flatnonzero(ranked.found.rows == rows[0])
        groups = np.searchsorted(ranked.found.first, found, "right") - 1
        for place, group in zip(found.tolist(), groups.tolist(), strict=True):
            if place - ranked.found.first[group] < ranked.found.tops[group]:
                at = ranked.first[ranked.place_of[group]] + place - ranked.found.first[group]
                node: int | None = self.preorder.node(ROW, int(at))
                return node
        return None

    def named(self, kind: str, value: str) -> int | None:
        """Classes and packages too, where rows are those."""
        if self.mode != AS_WRITTEN and kind == self.ranked.kind and kind != "method":
            group = next((each for each in self.ranked.place_of if self.ranked.labels[each] == value), None)
            return None if group is None else self.preorder.node(GROUP, self.ranked.place_of[group])
        return super().named(kind, value)

    def key(self, node: int) -> Hashable | None:
        """A method; of a row its trace; of classes and packages their name."""
        level, number = self._place(node)
        if level == ROW:
            return ("trace", int(self.profile.traces[number]))
        kind = self.ranked.kind
        return super().key(node) if kind == "method" else (kind, self.ranked.labels[int(self.ranked.order[number])])

    def others(self, node: int) -> Sequence[int]:
        """The rows below a group; of a row those of the same trace."""
        level, number = self._place(node)
        if level == GROUP:
            return range(node + 1, self.preorder.end(node))
        if self.mode == AS_WRITTEN:
            found: list[int] = np.flatnonzero(self.profile.traces == self.profile.traces[number]).tolist()
            return found
        ranked = self.ranked
        places = np.flatnonzero(ranked.found.rows == number)
        groups = np.searchsorted(ranked.found.first, places, "right") - 1
        at = [ranked.first[ranked.place_of[group]] - ranked.found.first[group] for group in groups.tolist()]
        return [self.preorder.node(ROW, int(place + shift)) for place, shift in zip(places.tolist(), at, strict=True)]

    def node_texts(self) -> tuple[NDArray[Any], Sequence[str]]:
        """Names of groups; of rows what stands in their lines."""
        if self.mode == AS_WRITTEN:
            return np.arange(self.preorder.rows), [self.row(node).label for node in range(self.preorder.rows)]
        traces, place = np.unique(self.profile.traces, return_inverse=True)
        ranked = self.ranked
        tops = [self.top_text(trace) for trace in traces.tolist()]
        texts = [*ranked.labels, *tops, *map(without_holder, tops)]
        counts = np.diff(ranked.first)
        within = np.arange(int(ranked.first[-1])) - np.repeat(ranked.first[:-1], counts)
        rows = ranked.found.rows[within + np.repeat(ranked.found.first[ranked.order], counts)]
        is_short = within < np.repeat(ranked.found.tops[ranked.order], counts)
        is_short &= ranked.is_of_frames and ranked.kind == "method"
        # A group stands before its rows.
        groups = ranked.first[:-1] + np.arange(len(counts))
        is_group = np.zeros(len(rows) + len(counts), np.bool_)
        is_group[groups] = True
        numbers = np.empty(len(is_group), np.int64)
        numbers[groups] = ranked.order
        named = [self.source.row_label(self.profile, row) for row in range(len(place))] if ranked.is_of_frames else []
        if any(name is not None for name in named):
            numbers[~is_group] = len(ranked.labels) + rows
            return numbers, [*ranked.labels, *(name or "" for name in named)]
        numbers[~is_group] = len(ranked.labels) + place[rows] + np.where(is_short, len(tops), 0)
        return numbers, texts

    # -- beside a row -------------------------------------------------------------------------------------------------

    def facts(self, node: int) -> Sequence[SectionRow]:
        """The sums in words."""
        level, number = self._place(node)
        if level == ROW:
            return ()
        ranked, values = self.ranked, self.profile.values
        group = int(ranked.order[number])
        own, total = (array[:, group].tolist() for array in (ranked.found.own, ranked.found.total))
        rows = [SectionRow("self", f"{shown_text(values[0], own[0])}, {self.share(0, own[0]):.2f} %")]
        if ranked.is_of_frames:
            rows.append(SectionRow("total", f"{shown_text(values[0], total[0])}, {self.share(0, total[0]):.2f} %"))
            rows.append(SectionRow("on top of", f"{int(ranked.found.tops[group]):,} traces"))
        rows += [SectionRow(value.title, shown_text(value, own[at])) for at, value in enumerate(values) if at]
        return rows

    def links(self, node: int) -> Sequence[Link]:
        """Who calls the method, and where it is called most."""
        method = self.method_of_node(node)
        if method is None:
            return ()
        ref = f"method:{self.source.methods[method]}"
        return [Link("who calls it", ref, "Callers"), Link("called here most", ref, "Call tree")]


def without_holder(top: str) -> str:
    """A method and its line without the class."""
    holder = holder_of(top.partition(" ")[0])
    return top[len(holder) + 1 :] if holder else top


def spans_of(kind: str, label: str) -> tuple[Span, ...]:
    """The parts of a label."""
    if kind in ("method", "frame"):
        return method_spans(label)
    return tuple(class_spans(label)) if kind == "class" else ()
