"""Ranked rows of a profile: by method (or class, or package) with all their traces below, or as in the file."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, cast

import numpy as np

from parsers.model.distinct import distinct
from parsers.model.names.java_name import NO_PACKAGE, class_spans, method_spans
from parsers.model.names.patterns import Subject
from parsers.model.row import Badge, Column, Link, Row, SectionRow, SortKey, counted
from parsers.model.trees.nested_tables import NestedTables
from parsers.model.trees.preorder import FlatPreorder
from parsers.model.trees.tree import Preorder
from parsers.model.view import Switch
from parsers.profile.frame_groups import KINDS, grouped_frames
from parsers.profile.method_name import holder_of, package_of, spans_of, without_holder
from parsers.profile.source import ProfileSource
from parsers.profile.views.count_text import shown_text
from parsers.profile.views.profile_view import ProfileView
from parsers.profile.views.ranked import RankedGroups, ranked_frames, ranked_groups
from parsers.views.list_view import sort_values

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray, I64Array
    from parsers.profile.profile import Profile
    from parsers.reporting.export.sample import Sample

AS_WRITTEN = "as written"

GROUP, ROW = range(2)
"""Levels."""


class CostView(ProfileView):
    """Rows grouped by the top frames of their traces, with self and total; or by another grouping of the format."""

    description = "Rows by self and total weight"

    starts_closed = True
    """True: groups are more important than their rows."""

    def __init__(self, source: ProfileSource, name: str, modes: Sequence[str], weight: str = "") -> None:
        """modes: choices of `fm`: "by method", names of the source's groups, "as written"; weight: shown at first"""
        super().__init__(source, name, weight)
        self._modes = tuple(modes)

    @property
    def own_switches(self) -> tuple[Switch, ...]:
        """The choice of grouping."""
        return (Switch("merge", "m", "group by", self._modes),)

    @property
    def mode(self) -> str:
        """The current grouping. Each row asks for it, so other switches are not computed; empty while not ready."""
        return self._choice_of(self.own_switches[0]) if self.source.is_ready else ""

    @cached_property
    def profile(self) -> Profile:
        """The ranked profile: one row per trace, unless rows have labels or are shown as in the file."""
        found = self.source.profile(self.wanted)
        return found if self.mode == AS_WRITTEN or self.source.groups(found) else found.by_trace()

    @property
    def columns(self) -> tuple[Column, ...]:
        """Values of rows; for methods self and total."""
        if not self.is_ready:
            return ()
        first, *others = self.profile.values
        wide = 11 if first.unit in ("bytes", "ms") else 9
        columns = [
            self.share_column("self_percent", "self %"),
            Column("self", first.title, first.unit, width=wide, priority=5, adds_up=True),
            *(Column(value.name, value.title, value.unit, width=wide, priority=self.priority) for value in others),
        ]
        if self.mode == AS_WRITTEN:
            return (*columns, *(() if self.is_compared else self.source.row_columns))
        if not self.is_compared:
            columns.insert(1, Column("accum_percent", "accum", "percent", width=8, priority=3))
        if self._groups_frames:
            title = "total" if self.is_compared else "total %"
            name, unit = ("total", first.unit) if self.is_compared else ("total_percent", "percent")
            columns.append(Column(name, title, unit, width=wide if self.is_compared else 8, priority=4))
        return (*columns, Column("traces", "traces", "count", width=7, priority=1))

    @property
    def orders(self) -> tuple[str, ...]:
        """Available sort orders."""
        others = [value.name for value in self.profile.values[1:]] if self.is_ready else []
        return ("self", *others, "total", "traces", "name")

    @property
    def sorted_by(self) -> str:
        """Self, unless rows are as in the file."""
        return "" if self.mode == AS_WRITTEN else "self"

    # -- groups -------------------------------------------------------------------------------------------------------

    @cached_property
    def made(self) -> RankedGroups:
        """The groups of the current choices."""
        groups = {each.name: each for each in self.source.groups(self.profile)}
        missing = 0 if self.is_compared else self.source.below_cutoff(self.wanted)
        if self.mode in groups:
            return ranked_groups(self.profile, groups[self.mode], missing)
        group_of, labels = grouped_frames(self.source, self.mode)
        kind = KINDS.get(self.mode, "method")
        return ranked_frames(self.profile, kind, group_of, labels, self.hidden_frames(), missing)

    @property
    def ranked(self) -> RankedGroups:
        """The groups."""
        return self.made

    @cached_property
    def computed_preorder(self) -> Preorder:
        """Groups and their rows; or only the rows."""
        if self.mode == AS_WRITTEN:
            count = len(self.profile.traces)
            return FlatPreorder(lambda: count, lambda: True)
        return NestedTables([self.ranked.first])

    @property
    def preorder(self) -> NestedTables:
        """The nodes as a preorder, where there are groups."""
        return cast(NestedTables, super().preorder)

    def _place(self, node: int) -> tuple[int, int]:
        """Returns the level of a node, and the group (in its place) or the row of the profile."""
        if self.mode == AS_WRITTEN:
            return ROW, node
        level, number = self.preorder.level(node), self.preorder.number(node)
        return (GROUP, number) if level == GROUP else (ROW, self.ranked.row_at(number))

    # -- rows ---------------------------------------------------------------------------------------------------------

    def row(self, node: int) -> Row:
        """Returns the row of a group with its sums, or of a row of the file."""
        level, number = self._place(node)
        return self._group_row(node, number) if level == GROUP else self._profile_row(node, number)

    def _group_row(self, node: int, place: int) -> Row:
        ranked, values = self.ranked, self.profile.values
        group = int(ranked.order[place])
        own, total = (array[:, group].tolist() for array in (ranked.found.own, ranked.found.total))
        count, kind, label = ranked.count(group), ranked.kind_of(group), ranked.labels[group]
        badges: dict[str, Badge] = self.own_badges(own)
        if not self.is_compared:
            badges["accum_percent"] = self.share(0, int(ranked.running[place]))
        if not count:
            # Missing rows have no other values.
            badges = {name: badges[name] for name in ("self", "self_percent", "accum_percent")}
        else:
            badges["traces"] = count
        if count and ranked.is_of_frames:
            badges["total"] = values[0].shown(total[0])
            badges["total_percent"] = self.share(0, total[0])
        return Row(
            node=node,
            kind=kind,
            label=label,
            badges=badges,
            ref=f"{kind}:{label}" if kind in ("method", "class", "package") else f"node:{node}",
            rows_below=count,
            has_children=count > 0,
            spans=spans_of(kind, label),
            bars={"self_percent": min(1.0, abs(own[0]) / self._most)},
        )

    @cached_property
    def _most(self) -> int:
        """Length of the longest bar."""
        if self.mode == AS_WRITTEN:
            return int(max(1, np.abs(self.profile.weights[0]).max(initial=1)))
        return self.ranked.most

    def _profile_row(self, node: int, row: int) -> Row:
        profile, source = self.profile, self.source
        trace = int(profile.traces[row])
        weights = [int(weight[row]) for weight in profile.weights]
        label = source.row_label(profile, row) if self.mode == AS_WRITTEN or self._groups_frames else None
        badges = self.own_badges(weights)
        if self.mode == AS_WRITTEN and not self.is_compared:
            badges |= source.row_badges(profile, row)
        top = self.top_text(trace)
        if self._groups_frames and self._is_on_top(node, trace):
            # The method is shown in the parent row.
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
        """True if the group of a row is the method on top of its trace."""
        above = self.preorder.parent(node)
        group = int(self.ranked.order[self.preorder.number(above)]) if above is not None else -1
        frames = self.profile.stacks.of(trace)
        return self.ranked.kind == "method" and len(frames) > 0 and int(self.source.method_of[frames[0]]) == group

    @cached_property
    def _groups_frames(self) -> bool:
        """True if groups consist of frames; used for columns, so before groups exist."""
        return self.mode != AS_WRITTEN and self.mode not in {each.name for each in self.source.groups(self.profile)}

    def patterns(self, node: int) -> Mapping[Subject, str]:
        """Returns a pattern that matches all methods of the row's class; none where groups are not frames."""
        return super().patterns(node) if self._groups_frames else {}

    def remark(self, row: Row) -> str:
        """Returns the number of a trace."""
        level, number = self._place(row.node)
        return self.source.trace_title(int(self.profile.traces[number])) if level == ROW else ""

    def top_text(self, trace: int) -> str:
        """Returns method and line on top of a trace."""
        frames = self.profile.stacks.of(trace)
        if not len(frames):
            return "no frames"
        frame = int(frames[0])
        return f"{self.source.methods[int(self.source.method_of[frame])]} {self.source.line(frame)}".rstrip()

    def sort_keys(self, order: str, nodes: Sequence[int]) -> Sequence[SortKey]:
        """Returns sort keys for an order."""
        return sort_values(order, map(self.row, nodes))

    def rows_of(self, node: int) -> I64Array:
        """Returns the rows below a group, those with it on top if there are any; or a row itself."""
        level, number = self._place(node)
        if level == ROW:
            return np.array([number])
        return self.ranked.rows_of(int(self.ranked.order[number]))

    # -- names --------------------------------------------------------------------------------------------------------

    def method_of_node(self, node: int) -> int | None:
        """Returns the number of a method; for a row that of the method on top of its trace."""
        level, number = self._place(node)
        if level == GROUP:
            group = int(self.ranked.order[number])
            return group if self.ranked.kind_of(group) == "method" else None
        frames = self.profile.stacks.of(int(self.profile.traces[number]))
        return int(self.source.method_of[frames[0]]) if len(frames) else None

    def find_method(self, method: int) -> int | None:
        """Returns the row of a method; else the first row with it on top, or in its trace."""
        if self.mode == AS_WRITTEN:
            rows = self._rows_with(method)
            return int(rows[0]) if len(rows) else None
        if not self.ranked.is_of_frames:
            rows = self._rows_with(method)
            return self.preorder.node(ROW, self.ranked.numbers_of(int(rows[0]))[0]) if len(rows) else None
        if self.ranked.kind != "method":
            holder = holder_of(self.source.methods[method])
            names = {"class": holder, "package": package_of(holder) or NO_PACKAGE}
            return self.named(self.ranked.kind, names.get(self.ranked.kind, ""))
        place = self.ranked.place_of(method)
        return None if place is None else self.preorder.node(GROUP, place)

    def _rows_with(self, method: int) -> I64Array:
        """Returns the rows with a method on top, then those with it in their trace."""
        profile = self.profile
        stacks, method_of = profile.flat_stacks, self.source.method_of
        places = np.flatnonzero(method_of[stacks.frames] == method)
        through = distinct(np.searchsorted(stacks.first, places, "right") - 1)
        rows = np.flatnonzero(np.isin(profile.traces, through))
        tops = method_of[stacks.frames[stacks.first[profile.traces[rows]]]] == method
        return np.concatenate([rows[tops], rows[~tops]])

    def find_trace(self, trace: int) -> int | None:
        """Returns the row of a trace, below the method on top of it."""
        rows = np.flatnonzero(self.profile.traces == trace)
        if not len(rows):
            return None
        if self.mode == AS_WRITTEN:
            return int(rows[0])
        numbers = self.ranked.numbers_of(int(rows[0]), only_tops=True)
        return self.preorder.node(ROW, numbers[0]) if numbers else None

    def named(self, kind: str, value: str) -> int | None:
        """Returns also rows of classes and packages, if shown."""
        if self.mode != AS_WRITTEN and kind == self.ranked.kind and kind != "method":
            order = self.ranked.order.tolist()
            at = next((place for place, group in enumerate(order) if self.ranked.labels[group] == value), None)
            return None if at is None else self.preorder.node(GROUP, at)
        return super().named(kind, value)

    def find_key(self, key: Hashable) -> int | None:
        """Returns the row of a key; for a class its heaviest method, if rows are methods."""
        match key:
            case ("class", str(name)) if self.is_ready and self.mode != AS_WRITTEN and self.ranked.kind == "method":
                ranked = self.ranked
                held = (at for at, group in enumerate(ranked.order.tolist()) if holder_of(ranked.labels[group]) == name)
                place = next(held, None)
                return None if place is None else self.preorder.node(GROUP, place)
            case (("class" | "package") as kind, str(name)) if self.is_ready:
                return self.named(kind, name)
        return super().find_key(key)

    def key(self, node: int) -> Hashable | None:
        """Returns the key of a method; for a row its trace; for classes and packages their name."""
        level, number = self._place(node)
        if level == ROW:
            return ("trace", int(self.profile.traces[number]))
        group = int(self.ranked.order[number])
        kind = self.ranked.kind_of(group)
        return super().key(node) if kind == "method" else (kind, self.ranked.labels[group])

    def others(self, node: int) -> Sequence[int]:
        """Returns the rows below a group; for a row those of the same trace."""
        level, number = self._place(node)
        if level == GROUP:
            return range(node + 1, self.preorder.end(node))
        if self.mode == AS_WRITTEN:
            return np.flatnonzero(self.profile.traces == self.profile.traces[number]).tolist()
        nodes = (self.preorder.node(ROW, each) for each in self.ranked.numbers_of(number))
        return [node for node in nodes if node is not None]

    def node_texts(self) -> tuple[AnyArray, Sequence[str]]:
        """Returns the names of groups, and the labels of rows."""
        profile = self.profile
        of_trace, place = np.unique(profile.traces, return_inverse=True)
        tops = [self.top_text(trace) for trace in of_trace.tolist()]
        if self.mode == AS_WRITTEN:
            return (np.arange(len(place)), self._row_labels()) if self._has_labels else (place, tops)
        ranked = self.ranked
        rows, is_top = ranked.all_rows()
        counts = np.diff(ranked.first)
        # A group precedes its rows.
        is_group = np.zeros(len(rows) + len(counts), np.bool_)
        is_group[ranked.first[:-1] + np.arange(len(counts))] = True
        numbers = np.empty(len(is_group), np.int64)
        numbers[is_group] = ranked.order
        if self._groups_frames and self._has_labels:
            numbers[~is_group] = len(ranked.labels) + rows
            return numbers, [*ranked.labels, *self._row_labels()]
        is_short = is_top & (ranked.is_of_frames and ranked.kind == "method")
        numbers[~is_group] = len(ranked.labels) + place[rows] + np.where(is_short, len(tops), 0)
        return numbers, [*ranked.labels, *tops, *map(without_holder, tops)]

    def samples(self, node: int | None = None) -> Iterator[Sample]:
        """Yields the rows as stacks of methods, or of the current grouping; those through a node."""
        from parsers.profile.samples import row_samples

        rows = np.arange(len(self.profile.traces)) if node is None else np.sort(self.rows_of(node))
        group_of, labels = grouped_frames(self.source, self.mode if self._groups_frames else "")
        extra_frames = self._row_labels() if self._has_labels else []
        return row_samples(self.profile, rows, group_of, labels, self.hidden_frames(), extra_frames)

    # -- side pane ----------------------------------------------------------------------------------------------------

    def _row_labels(self) -> list[str]:
        return [self.source.row_label(self.profile, row) or "" for row in range(len(self.profile.traces))]

    @property
    def _has_labels(self) -> bool:
        """True if rows have labels other than the top frames of their traces."""
        return bool(self.source.groups(self.profile))

    def facts(self, node: int) -> Sequence[SectionRow]:
        """Returns the sums as text."""
        level, number = self._place(node)
        if level == ROW:
            return ()
        ranked, values = self.ranked, self.profile.values
        group = int(ranked.order[number])
        own, total = (array[:, group].tolist() for array in (ranked.found.own, ranked.found.total))
        if not ranked.count(group):
            return [self.weight_row("below the cutoff", own[0])]
        if self.is_compared:
            rows = self.compared_facts("self", own)
            return [*rows, *self.compared_facts("total", total)] if ranked.is_of_frames else rows
        rows = [self.weight_row("self", own[0])]
        if ranked.is_of_frames:
            rows.append(self.weight_row("total", total[0]))
            rows.append(SectionRow("on top of", counted(int(ranked.found.tops[group]), "trace")))
        rows += [SectionRow(value.title, shown_text(value, own[at])) for at, value in enumerate(values) if at]
        return rows

    def links(self, node: int) -> Sequence[Link]:
        """Returns links to the callers of the method, and to its heaviest call."""
        method = self.method_of_node(node)
        if method is None or not self.source.is_of_trees:
            return ()
        ref = f"method:{self.source.methods[method]}"
        return [Link("who calls it", ref, "Callers"), Link("called here most", ref, "Call tree")]
