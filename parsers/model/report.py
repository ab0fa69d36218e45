"""The one vocabulary that every format speaks and every front end reads.

A `Report` is one opened run. It has `View`s; a view has a `Tree`; a tree hands out `Row`s one at a time, and `Children`
as sequences that build nothing until they are asked. Everything here is lazy: whatever a report holds, only the rows
that are shown exist as objects. Nothing in this module reads a file or knows a format or a screen.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

from parsers.model.value import value_class

if TYPE_CHECKING:
    from parsers.model.preparation import Preparation

Unit = Literal["count", "bytes", "percent", "ns", "ms", "s", "ticks", "text", "count/s", "bytes/s"]
Shape = Literal["tree", "table", "flame", "chart", "timeline"]
Badge = int | float | str | None

FLAGS = (
    "suppressed",
    "empty",
    "unknown",
    "repaired",
    "damaged",
    "dangling",
    "recursive",
    "truncated",
    "partial",
)
"""Everything a row's `flags` may hold."""


class ReportError(Exception):
    """A report can't be opened: its one-line text names the file, what is wrong and what would be accepted."""


class UnknownReference(LookupError):
    """No node has this REF, or its form is not known; the text says which."""


class StrangeReference(UnknownReference):
    """The view that was asked has no REFs of that kind at all: another one may know better."""


@value_class
class Span:
    """A piece of a label and what it is, so that a screen can dim or shorten it.

    start, end: characters of the label, half open. role: "loader", "package", "class", "name" (of a method or field),
    "argument" (its package part is a span of its own with role "argument package"), "result" (and "result package"),
    "index", "place" (where a method is called, behind it), or "text". What no span covers is plain text.
    """

    start: int
    end: int
    role: str


@value_class
class Row:
    """What one line shows of one node. Texts are as in the file: decoded, not yet safe for a terminal."""

    node: int
    kind: str
    label: str
    depth: int = 0
    badges: Mapping[str, Badge] = field(default_factory=dict)
    """By column or badge name; a missing one is not there at all."""
    flags: tuple[str, ...] = ()
    ref: str = ""
    """The REF that finds this node again in any opening of the same report."""
    line: int | None = None
    offset: int | None = None
    """Byte offset of the line in the unpacked file."""
    rows_below: int | None = None
    """Rows in the whole subtree; None while unknown or without end."""
    is_growing: bool = False
    """Whether `rows_below` may still rise because the index is being built."""
    has_children: bool = False
    link: str | None = None
    """The REF that Enter jumps to."""
    spans: tuple[Span, ...] = ()
    bars: Mapping[str, float] = field(default_factory=dict)
    """Lengths of bars by column name, as shares of the longest: 0 to 1."""
    look: str = ""
    """The kind whose mark the row has, where that is another than its own."""


@value_class
class Kind:
    """How a kind of row is marked on the screen: one cell, and one ASCII cell, and the words for help."""

    name: str
    mark: str
    ascii: str
    title: str


@value_class
class Column:
    """A number or short text at the right edge of a row.

    `badges` are tried in order, each with the sign that stands before its value: (("id", "#"), ("id_ref", "↩")).
    The name "rows_below" stands for the row's own field. `width` is in cells, final from the start. Columns with a high
    `priority` stay longest when the window is narrow.
    """

    name: str
    title: str
    unit: Unit = "count"
    badges: tuple[tuple[str, str], ...] = ()
    width: int = 9
    priority: int = 0
    adds_up: bool = False
    bar: int = 0
    """Cells of `width`, at its right, for a bar behind the number; its length is in the row's `bars`."""
    tells: bool = False
    """Whether its text stands behind the label where there is no room for the column."""


def value_in(row: Row, column: Column) -> Badge:
    """What a row has in a column, a plain number or text: of several badges the first that it has."""
    for badge, _ in column.badges or ((column.name, ""),):
        if badge == "rows_below":
            return row.rows_below
        if badge in row.badges:
            return row.badges[badge]
    return None


@value_class
class Problem:
    """Something in a file that was not as it should be. Never an exception."""

    kind: str
    what: str
    done: str
    """What was done about it."""
    file: str = ""
    offset: int | None = None
    line: int | None = None


@value_class
class Link:
    """A way from a node to another node: what to call it, where it leads, in which view (None: the default one)."""

    label: str
    ref: str
    view: str | None = None
    report: str = ""
    """The file of another report, where the REF is one of that."""


@value_class
class SectionRow:
    """One line of a side pane: a name, a text, and perhaps a REF that Enter follows."""

    label: str
    text: str = ""
    ref: str | None = None
    view: str | None = None
    badges: Mapping[str, Badge] = field(default_factory=dict)


@value_class
class Chart:
    """How a number went, in steps of equal length; `first` and `last` say where it begins and ends, as texts."""

    values: tuple[float, ...]
    unit: Unit = "count"
    first: str = ""
    last: str = ""


@value_class
class Section:
    """What a side pane shows of the selected node: a chart, then rows. `more` is how many rows were left out."""

    title: str
    rows: tuple[SectionRow, ...]
    more: int = 0
    chart: Chart | None = None


@value_class
class Progress:
    """How far the index is. `total` is bytes of the (unpacked) file as known now."""

    done: int
    total: int
    rows: int
    seconds: float
    state: Literal["waiting", "unpacking", "indexing", "stopped", "ready", "failed"]
    says: str = ""
    stage: str = ""
    """Of an index that is built in stages, each of which is of use as soon as it is whole: the one that is made now."""
    share: float = 0.0
    """How much of that is done."""

    @property
    def bytes_per_second(self) -> float:
        """Rate so far; 0 before anything was read."""
        return self.done / self.seconds if self.seconds > 0 else 0.0


@runtime_checkable
class Preorder(Protocol):
    """A tree as positions in document order: 0 … rows-1. Positions are the tree's nodes.

    It may grow while the index does; what is there never changes, but for the end of subtrees that are still open.
    Depths are uint16 in native order; deeper rows count as 65,535 deep.
    """

    @property
    def rows(self) -> int:
        """How many positions are known now."""
        ...

    @property
    def is_complete(self) -> bool:
        """Whether `rows` is final."""
        ...

    def depth(self, node: int) -> int:
        """Depth of a position; roots have 0."""
        ...

    def depths(self, start: int, stop: int) -> memoryview:
        """The depths of a range: a memoryview of format "H", without copying where that can be."""
        ...

    def end(self, node: int) -> int:
        """First position after the subtree; `rows` while the subtree is still open."""
        ...

    def parent(self, node: int) -> int | None:
        """The nearest earlier position of smaller depth; None for a root."""
        ...


@runtime_checkable
class CountedPreorder(Preorder, Protocol):
    """A preorder that can tell how many rows are no deeper than a cap without looking at each."""

    def shown(self, start: int, stop: int, cap: int) -> int:
        """How many of a range are."""
        ...

    def nth_shown(self, start: int, cap: int, index: int) -> int:
        """The row from `start` on that has `index` such rows before it. There must be more of them."""
        ...


class Tree(Protocol):
    """Nodes are small integers. `order` is a sort key of the view; None is document order."""

    @property
    def preorder(self) -> Preorder | None:
        """The tree as positions, or None if it unfolds a graph."""
        ...

    def roots(self, order: str | None = None) -> Sequence[int]:
        """The nodes without parent; `len` and items are cheap."""
        ...

    def children(self, node: int, order: str | None = None) -> Sequence[int]:
        """The children of a node; `len` and items are cheap even for a million."""
        ...

    def has_children(self, node: int) -> bool:
        """Whether opening the node would show anything."""
        ...

    def parent(self, node: int) -> int | None:
        """The node above; None for a root."""
        ...

    def row(self, node: int) -> Row:
        """What the line of this node shows."""
        ...


@value_class
class References:
    """Everything that points to a thing: `nodes` of the view `view`, built on demand like children."""

    title: str
    view: str
    nodes: Sequence[int]
    have_labels: bool = False
    """Whether their own labels tell them apart; else the rows that they stand in do."""
    goes_on: bool = False
    """Of a way: whether what lies below its node are the steps of several, towards the roots."""


@value_class
class Switch:
    """A choice of how a view is made: `f` and the letter goes to the next one.

    After `choose` of a view its nodes are others, see `parsers.model.capabilities.HasSwitches`.
    """

    name: str
    letter: str
    title: str
    choices: tuple[str, ...]
    """The first one is how the view is at first."""
    typed: str = ""
    """What may be typed in place of a choice, as help calls it; empty: nothing. See `SwitchableView.meant`."""


class View(Protocol):
    """One way to look at a report. `parsers.views.base.ViewBase` has neutral answers to all that not every view has.

    What only some views can do is a protocol of `parsers.model.capabilities`.
    """

    name: str
    shape: Shape
    columns: tuple[Column, ...]
    orders: tuple[str, ...]
    """Sort keys beside document order: names of columns."""

    @property
    def tree(self) -> Tree:
        """The nodes of this view."""
        ...

    @property
    def is_ready(self) -> bool:
        """Whether the view can be shown now; some need the finished index."""
        ...

    @property
    def row_count(self) -> int | None:
        """Rows of the whole view; None where it unfolds without end."""
        ...

    @property
    def root_count(self) -> int | None:
        """Roots of the view; None while unknown."""
        ...

    def resolve(self, ref: str) -> int:
        """The node of a REF. Raises `UnknownReference`."""
        ...

    def key(self, node: int) -> Hashable | None:
        """What makes this node the same thing in another view."""
        ...

    def find_key(self, key: Hashable) -> int | None:
        """The node of that thing here, if it has one."""
        ...

    def sections(self, node: int) -> Sequence[Section]:
        """What the side pane shows."""
        ...

    def links(self, node: int) -> Sequence[Link]:
        """All ways from this node."""
        ...

    def references(self, node: int) -> References:
        """Everything that points to what this row shows or refers to."""
        ...

    def path(self, node: int) -> Sequence[int]:
        """From the root to the node, both included."""
        ...

    def resolve_all(self, ref: str) -> Sequence[int]:
        """All nodes of a REF, at least one. Raises `UnknownReference`."""
        ...

    def remark(self, row: Row) -> str:
        """Text that a wide screen shows behind the label of a row."""
        ...

    # -- how the view is made -----------------------------------------------------------------------------------------

    @property
    def switches(self) -> tuple[Switch, ...]:
        """Choices of how the view is made. A view that has any is a `HasSwitches`."""
        ...

    @property
    def chosen(self) -> Mapping[str, str]:
        """The choice of each switch, by its name."""
        ...

    def chosen_for(self, ref: str) -> Mapping[str, str]:
        """The choices, by switch, with which the view contains what a REF names."""
        ...

    @property
    def is_made(self) -> bool:
        """False if the next access to rows would take longer than a key may wait."""
        ...

    def preparation(self) -> Preparation | None:
        """Work to be done in a thread before there are rows; None if there is none, or it is under way."""
        ...

    @property
    def waits_for(self) -> str:
        """What has to finish before the view is ready, in words; empty: the index."""
        ...

    @property
    def partial(self) -> str:
        """How much of the file the rows are made of; empty: all of it."""
        ...

    def renew(self) -> Callable[[int], int | None] | None:
        """Takes in what the index knows now.

        Returns a function from nodes before to nodes now (None: the row is gone), or None if all nodes are as before.
        """
        ...

    # -- how the view is shown ----------------------------------------------------------------------------------------

    @property
    def note(self) -> str:
        """A remark about all rows, shown when the view is opened."""
        ...

    @property
    def empty_because(self) -> str:
        """Why a view that is ready has no rows; empty: unknown."""
        ...

    @property
    def estimated(self) -> str:
        """Why the bytes in the rows are estimates; empty: they are exact, or there are none."""
        ...

    @property
    def closes(self) -> str:
        """Which rows are closed until they are opened by hand, in words; empty: none."""
        ...

    @property
    def commands(self) -> tuple[tuple[str, str], ...]:
        """Names of commands that the key line lists for this view, each with its label."""
        ...

    @property
    def starts_closed(self) -> bool:
        """True if only the roots are shown at first."""
        ...

    @property
    def first_depth(self) -> int | None:
        """Depth down to which rows are open at first; None: as `starts_closed` says."""
        ...

    @property
    def has_headings(self) -> bool | None:
        """True if columns have headings on the screen; None: unless it is the first view of its report."""
        ...

    @property
    def is_ranking(self) -> bool:
        """True if the first row is the answer, so that a cursor that finds no row of its own goes there."""
        ...

    @property
    def searches_labels(self) -> bool:
        """True if a search looks at labels, as these differ from the text of the file."""
        ...

    def standing(self, node: int) -> str:
        """Position of a node, for the status line."""
        ...


@value_class
class Action:
    """What a report that is still being written lets its user ask of who writes it."""

    name: str
    title: str
    asks: str = ""
    """Why to ask first, as a whole sentence; empty: it does no harm."""
    argument: str = ""
    """What may be typed behind the name, as help calls it; empty: nothing."""
    default: str = ""
    """The argument where nothing is typed."""


@runtime_checkable
class Charted(Protocol):
    """What a view of shape "chart" has beside its rows, which are the points of the axis: lines over that."""

    @property
    def axis(self) -> Column:
        """What goes from left to right; its numbers never fall from one node to the next."""
        ...

    @property
    def series(self) -> tuple[Column, ...]:
        """The lines. Those of one unit share a picture."""
        ...

    def numbers(self, column: Column) -> Sequence[float]:
        """Those of the axis or of a line, by node; NaN where a line has none."""
        ...


class Report(Protocol):
    """One opened run. Opening reads the head of the file only; `follow` picks up what the index has since."""

    format: str
    format_title: str
    title: str
    kinds: Mapping[str, Kind]
    views: Sequence[View]
    """The first one is the default."""

    @property
    def format_version(self) -> str | None:
        """As concluded from the lines; None while unknown."""
        ...

    @property
    def encoding(self) -> str: ...

    @property
    def line_end(self) -> str: ...

    @property
    def size(self) -> int:
        """Bytes of the unpacked file."""
        ...

    @property
    def files(self) -> Sequence[str]: ...

    @property
    def facts(self) -> Mapping[str, Any]: ...

    @property
    def totals(self) -> Mapping[str, Any]:
        """Every count of the format page; empty until the index is finished."""
        ...

    @property
    def problems(self) -> Sequence[Problem]: ...

    @property
    def problem_count(self) -> int: ...

    @property
    def progress(self) -> Progress: ...

    @property
    def is_complete(self) -> bool:
        """Whether the index is finished: no number is provisional any more."""
        ...

    def view(self, name: str) -> View:
        """The view of that name, in any case. Raises `KeyError`."""
        ...

    def start_index(self) -> None:
        """Begin building the index in a child process, unless a valid one is there."""
        ...

    def fileno(self) -> int | None:
        """A descriptor that gets readable when `follow` has news; None when there is no child."""
        ...

    def follow(self) -> bool:
        """Take in what the index child has published since; True if anything changed. Never waits."""
        ...

    def wait(self, progress: Any = None) -> None:
        """Wait until the index is finished, calling `progress(Progress)` now and then. Raises `ReportError`."""
        ...

    def locate(self, ref: str, view: str | None = None) -> tuple[View, int]:
        """View and node of a REF: in the view named, else in the first one with such things.

        Raises `UnknownReference`.
        """
        ...

    def why(self, view: str, node: int) -> Sequence[int]:
        """The shortest way from a root to what `node` of `view` shows, as nodes of the first view, root first."""
        ...

    def close(self) -> None:
        """Stop the child, close the files."""
        ...


@runtime_checkable
class Document(Protocol):
    """A view whose rows are lines of the file, in its order: where text search finds and problems lie."""

    def node_at(self, offset: int) -> int | None:
        """The row whose line, or continuation line, holds this byte; None before the first row."""
        ...


@runtime_checkable
class HasNames(Protocol):
    """A report whose things have names that can be searched without reading the file."""

    @property
    def names(self) -> Sequence[bytes]:
        """The unique names as bytes of the file; empty until the index is finished."""
        ...

    def name_count(self, name: int) -> int:
        """How many rows show or refer to things of that name."""
        ...

    def name_nodes(self, name: int) -> Sequence[int]:
        """One node for each thing of that name: its declaration, else its first row.

        Of the default view, or of the one that `name_view(name)` says where a report has that.
        """
        ...


@runtime_checkable
class HasActions(Protocol):
    """A report that may still be written by somebody who can be asked for things."""

    @property
    def actions(self) -> Sequence[Action]:
        """What can be asked for now; empty for a file that nobody writes."""
        ...

    def act(self, name: str, text: str = "", confirmed: bool = False) -> str:
        """Ask for what has that name, with an argument; what to say then.

        confirmed  whether the user has agreed to what the action `asks`
        Raises `ReportError` for what can't be asked, and for what needs to be confirmed and is not.
        """
        ...


@runtime_checkable
class HasRuns(Protocol):
    """A report of a file that may hold several runs, of which it shows one."""

    @property
    def run_paths(self) -> Sequence[str]:
        """What opens each of them, in the order of the file; empty where there is one."""
        ...


def walk(
    tree: Tree, start: int | None = None, depth: int | None = None, order: str | None = None
) -> Iterator[tuple[int, int]]:
    """Nodes with their depth below the start; without recursion, to any depth.

    `start` None: all roots. `depth` bounds how many levels below the start are entered; None is all. `order` None: as
    in the document.
    """
    stack: list[tuple[Iterator[int], int]] = [(iter(tree.roots(order) if start is None else (start,)), 0)]
    while stack:
        nodes, level = stack[-1]
        node = next(nodes, None)
        if node is None:
            stack.pop()
            continue
        yield node, level
        if (depth is None or level < depth) and tree.has_children(node):
            stack.append((iter(tree.children(node, order)), level + 1))
