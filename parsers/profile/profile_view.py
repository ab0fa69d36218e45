"""What all views of profiles share: switches, patterns that fold frames, the trace beside a row, names of nodes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from parsers.java_name import class_spans, is_jdk, is_synthetic, package_end, short_class
from parsers.patterns import Patterns, Subject
from parsers.preorder import FlatPreorder, PreorderTree
from parsers.profile.source import ALL, ProfileSource, Wanted
from parsers.report import (
    Badge,
    Column,
    Link,
    Preorder,
    References,
    Row,
    Section,
    SectionRow,
    Shape,
    Span,
    Switch,
    Unit,
    UnknownReference,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parsers.export.sample import Sample
    from parsers.profile.node_filters import NodeFilters
    from parsers.profile.profile import Profile, Value

BAR = 8
"""Cells of a bar."""

SHOWN_FRAMES = 200
"""Frames of a trace that the side pane lists."""

MASKS: Mapping[str, Callable[[str], bool]] = {"jdk": is_jdk, "synthetic": is_synthetic}
"""Methods that can be left out, by the names of the filters."""

SWITCHES = {
    "weight": Switch("weight", "w", "weight", ()),
    "dump": Switch("dump", "d", "dump", ()),
    "thread": Switch("thread", "t", "thread", ()),
    "recursion": Switch("recursion", "c", "recursion", ("as recorded", "folded")),
}
"""Letters after `f`; choices are the source's."""


class ProfileView:
    """A `View` of a profile. Derived ones make a preorder, rows and columns of it."""

    shape: Shape = "tree"
    rows_have_labels = True
    """Whether rows of the same thing are told apart by their own labels; else by those above them."""
    has_headings = True
    """Its numbers don't speak for themselves, also where it is the first view."""
    orders: tuple[str, ...] = ()

    def __init__(self, source: ProfileSource, name: str, weight: str = "") -> None:
        """weight: what it shows at first, and alone if it has no switch of weights."""
        self.source = source
        self.name = name
        self._weight = weight
        self._chosen: dict[str, str] = {}
        self._folded: tuple[dict[str, str], frozenset[str]] = ({}, frozenset())

    # -- what derived views say ---------------------------------------------------------------------------------------

    def make_preorder(self) -> Preorder:
        """The nodes, for what is chosen now."""
        raise NotImplementedError

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

    @property
    def own_switches(self) -> tuple[Switch, ...]:
        """Switches of this kind of view."""
        return ()

    # -- choices ------------------------------------------------------------------------------------------------------

    @property
    def switches(self) -> tuple[Switch, ...]:
        """What can be chosen, where there is more than one thing to choose."""
        if not self.is_ready:
            return ()
        choices = {
            "weight": () if self._weight else tuple(self.source.weights),
            "dump": tuple(self.source.dumps),
            "thread": tuple(self.source.threads),
        }
        shared = [replace(SWITCHES[name], choices=each) for name, each in choices.items()]
        return (*self.own_switches, *(switch for switch in shared if len(switch.choices) > 1))

    @property
    def chosen(self) -> Mapping[str, str]:
        """What is chosen, by the name of the switch."""
        return {switch.name: self._chosen.get(switch.name, switch.choices[0]) for switch in self.switches}

    def choose(self, name: str, choice: str) -> None:
        """Makes the view in another way: its nodes are others then. Raises `KeyError` for what isn't there."""
        switch = next((each for each in self.switches if each.name == name), None)
        if switch is None or choice not in switch.choices:
            raise KeyError(f"{name} {choice}")
        if self.chosen[name] != choice:
            self._chosen[name] = choice
            self._forget()

    def fold_frames(self, patterns: Mapping[str, str], hide: Collection[str] = ()) -> bool:
        """Leaves out frames whose method is met: they count for the nearest caller that is shown. False: as it was.

        patterns  by option, as `suppress_methods`
        hide      what is left out besides: "jdk", "synthetic"
        """
        wanted = {name: value for name, value in patterns.items() if value}, frozenset(hide)
        if wanted == self._folded:
            return False
        self._folded = wanted
        self._forget()
        return True

    def _forget(self) -> None:
        """All that was worked out for other choices."""
        for name in list(self.__dict__):
            if isinstance(getattr(type(self), name, None), cached_property):
                del self.__dict__[name]

    def choice(self, name: str) -> str:
        """What is chosen of one switch; empty if there is no such one."""
        return self.chosen.get(name, "")

    @property
    def wanted(self) -> Wanted:
        """The profile that is shown."""
        chosen = self.chosen
        return Wanted(
            weight=self._weight or chosen.get("weight", ""),
            dump=chosen.get("dump", ALL),
            thread=chosen.get("thread", ALL),
        )

    @cached_property
    def profile(self) -> Profile:
        """What is merged."""
        return self.source.profile(self.wanted)

    def hidden_frames(self) -> NDArray[Any] | None:
        """By frame: whether a pattern folds it; None if none does."""
        import numpy as np

        patterns, hide = Patterns.from_options(self._folded[0]), self._folded[1]
        if not patterns and not hide:
            return None
        methods = self.source.methods
        met = np.fromiter(map(patterns.is_suppressed_method, methods), np.bool_, len(methods))
        for name, is_met in MASKS.items():
            if name in hide:
                met |= np.fromiter(map(is_met, methods), np.bool_, len(methods))
        found: NDArray[Any] = met[self.source.method_of]
        return found

    def row_filters(self) -> NodeFilters:
        """What `&` asks of the nodes in bulk, in the worker."""
        from parsers.profile.node_filters import NodeFilters

        return NodeFilters(self.preorder, *self.node_texts())

    def node_texts(self) -> tuple[NDArray[Any], Sequence[str]]:
        """By node the number of its label, and the labels."""
        raise NotImplementedError

    # -- the view -----------------------------------------------------------------------------------------------------

    @property
    def is_ready(self) -> bool:
        """All traces have to be known."""
        return self.source.is_ready

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
        return PreorderTree(self.make_preorder(), self.row, self.sort_keys)

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
        """The rows of the profile as stacks; those through a node."""
        import numpy as np

        from parsers.export.sample import Frame, Sample

        profile, source, hidden = self.profile, self.source, self.hidden_frames()
        frames: dict[int, Frame] = {}
        for row in (np.arange(len(profile.traces)) if node is None else np.sort(self.rows_of(node))).tolist():
            stack = []
            for number in profile.stacks.of(int(profile.traces[row]))[::-1].tolist():
                if hidden is not None and hidden[number]:
                    continue
                if number not in frames:
                    line = source.line(number).removeprefix(":")
                    method = source.methods[int(source.method_of[number])]
                    frames[number] = Frame(number, method, int(line) if line.isdecimal() else None)
                stack.append(frames[number])
            weights = tuple(
                int(weight[row]) / value.scale for value, weight in zip(profile.values, profile.weights, strict=True)
            )
            yield Sample(tuple(stack), weights)

    # -- numbers ------------------------------------------------------------------------------------------------------

    @cached_property
    def bases(self) -> Sequence[int]:
        """What 100 % is, by value."""
        return self.profile.bases

    def share(self, place: int, weight: int) -> float:
        """A weight in percent of all rows."""
        whole = abs(self.bases[place])
        return round(100 * int(weight) / whole, 2) if whole else 0.0

    def value_badges(self, weights: Sequence[int], prefix: str = "") -> dict[str, Badge]:
        """Weights by the names of their values."""
        return {prefix + value.name: value.shown(weights[place]) for place, value in enumerate(self.profile.values)}

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
        node = self.named(kind, value)
        if node is None:
            raise UnknownReference(f"{ref}: nothing of that name in {self.name}")
        return node

    def named(self, kind: str, value: str) -> int | None:
        """The first node of a REF of some kind."""
        if kind in ("method", "name"):
            method = self.method_numbers.get(value)
            return None if method is None else self.find_method(method)
        if kind == "trace":
            trace = self.source.trace_of(f"trace:{value}")
            return None if trace is None else self.find_trace(trace)
        return None

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
            found.append(self.trace_section(*trace))
        notes = self.source.notes(self.wanted)
        return [*found, Section("Numbers", tuple(notes))] if notes else found

    def heaviest_trace(self, node: int) -> tuple[int, int, int] | None:
        """The heaviest trace through a node, its weight, and how many there are."""
        import numpy as np

        rows = self.rows_of(node)
        if not len(rows):
            return None
        weights = self.profile.weights[0][rows]
        traces, place = np.unique(self.profile.traces[rows], return_inverse=True)
        sums = np.zeros(len(traces), np.int64)
        np.add.at(sums, place, weights)
        best = int(sums.argmax())
        return int(traces[best]), int(sums[best]), len(traces)

    def trace_section(self, trace: int, weight: int, count: int) -> Section:
        """A trace: its frames are links to all that passes through their methods."""
        value = self.profile.values[0]
        frames = self.profile.stacks.of(trace)
        title = f"{self.source.trace_title(trace)}  {shown_text(value, weight)}"
        rows = [
            SectionRow(
                f"{place:>2} {short_method(method)}",
                ref=f"method:{method}",
                view=self.name,
                badges={"line": self.source.line(int(frame)) or None},
            )
            for place, frame in enumerate(frames[:SHOWN_FRAMES].tolist())
            for method in [self.source.methods[int(self.source.method_of[frame])]]
        ]
        if not len(frames):
            rows.append(SectionRow("no frames were recorded"))
        if self.is_cut[trace]:
            rows.append(SectionRow(f"cut at depth {len(frames)}: callers unknown"))
        if count > 1:
            rows.append(SectionRow(f"the heaviest of {count:,} traces through this row"))
        return Section(title, tuple(rows), max(0, len(frames) - SHOWN_FRAMES))

    @cached_property
    def is_cut(self) -> NDArray[Any]:
        """By trace: whether its outermost frames may be missing."""
        from parsers.profile.stacks import cut_traces

        return cut_traces(self.profile.stacks, self.profile.method_of)

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


def shown_text(value: Value, weight: int) -> str:
    """A weight with its unit, for people."""
    shown = value.shown(weight)
    number = f"{shown:,}" if isinstance(shown, int) else f"{shown:,.1f}"
    return f"{number} {value.title if value.unit == 'count' else value.unit}"


def short_method(method: str) -> str:
    """`Class.method` without the package."""
    holder = holder_of(method)
    return method[len(holder) - len(short_class(holder)) :]


def holder_of(method: str) -> str:
    """The class of `class.method`."""
    return method.rpartition(".")[0]


def package_of(holder: str) -> str:
    """The package of a class; empty: the default one."""
    return holder[: max(package_end(holder), 0)]


def method_spans(method: str) -> tuple[Span, ...]:
    """The parts of `class.method`, perhaps with more behind it."""
    name_end = next((place for place, letter in enumerate(method) if letter in " :"), len(method))
    dot = method.rfind(".", 0, name_end)
    if dot < 0:
        return (Span(0, name_end, "name"),)
    return (*class_spans(method[:dot]), Span(dot + 1, name_end, "name"))
