"""Base class of views of profiles: tree, REFs and keys, numbers, samples, side pane."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from parsers.model.names.patterns import Subject, methods_pattern
from parsers.model.names.ref_number import numbered_node
from parsers.model.row import Badge, Column, Section, SectionRow, Unit
from parsers.model.view import References, StrangeReference, UnknownReference
from parsers.profile.merge import sums_of
from parsers.profile.method_name import holder_of
from parsers.profile.nested import NestedStacks
from parsers.profile.source import ALL, ProfileSource
from parsers.profile.views.choices import ProfileChoices
from parsers.profile.views.count_text import shown_text
from parsers.profile.views.trace_section import trace_section
from parsers.query.selection.method_filters import MethodFilters
from parsers.views.positions_view import PositionsView

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray, BoolArray
    from parsers.model.trees.tree import Preorder
    from parsers.reporting.export.sample import Sample

BAR = 8
"""Width of a bar in cells."""


class ProfileView(ProfileChoices, PositionsView):
    """A `View` of a profile. Derived views define preorder, rows and columns."""

    rows_have_labels = True
    """True if rows of the same subject are distinguished by their labels; False: by their parents."""

    def __init__(self, source: ProfileSource, name: str, weight: str = "") -> None:
        """weight: the weight shown at first; the only one if the view has no switch of weights"""
        super().__init__(source, weight)
        self.name = name

    # -- for derived views --------------------------------------------------------------------------------------------

    def rows_of(self, node: int) -> AnyArray:
        """Returns the rows of the profile through a node."""
        raise NotImplementedError

    def method_of_node(self, node: int) -> int | None:
        """Returns the method of a node."""
        return None

    def find_method(self, method: int) -> int | None:
        """Returns the first node of a method."""
        return None

    def facts(self, node: int) -> Sequence[SectionRow]:
        """Returns the facts in the side pane above the trace."""
        return ()

    def row_filters(self) -> MethodFilters:
        """Returns the filters over all nodes for `&`, in the worker."""
        return MethodFilters(self, *self.node_texts())

    def node_texts(self) -> tuple[AnyArray, Sequence[str]]:
        """Returns by node the number of its label, and the labels."""
        raise NotImplementedError

    # -- the view -----------------------------------------------------------------------------------------------------

    @property
    def is_ready(self) -> bool:
        """True if all traces are known, and no computation is running."""
        return self.source.is_ready and not self._is_merging

    @property
    def columns(self) -> tuple[Column, ...]:
        """Columns of the values of the profile."""
        return ()

    @property
    def rows(self) -> Preorder:
        """The nodes as a preorder."""
        return self.computed_preorder

    @property
    def preorder(self) -> Preorder:
        """The nodes as a preorder; empty before the view is ready."""
        return self.tree.preorder

    def labels(self, start: int, stop: int) -> list[str]:
        """Returns labels of a range of nodes."""
        numbers, texts = self._texts
        return [texts[number] for number in numbers[start:stop].tolist()]

    @cached_property
    def _texts(self) -> tuple[AnyArray, Sequence[str]]:
        return self.node_texts()

    # -- samples ---------------------------------------------------------------------------------------------------

    def sample_values(self) -> list[tuple[str, Unit]]:
        """Returns titles and units of the weights of samples."""
        return [(value.title, value.unit) for value in self.profile.values]

    def samples(self, node: int | None = None) -> Iterator[Sample]:
        """Yields the profile as stacks, as it is shown; those through a node."""
        raise NotImplementedError

    # -- numbers ------------------------------------------------------------------------------------------------------

    @cached_property
    def bases(self) -> Sequence[int]:
        """100 % of each value."""
        return self.profile.bases

    def share(self, place: int, weight: int) -> float:
        """Returns a weight in percent of all rows."""
        whole = abs(self.bases[place])
        return round(100 * int(weight) / whole, 2) if whole else 0.0

    @property
    def priority(self) -> int:
        """Priority of the columns of other values: of two compared dumps both should be visible."""
        return 4 if self.is_compared else 2

    def weight_row(self, label: str, weight: int, place: int = 0) -> SectionRow:
        """Returns a weight with its share, as text. place: number of its value"""
        text = shown_text(self.profile.values[place], weight)
        return SectionRow(label, f"{text}, {self.share(place, weight):.2f} %")

    def share_column(self, name: str, title: str) -> Column:
        """Returns the column of a share, with bars; for two dumps the relative change."""
        title = "change %" if self.is_compared else title
        return Column(name, title, "percent", width=8 + BAR, priority=6, bar=BAR)

    def own_badges(self, weights: Sequence[int]) -> dict[str, Badge]:
        """Returns weights by names of their values, the first one as "self", with its share."""
        first, *others = self.profile.values
        return {
            "self_percent": self.share_of(weights),
            "self": first.shown(weights[0]),
            **{value.name: value.shown(weights[place]) for place, value in enumerate(others, 1)},
        }

    def share_of(self, weights: Sequence[int]) -> float | None:
        """Returns a share in percent; for a change relative to the old weight; None if that is 0."""
        if not self.is_compared:
            return self.share(0, weights[0])
        change, before, _ = weights
        return round(100 * change / abs(before), 2) if before else None

    def compared_facts(self, what: str, weights: Sequence[int]) -> list[SectionRow]:
        """Returns before, after and the change, with their shares, as text. weights: of change, before, after"""
        values = self.profile.values
        rows = [
            self.weight_row(f"{what} {values[place].title}", weights[place], place) for place in range(1, len(values))
        ]
        percent = self.share_of(weights)
        words = "" if not weights[0] else ", new" if percent is None else f", {percent:+,.1f} %"
        points = self.share(2, weights[2]) - self.share(1, weights[1])
        text = f"{shown_text(values[0], weights[0], '+')}{words}; {points:+.2f} points of its share"
        return [*rows, SectionRow(f"{what} change", text)]

    # -- REFs and keys ------------------------------------------------------------------------------------------------

    def resolve(self, ref: str) -> int:
        """Returns the node of a REF. Raises `UnknownReference`."""
        if not self.is_ready:
            raise UnknownReference(f"{ref}: known when all traces have been read")
        numbered = numbered_node(ref, self.preorder.rows)
        if numbered is not None:
            return numbered
        kind, _, value = ref.partition(":")
        node = self._node_of_trace(ref) if kind in ("trace", "run", "stack") else self.named(kind, value)
        if node is None and self.preorder.rows and self.source.chosen_for(ref):
            # The REF names the chosen thread or dump itself.
            return 0
        if node is None:
            what = "no stacks of this thread" if kind == "thread" else "nothing of that name"
            raise StrangeReference(f"{ref}: {what} in {self.name}")
        return node

    def chosen_for(self, ref: str) -> Mapping[str, str]:
        """Returns the thread or dump of a REF; all of them for a method that isn't in the chosen ones."""
        if not self.is_ready:
            return {}
        found = self.source.chosen_for(ref)
        if "weight" in found and self.is_prepared and self._has_now(ref, found):
            found = {name: choice for name, choice in found.items() if name == "thread" and choice != ALL}
        kind, _, name = ref.partition(":")
        if not found and kind == "method" and self.is_prepared and self.named(kind, name) is None:
            found = {switch.name: ALL for switch in self.switches if switch.name in ("thread", "dump")}
        there = {switch.name: switch.choices for switch in self.switches}
        return {name: choice for name, choice in found.items() if choice in there.get(name, ())}

    def _has_now(self, ref: str, found: Mapping[str, str]) -> bool:
        """True if a trace, or the rows of a thread, have the weight that is shown."""
        if found.get("thread", ALL) == ALL:
            return self._node_of_trace(ref) is not None
        return bool(len(self.source.profile(replace(self.wanted, thread=found["thread"])).traces))

    def named(self, kind: str, value: str) -> int | None:
        """Returns the first node of a REF of a kind."""
        if kind in ("method", "name"):
            method = self.method_numbers.get(value)
            return None if method is None else self.find_method(method)
        return None

    def _node_of_trace(self, ref: str) -> int | None:
        trace = self.source.trace_of(ref)
        return None if trace is None else self.find_trace(trace)

    def find_trace(self, trace: int) -> int | None:
        """Returns the node where a trace ends."""
        return None

    @cached_property
    def method_numbers(self) -> Mapping[str, int]:
        """Numbers of methods by name."""
        return {name: number for number, name in reversed(list(enumerate(self.source.methods)))}

    def key(self, node: int) -> Hashable | None:
        """Returns the key of the node's method."""
        method = self.method_of_node(node)
        return None if method is None else ("method", self.source.methods[method])

    def find_key(self, key: Hashable) -> int | None:
        """Returns the first node of a method."""
        if not self.is_ready:
            return None
        match key:
            case ("method", str(name)) if name in self.method_numbers:
                return self.find_method(self.method_numbers[name])
            case ("trace", int(trace)):
                return self.find_trace(trace)
        return None

    # -- side pane ----------------------------------------------------------------------------------------------------

    def sections(self, node: int) -> Sequence[Section]:
        """Returns the weights of the node, and the heaviest trace through it."""
        facts = self.facts(node)
        found = [Section("", tuple(facts))] if facts else []
        trace = self.heaviest_trace(node)
        if trace is not None:
            found.append(trace_section(self.source, self.profile, *trace, self.name, bool(self.is_cut[trace[0]])))
        notes = self.source.notes(self.wanted)
        return [*found, Section("Numbers", tuple(notes))] if notes else found

    def heaviest_trace(self, node: int) -> tuple[int, int, int] | None:
        """Returns the heaviest trace through a node, its weight, and the number of traces."""
        rows = self.rows_of(node)
        if not len(rows):
            return None
        weights = self.profile.weights[0][rows]
        if isinstance(self.profile.stacks, NestedStacks):
            best = int(weights.argmax())
            return int(self.profile.traces[rows[best]]), int(weights[best]), len(rows)
        traces, place = np.unique(self.profile.traces[rows], return_inverse=True)
        sums = sums_of([weights], place, len(traces))[0]
        best = int(sums.argmax())
        return int(traces[best]), int(sums[best]), len(traces)

    @cached_property
    def is_cut(self) -> BoolArray:
        """By trace: True if its outermost frames may be missing."""
        return self.profile.cut

    def references(self, node: int) -> References:
        """Returns other nodes of the same subject in this view, the heaviest first."""
        return References(f"rows of {self.row(node).label}", self.name, self.others(node), self.rows_have_labels)

    def others(self, node: int) -> Sequence[int]:
        """Returns the nodes of the same subject."""
        return ()

    def why(self, node: int) -> References:
        """Returns the path to a node: from the thread's entry, or from the top of its traces."""
        return References(f"the path to {self.row(node).label}", self.name, self.path(node))

    def patterns(self, node: int) -> Mapping[Subject, str]:
        """Returns a pattern that matches all methods of the row's class."""
        method = self.method_of_node(node)
        holder = "" if method is None else holder_of(self.source.methods[method])
        return methods_pattern(holder)
