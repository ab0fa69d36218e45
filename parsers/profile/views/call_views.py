"""The views "Call tree", "Callers" and "Flame" of a profile: traces merged from the root, or from the top frame."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np

from parsers.model.names.java_name import method_spans
from parsers.model.row import Badge, Column, Link, Row, SectionRow, SortKey, Span
from parsers.model.trees.column_preorder import ColumnPreorder
from parsers.model.trees.tree import Preorder
from parsers.model.view import Position, Shape, Switch
from parsers.profile.frame_groups import BY, KINDS, grouped_frames
from parsers.profile.merge import Merging, ProfileTree
from parsers.profile.method_name import spans_of
from parsers.profile.profile import Profile, Value, bottom_up, part_of_tree, top_down
from parsers.profile.source import ALL, ProfileSource
from parsers.profile.views.count_text import shown_text
from parsers.profile.views.profile_view import ProfileView
from parsers.profile.views.ranked import NO_FRAMES
from parsers.profile.views.trace_section import method_lines

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray, I64Array
    from parsers.profile.merge import MergedTree
    from parsers.reporting.export.sample import Sample

MERGE = Switch("merge", "m", "frames", BY)
STITCH = Switch("cut traces", "k", "cut traces", ("apart", "stitched"))
RECURSION = Switch("recursion", "c", "recursion", ("as recorded", "folded", "rings folded"))

NOT_RECORDED = "(stack truncated)"
FEW = 16
"""A profile with fewer than one of so many traces of the whole one is merged faster than it is taken from its tree."""


def _description(direction: str, shape: Shape) -> str:
    if shape == "flame":
        return "Call tree as a picture"
    return "Stack traces from the " + ("entry to the callees" if direction == "down" else "callee to callers")


class CallView(ProfileView):
    """Traces as a tree. Total of a node: weight of all traces through it; self: of those with it on top."""

    orders: tuple[str, ...] = ("total", "self", "name")
    sorted_by = "total"
    rows_have_labels = False

    def __init__(
        self,
        source: ProfileSource,
        name: str,
        direction: Literal["down", "up"] = "down",
        shape: Shape = "tree",
        weight: str = "",
    ) -> None:
        super().__init__(source, name, weight)
        self.shape: Shape = shape
        self._direction = direction
        self.description = _description(direction, shape)

    @property
    def own_switches(self) -> tuple[Switch, ...]:
        """Choices of grouping; of recursion; of the place of truncated traces, if there are any."""
        has_cut = self._direction == "down" and self.source.has_cut_traces
        return (MERGE, RECURSION, *((STITCH,) if has_cut else ()))

    @property
    def columns(self) -> tuple[Column, ...]:
        """Total and self in percent and as numbers; other values of rows."""
        if not self.is_ready:
            return ()
        first, *others = self.profile.values
        counted = f" {first.title}" if first.unit == "count" else ""
        # With a cell for the sign of the sort order.
        wide = max(11 if first.unit in ("bytes", "ms", "ns") else 9, len(f"total{counted}") + 1)
        columns = [Column("self", "self", first.unit, width=wide, priority=2, adds_up=True, heading=f"self{counted}")]
        if not self.is_compared:
            columns.append(Column("self_percent", "self %", "percent", width=8, priority=3))
        return (
            *columns,
            *(Column(value.name, value.title, value.unit, width=wide, priority=self.priority) for value in others),
            Column(
                "total",
                first.title if self.is_compared else "total",
                first.unit,
                width=wide,
                priority=5,
                heading="" if self.is_compared else f"total{counted}",
            ),
            self.share_column("total_percent", "total %"),
        )

    @cached_property
    def profile(self) -> Profile:
        """The profile to merge, one row per trace."""
        return self.source.profile(self.wanted).by_trace()

    # -- groups of frames ---------------------------------------------------------------------------------------------

    @cached_property
    def _merged_by(self) -> str:
        return self.choice("merge")

    @cached_property
    def made(self) -> tuple[ProfileTree, Sequence[str], AnyArray]:
        """The tree for the current choices, names of the groups of nodes, and the group of each frame."""
        by = self._merged_by
        group_of, labels = grouped_frames(self.source, by)
        merging = Merging(
            group_of,
            len(labels),
            folds_recursion=self.choice("recursion") == "folded" or by in ("by class", "by package"),
            folds_rings=self.choice("recursion") == "rings folded",
            is_attached=self.choice("cut traces") == "stitched",
            is_hidden=self.hidden_frames(),
        )
        tree = self._stored_tree() or self._merge(merging)
        return tree, [*labels, NO_FRAMES, NOT_RECORDED], group_of

    def _merge(self, merging: Merging) -> ProfileTree:
        """Merges the profile; a filtered one is taken from the whole tree, which takes a fraction of the time."""
        make, wanted, profile = top_down if self._direction == "down" else bottom_up, self.wanted, self.profile
        wholes = self.source.whole_trees
        if merging.is_attached or wholes is None:
            return make(profile, merging)
        patterns, hide = self._folded
        choices = (wanted.weight, wanted.dump, self.choice("merge"), merging.folds_recursion, merging.folds_rings)
        key: Hashable = (*choices, tuple(sorted(patterns.items())), hide)
        of, whole, tree = wholes.get(self._direction, (None, profile, None))
        if {wanted.thread, wanted.of_class, *dict(wanted.chosen).values()} == {ALL}:
            if tree is None or of != key or whole is not profile:
                tree = make(profile, merging)
                wholes[self._direction] = key, profile, tree
            return tree
        if tree is None or of != key or len(profile.traces) * FEW < len(whole.traces):
            return make(profile, merging)
        return part_of_tree(tree, whole, profile, self._direction == "down")

    def _stored_tree(self) -> ProfileTree | None:
        """Returns the tree, if the index has it."""
        is_plain = all(self.choice(each.name) == each.choices[0] for each in self.own_switches)
        if not is_plain or not self.source.is_ready or self.hidden_frames() is not None:
            return None
        return self.source.stored_tree(self.wanted, self._direction == "down")

    @property
    def is_prepared(self) -> bool:
        """True if rows are available without much work."""
        return super().is_prepared or (not self._is_merging and self._stored_tree() is not None)

    @property
    def merged(self) -> MergedTree:
        """The merged tree."""
        return self.made[0].merged

    @cached_property
    def computed_preorder(self) -> Preorder:
        """The nodes, heaviest first."""
        merged = self.merged
        return ColumnPreorder(merged.depth.data, merged.end, merged.parent)

    # -- rows ---------------------------------------------------------------------------------------------------------

    def row(self, node: int) -> Row:
        """Returns the row of a method (or other group) with its weights."""
        tree, labels, _ = self.made
        merged = tree.merged
        key = int(merged.key[node])
        kind = self._kind(key, len(labels) - 2)
        label = labels[key]
        below = int(merged.end[node]) - node - 1
        totals, owns = merged.total[:, node].tolist(), merged.own[:, node].tolist()
        values = self.profile.values
        if self._direction == "up":
            # Below the top, the total of a caller is its part of the root's weight.
            owns = [0] * len(owns) if merged.parent[node] >= 0 else totals
        is_down = self._direction == "down"
        numbers = [owns[place] if value.is_own and is_down else totals[place] for place, value in enumerate(values)]
        if tree.measured is not None:
            totals[0] = int(tree.measured[node])
        badges: dict[str, Badge] = {
            **{value.name: value.shown(numbers[place]) for place, value in enumerate(values) if place},
            "total": values[0].shown(totals[0]),
            "total_percent": self.share_of(totals),
            "self": values[0].shown(owns[0]),
            "self_percent": self.share_of(owns),
        }
        flags: tuple[str, ...] = ()
        if self._direction == "up" and tree.is_open[node]:
            flags = ("truncated",)
        elif self._direction == "down" and tree.is_open[node]:
            flags = ("partial",)
        return Row(
            node=node,
            kind=kind,
            label=label,
            depth=int(merged.depth[node]),
            badges=badges,
            flags=flags,
            ref=f"node:{node}",
            rows_below=below,
            has_children=below > 0,
            spans=self._spans(kind, label, key),
            bars={"total_percent": min(1.0, abs(totals[0]) / self._most)},
        )

    @cached_property
    def _most(self) -> int:
        """Length of the longest bar: the whole, or the largest change."""
        most = self.merged.total[0].max(initial=0) if self.is_compared else abs(self.bases[0])
        return max(1, int(most))

    def _kind(self, key: int, groups: int) -> str:
        if key >= groups:
            return "unknown"
        return KINDS.get(self._merged_by, "method")

    def _spans(self, kind: str, label: str, key: int) -> tuple[Span, ...]:
        if kind in ("method", "frame"):
            method = key if kind == "method" else int(self.source.method_of[key])
            if method in self.source.hidden_methods:
                spans = method_spans(label)
                return tuple(span._replace(role="quiet") if span.role == "name" else span for span in spans)
        return spans_of(kind, label)

    def sort_keys(self, order: str, nodes: Sequence[int]) -> Sequence[SortKey]:
        """Returns sort keys for an order."""
        merged = self.merged
        if order == "name":
            labels = self.made[1]
            return [labels[int(merged.key[node])] for node in nodes]
        totals = merged.total[0] if self.made[0].measured is None else self.made[0].measured
        found: list[int] = (totals if order == "total" else merged.own[0])[np.asarray(nodes, np.int64)].tolist()
        return found

    def rows_of(self, node: int) -> I64Array:
        """Returns the rows of the profile through a node."""
        merged = self.merged
        return merged.rows[int(merged.row_start[node]) : int(merged.row_stop[node])]

    def width(self, node: int) -> int:
        """Returns the width of a node in a flame; of two dumps the later one counts."""
        return max(0, int(self._widths[node]))

    @property
    def _widths(self) -> I64Array:
        widths: I64Array = self.merged.total[2 if self.is_compared else 0]
        return widths

    def own_width(self, node: int) -> int:
        """Returns the part of the width that is the node's own."""
        return max(0, int(self.merged.own[2 if self.is_compared else 0][node]))

    @property
    def is_widest_first(self) -> bool:
        """True if children are sorted by width."""
        return not self.is_compared

    def percent(self, width: float) -> float:
        """Returns a width in percent of the whole."""
        return self.share(2 if self.is_compared else 0, round(width))

    @property
    def whole(self) -> int:
        """Width of all roots together."""
        merged = self.merged
        return int(self._widths[merged.parent < 0].clip(0).sum())

    # -- names --------------------------------------------------------------------------------------------------------

    def method_of_node(self, node: int) -> int | None:
        """Returns the method, if nodes are methods or lines."""
        key = int(self.merged.key[node])
        if key >= len(self.made[1]) - 2:
            return None
        match self._merged_by:
            case "by method":
                return key
            case "by line":
                return int(self.source.method_of[key])
        return None

    @cached_property
    def _heaviest_of_key(self) -> dict[int, int]:
        """The heaviest node of each key; for callers the one at the top if there is one, which lists its callers."""
        merged = self.merged
        most = np.full(len(self.made[1]), np.iinfo(np.int64).min)
        np.maximum.at(most, merged.key, merged.total[0])
        heaviest = np.flatnonzero(merged.total[0] == most[merged.key])
        # The first of several wins: it is written last.
        nodes = np.full(len(most), -1, np.int64)
        nodes[merged.key[heaviest[::-1]]] = heaviest[::-1]
        keys = np.flatnonzero(nodes >= 0)
        found = dict(zip(keys.tolist(), nodes[keys].tolist(), strict=True))
        if self._direction == "up":
            roots = np.flatnonzero(merged.parent < 0)
            found |= dict(zip(merged.key[roots].tolist(), roots.tolist(), strict=True))
        return found

    def find_method(self, method: int) -> int | None:
        """Returns the heaviest node of a method."""
        of_key = self._heaviest_of_key
        group_of = self.made[2]
        if self._merged_by == "by method":
            return of_key.get(method)
        frames = np.flatnonzero(self.source.method_of == method)
        nodes = [of_key[group] for group in set(group_of[frames].tolist()) if group in of_key]
        return max(nodes, key=lambda node: int(self.merged.total[0][node]), default=None)

    def find_trace(self, trace: int) -> int | None:
        """Returns the node where the first row of a trace ends."""
        rows = np.flatnonzero(self.profile.traces == trace)
        return int(self.merged.row_node[rows[0]]) if len(rows) else None

    def position(self, node: int) -> Position:
        """Returns the place of a node: its stack."""
        labels = self.made[1]
        stack = tuple(labels[key] for key in self.merged.key[self.path(node)].tolist())
        return Position(self.key(node), (self._direction, *stack))

    def find_position(self, position: Position) -> int | None:
        """Returns the node with this stack, else the heaviest one of the method."""
        direction, *stack = position.path or ("",)
        if direction != self._direction or not self.is_ready:
            return super().find_position(position)
        labels, nodes, found = self.made[1], self.tree.roots(), None
        for label in stack:
            found = next((node for node in nodes if labels[int(self.merged.key[node])] == label), None)
            if found is None:
                return super().find_position(position)
            nodes = self.tree.children(found)
        return found

    def others(self, node: int) -> Sequence[int]:
        """Returns all nodes of the method."""
        merged = self.merged
        nodes = np.flatnonzero(merged.key == merged.key[node])
        found: list[int] = nodes[np.argsort(-merged.total[0][nodes], kind="stable")].tolist()
        return found

    def node_texts(self) -> tuple[AnyArray, Sequence[str]]:
        """Returns the group of each node, and the names of groups."""
        return self.merged.key, self.made[1]

    def samples(self, node: int | None = None) -> Iterator[Sample]:
        """Yields the tree as stacks: with recursion folded and truncated traces stitched as shown."""
        from parsers.profile.samples import node_samples

        labels = self.made[1]
        is_up = self._direction == "up"
        return node_samples(self.merged, self.profile.values, labels, len(labels) - 2, is_up, node)

    # -- side pane ----------------------------------------------------------------------------------------------------

    def facts(self, node: int) -> Sequence[SectionRow]:
        """Returns weights as text, and the lines of the traces."""
        merged, tree = self.merged, self.made[0]
        total, own = int(merged.total[0][node]), int(merged.own[0][node])
        if tree.measured is not None:
            total = int(tree.measured[node])
        if self.is_compared:
            return self.compared_facts("total", merged.total[:, node].tolist())
        rows = [self.weight_row("total", total)]
        if self._direction == "down":
            rows.append(self.weight_row("self", own))
            if tree.is_open[node]:
                rows.append(SectionRow("stitched", "cut traces, put where all whole ones with these callers agree"))
        elif tree.is_open[node]:
            rows.append(SectionRow("cut", "deeper callers of some traces were not recorded"))
        rows += [
            SectionRow(value.title, shown_text(value, int(self._numbers_of(value)[place][node])))
            for place, value in enumerate(self.profile.values)
            if place
        ]
        return [*rows, *self._lines(node)]

    def _numbers_of(self, value: Value) -> I64Array:
        is_own = value.is_own and self._direction == "down"
        return self.merged.own if is_own else self.merged.total

    def _lines(self, node: int) -> list[SectionRow]:
        """Returns the lines of the method with their weights; empty where nodes merge frames of several depths."""
        chosen = self.chosen
        is_folded = chosen.get("recursion") != RECURSION.choices[0] or chosen.get("cut traces") == "stitched"
        if is_folded or chosen.get("merge") != "by method" or self.hidden_frames() is not None:
            return []
        if self.method_of_node(node) is None:
            return []
        depth, is_down = int(self.merged.depth[node]), self._direction == "down"
        if is_down:
            depth -= int(self.merged.key[self.path(node)[0]]) >= len(self.made[1]) - 2
        return method_lines(self.source, self.profile, self.rows_of(node), depth, is_down)

    def links(self, node: int) -> Sequence[Link]:
        """Returns links to the same method in the other views."""
        method = self.method_of_node(node)
        if method is None:
            return ()
        ref = f"method:{self.source.methods[method]}"
        views = {"Call tree": "called here most", "Callers": "who calls it"}
        return [
            *(Link(title, ref, view) for view, title in views.items() if view != self.name),
            *self.source.method_links(method),
        ]
