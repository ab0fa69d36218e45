"""What all views of profiles share: their tree, REFs and keys, numbers, samples, and what stands beside a row."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from parsers.model.patterns import Subject
from parsers.model.preorder import FlatPreorder, PreorderTree
from parsers.model.report import (
    Badge,
    Column,
    Link,
    References,
    Row,
    Section,
    SectionRow,
    Shape,
    Unit,
    UnknownReference,
)
from parsers.profile.method_name import holder_of
from parsers.profile.source import ALL, ProfileSource
from parsers.profile.views.choices import ProfileChoices
from parsers.profile.views.count_text import shown_text
from parsers.profile.views.trace_section import trace_section
from parsers.views.base import ViewBase

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parsers.profile.views.node_filters import NodeFilters
    from parsers.reporting.export.sample import Sample

BAR = 8
"""Cells of a bar."""


class ProfileView(ProfileChoices, ViewBase):
    """A `View` of a profile. Derived ones make a preorder, rows and columns of it."""

    shape: Shape = "tree"
    rows_have_labels = True
    """Whether rows of the same thing are told apart by their own labels; else by those above them."""
    has_headings = True
    """Its numbers don't speak for themselves, also where it is the first view."""
    orders: tuple[str, ...] = ()

    def __init__(self, source: ProfileSource, name: str, weight: str = "") -> None:
        """weight: what it shows at first, and alone if it has no switch of weights."""
        super().__init__(source, weight)
        self.name = name

    # -- what derived views say ---------------------------------------------------------------------------------------

    def row(self, node: int) -> Row:
        """What the line of a node shows."""
        raise NotImplementedError

    def sort_keys(self, order: str, nodes: Sequence[int]) -> Sequence[Any]:
        """Keys of an order."""
        raise NotImplementedError

    def rows_of(self, node: int) -> NDArray[Any]:
        """The rows of the profile that pass through a node."""
        raise NotImplementedError

    def method_of_node(self, node: int) -> int | None:
        """The method that a node is about."""
        return None

    def find_method(self, method: int) -> int | None:
        """The first node of a method."""
        return None

    def facts(self, node: int) -> Sequence[SectionRow]:
        """What is said of a node above its trace."""
        return ()

    def row_filters(self) -> NodeFilters:
        """What `&` asks of the nodes in bulk, in the worker."""
        from parsers.profile.views.node_filters import NodeFilters

        return NodeFilters(self.preorder, *self.node_texts())

    def node_texts(self) -> tuple[NDArray[Any], Sequence[str]]:
        """By node the number of its label, and the labels."""
        raise NotImplementedError

    # -- the view -----------------------------------------------------------------------------------------------------

    @property
    def is_ready(self) -> bool:
        """All traces have to be known, and nothing under way."""
        return self.source.is_ready and not self._is_being_made

    @property
    def columns(self) -> tuple[Column, ...]:
        """Of the values of the profile."""
        return ()

    @property
    def tree(self) -> PreorderTree:
        """The nodes; none before the view is ready."""
        return self._tree if self.is_ready else PreorderTree(FlatPreorder(lambda: 0, lambda: False), self.row)

    @cached_property
    def _tree(self) -> PreorderTree:
        return PreorderTree(self.made_preorder, self.row, self.sort_keys)

    @property
    def preorder(self) -> Any:
        """The nodes as positions."""
        return self.tree.preorder

    @property
    def row_count(self) -> int | None:
        """All nodes."""
        return self.preorder.rows if self.is_ready else None

    @property
    def root_count(self) -> int | None:
        """Nodes at the top."""
        return len(self.tree.roots()) if self.is_ready else None

    def path(self, node: int) -> Sequence[int]:
        """From the root to the node."""
        return self.tree.path(node)

    def labels(self, start: int, stop: int) -> list[str]:
        """Labels of a range of nodes."""
        numbers, texts = self._texts
        return [texts[number] for number in numbers[start:stop].tolist()]

    @cached_property
    def _texts(self) -> tuple[NDArray[Any], Sequence[str]]:
        return self.node_texts()

    # -- samples ---------------------------------------------------------------------------------------------------

    def sample_values(self) -> list[tuple[str, Unit]]:
        """What the weights of samples are."""
        return [(value.title, value.unit) for value in self.profile.values]

    def samples(self, node: int | None = None) -> Iterator[Sample]:
        """The profile as stacks, so as it is made; what passes through a node."""
        raise NotImplementedError

    # -- numbers ------------------------------------------------------------------------------------------------------

    @cached_property
    def bases(self) -> Sequence[int]:
        """What 100 % is, by value."""
        return self.profile.bases

    def share(self, place: int, weight: int) -> float:
        """A weight in percent of all rows."""
        whole = abs(self.bases[place])
        return round(100 * int(weight) / whole, 2) if whole else 0.0

    @property
    def priority(self) -> int:
        """That of the columns of other values: of two dumps that are compared both want to be seen."""
        return 4 if self.is_compared else 2

    def share_column(self, name: str, title: str, priority: int) -> Column:
        """The column of a share, with bars; of two dumps how much the one is more than the other."""
        return Column(
            name, "change %" if self.is_compared else title, "percent", width=8 + BAR, priority=priority, bar=BAR
        )

    def own_badges(self, weights: Sequence[int]) -> dict[str, Badge]:
        """Weights under the names of their values, the first one as "self", with its share."""
        first, *others = self.profile.values
        return {
            "self_percent": self.share_of(weights),
            "self": first.shown(weights[0]),
            **{value.name: value.shown(weights[place]) for place, value in enumerate(others, 1)},
        }

    def share_of(self, weights: Sequence[int]) -> float | None:
        """A share of all, in percent; of a change that of what was there before; None if nothing was."""
        if not self.is_compared:
            return self.share(0, weights[0])
        change, before, _ = weights
        return round(100 * change / abs(before), 2) if before else None

    def compared_facts(self, what: str, weights: Sequence[int]) -> list[SectionRow]:
        """Before, after and the change, with their shares, in words. weights: of change, before, after."""
        values = self.profile.values
        rows = [
            SectionRow(
                f"{what} {value.title}", f"{shown_text(value, weights[at])}, {self.share(at, weights[at]):.2f} %"
            )
            for at, value in enumerate(values)
            if at
        ]
        percent = self.share_of(weights)
        words = "" if not weights[0] else ", new" if percent is None else f", {percent:+,.1f} %"
        points = self.share(2, weights[2]) - self.share(1, weights[1])
        text = f"{shown_text(values[0], weights[0], '+')}{words}; {points:+.2f} points of its share"
        return [*rows, SectionRow(f"{what} change", text)]

    # -- REFs and keys ------------------------------------------------------------------------------------------------

    def resolve(self, ref: str) -> int:
        """The node of a REF. Raises `UnknownReference`."""
        if not self.is_ready:
            raise UnknownReference(f"{ref}: known when all traces have been read")
        kind, _, value = ref.partition(":")
        if kind == "node":
            if not value.isascii() or not value.isdigit() or len(value) > 18 or int(value) >= self.preorder.rows:
                raise UnknownReference(f"{ref}: there are {self.preorder.rows:,} nodes, counted from 0")
            return int(value)
        node = self._node_of_trace(ref) if kind in ("trace", "run") else self.named(kind, value)
        if node is None and self.preorder.rows and self.source.chosen_for(ref):
            # Of what is chosen as a whole.
            return 0
        if node is None:
            raise UnknownReference(f"{ref}: nothing of that name in {self.name}")
        return node

    def chosen_for(self, ref: str) -> Mapping[str, str]:
        """The thread or dump that a REF names; all of them for a method that isn't in those that are chosen."""
        if not self.is_ready:
            return {}
        found = self.source.chosen_for(ref)
        kind, _, name = ref.partition(":")
        if not found and kind == "method" and self.is_made and self.named(kind, name) is None:
            found = {switch.name: ALL for switch in self.switches if switch.name in ("thread", "dump")}
        there = {switch.name: switch.choices for switch in self.switches}
        return {name: choice for name, choice in found.items() if choice in there.get(name, ())}

    def named(self, kind: str, value: str) -> int | None:
        """The first node of a REF of some kind."""
        if kind in ("method", "name"):
            method = self.method_numbers.get(value)
            return None if method is None else self.find_method(method)
        return None

    def _node_of_trace(self, ref: str) -> int | None:
        trace = self.source.trace_of(ref)
        return None if trace is None else self.find_trace(trace)

    def find_trace(self, trace: int) -> int | None:
        """The node where a trace ends."""
        return None

    @cached_property
    def method_numbers(self) -> Mapping[str, int]:
        """Methods by name."""
        return {name: number for number, name in reversed(list(enumerate(self.source.methods)))}

    def key(self, node: int) -> Hashable | None:
        """The method of the node."""
        method = self.method_of_node(node)
        return None if method is None else ("method", self.source.methods[method])

    def find_key(self, key: Hashable) -> int | None:
        """The first node of a method."""
        if not self.is_ready:
            return None
        match key:
            case ("method", str(name)) if name in self.method_numbers:
                return self.find_method(self.method_numbers[name])
            case ("trace", int(trace)):
                return self.find_trace(trace)
        return None

    # -- beside a row -------------------------------------------------------------------------------------------------

    def sections(self, node: int) -> Sequence[Section]:
        """What the node weighs, and the heaviest trace through it."""
        facts = self.facts(node)
        found = [Section("", tuple(facts))] if facts else []
        trace = self.heaviest_trace(node)
        if trace is not None:
            found.append(trace_section(self.source, self.profile, *trace, self.name, bool(self.is_cut[trace[0]])))
        notes = self.source.notes(self.wanted)
        return [*found, Section("Numbers", tuple(notes))] if notes else found

    def heaviest_trace(self, node: int) -> tuple[int, int, int] | None:
        """The heaviest trace through a node, its weight, and how many there are."""
        import numpy as np

        from parsers.profile.nested import NestedStacks

        rows = self.rows_of(node)
        if not len(rows):
            return None
        weights = self.profile.weights[0][rows]
        if isinstance(self.profile.stacks, NestedStacks):
            best = int(weights.argmax())
            return int(self.profile.traces[rows[best]]), int(weights[best]), len(rows)
        traces, place = np.unique(self.profile.traces[rows], return_inverse=True)
        sums = np.zeros(len(traces), np.int64)
        np.add.at(sums, place, weights)
        best = int(sums.argmax())
        return int(traces[best]), int(sums[best]), len(traces)

    @cached_property
    def is_cut(self) -> NDArray[Any]:
        """By trace: whether its outermost frames may be missing."""
        return self.profile.cut

    def links(self, node: int) -> Sequence[Link]:
        """To the method in the other views."""
        return ()

    def references(self, node: int) -> References:
        """Where else in this view the node's thing is, the heaviest first."""
        return References(f"rows of {self.row(node).label}", self.name, self.others(node), self.rows_have_labels)

    def others(self, node: int) -> Sequence[int]:
        """The nodes of the same thing."""
        return ()

    def why(self, node: int) -> References:
        """The way to a node: from where its thread began, or from the top of its traces."""
        return References(f"the way to {self.row(node).label}", self.name, self.path(node))

    def patterns(self, node: int) -> Mapping[Subject, str]:
        """A pattern that meets all methods of the row's class."""
        method = self.method_of_node(node)
        holder = "" if method is None else holder_of(self.source.methods[method])
        return {"methods": f"{holder}.*"} if holder and "," not in holder else {}
