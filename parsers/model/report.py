"""The interfaces and values that all formats and all front ends share.

A `Report` is one opened run. It has `View`s, a view has a `Tree`, and a tree returns `Row`s one at a time. Everything
is lazy: only rows that are shown exist as objects, and sequences of children compute their items on access. Nothing in
this module reads a file or knows a format or a screen.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

from parsers.model.value import value_class

if TYPE_CHECKING:
    from parsers.model.names.patterns import Subject
    from parsers.model.preparation import Preparation
    from parsers.model.tables.table import Tables

Unit = Literal["count", "bytes", "percent", "ns", "ms", "s", "ticks", "text", "count/s", "bytes/s", "number"]
"""Units of numbers. "number": of unknown unit and size, with as many digits as it takes."""
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
"""All values that the `flags` of a row may contain."""


class ReportError(Exception):
    """A report can't be opened. The one-line text names the file, what is wrong and what would be accepted."""


class UnknownReference(LookupError):
    """No node has this REF, or its form is unknown; the text says which."""


class StrangeReference(UnknownReference):
    """The view has no REFs of this kind at all; another view may have it."""


@value_class
class Span:
    """A part of a label and its role, by which a screen dims or shortens it.

    start, end: characters of the label, half open. role: "loader", "package", "class", "name" (of a method or field),
    "argument" (its package part is a span of its own with role "argument package"), "result" (and "result package"),
    "index", "place" (call site, after the method), or "text". Text without a span is plain.
    """

    start: int
    end: int
    role: str


@value_class
class Row:
    """Contents of the line of one node. Texts are as in the file: decoded, not yet safe for a terminal."""

    node: int
    kind: str
    label: str
    depth: int = 0
    badges: Mapping[str, Badge] = field(default_factory=dict)
    """By column or badge name; absent values have no entry."""
    flags: tuple[str, ...] = ()
    ref: str = ""
    """The REF that identifies this node in any opening of the same report."""
    line: int | None = None
    offset: int | None = None
    """Byte offset of the line in the unpacked file."""
    rows_below: int | None = None
    """Rows in the whole subtree; None while unknown or if unbounded."""
    is_growing: bool = False
    """True if `rows_below` may still rise because the index is being built."""
    has_children: bool = False
    link: str | None = None
    """The REF that Enter jumps to."""
    spans: tuple[Span, ...] = ()
    bars: Mapping[str, float] = field(default_factory=dict)
    """Lengths of bars by column name, as shares of the longest: 0 to 1."""
    look: str = ""
    """The kind whose mark the row shows, if it is not its own."""


@value_class
class Kind:
    """Marks of a kind of row on the screen (one cell, and one ASCII cell), and its title in help."""

    name: str
    mark: str
    ascii: str
    title: str


@value_class
class Column:
    """A number or short text at the right edge of a row.

    `badges` are tried in order, each with the sign before its value: (("id", "#"), ("id_ref", "↩")). The name
    "rows_below" means the row's own field. `width` is in cells and never changes. Columns with a high `priority` are
    the last to be dropped when the window is narrow.
    """

    name: str
    title: str
    unit: Unit = "count"
    badges: tuple[tuple[str, str], ...] = ()
    width: int = 9
    priority: int = 0
    adds_up: bool = False
    bar: int = 0
    """Cells of `width`, at its right, for a bar after the number; its length is in the row's `bars`."""
    shows_text: bool = False
    """True if its text is shown after the label when the column does not fit."""
    heading: str = ""
    """Text over the column, if not the title: it explains the signs before values. Rules name the title."""


def value_in(row: Row, column: Column) -> Badge:
    """Returns the value of a row in a column, a number or text: that of the first of its badges in the row."""
    for badge, _ in column.badges or ((column.name, ""),):
        if badge == "rows_below":
            return row.rows_below
        if badge in row.badges:
            return row.badges[badge]
    return None


def counted(count: Any, noun: str) -> str:
    """Returns a number with its noun: `1 sample`, `2,000 samples`, `2 classes`, `2 entries`. noun: the singular."""
    if count == 1:
        return f"1 {noun}"
    if noun.endswith(("s", "x", "ch")):
        return f"{count:,} {noun}es"
    return f"{count:,} {noun.removesuffix('y')}ies" if noun.endswith("ry") else f"{count:,} {noun}s"


@value_class
class Problem:
    """Damage or an oddity in a file. Never an exception."""

    kind: str
    what: str
    done: str
    """The reader's response to it."""
    file: str = ""
    offset: int | None = None
    line: int | None = None


@value_class
class Link:
    """A link from a node to another node: label, target REF, and view (None: the default one)."""

    label: str
    ref: str
    view: str | None = None
    report: str = ""
    """The file of another report, if the REF belongs to that."""


@value_class
class SectionRow:
    """One line of a side pane: a name, a text, and optionally a REF that Enter follows."""

    label: str
    text: str = ""
    ref: str | None = None
    view: str | None = None
    badges: Mapping[str, Badge] = field(default_factory=dict)


@value_class
class Chart:
    """A number over time, in steps of equal length; `first` and `last` label both ends."""

    values: tuple[float, ...]
    unit: Unit = "count"
    first: str = ""
    last: str = ""


@value_class
class Section:
    """A block of the side pane: a chart, then rows. `more` is the number of rows left out."""

    title: str
    rows: tuple[SectionRow, ...]
    more: int = 0
    chart: Chart | None = None


@value_class
class Progress:
    """Progress of the index. `total` is bytes of the (unpacked) file as known now."""

    done: int
    total: int
    rows: int
    seconds: float
    state: Literal["waiting", "unpacking", "indexing", "stopped", "ready", "failed"]
    says: str = ""
    stage: str = ""
    """The stage being built, if the index is built in stages, each of which is usable once it is finished."""
    share: float = 0.0
    """Finished share of that stage."""

    @property
    def bytes_per_second(self) -> float:
        """Rate so far; 0 before anything was read."""
        return self.done / self.seconds if self.seconds > 0 else 0.0


@runtime_checkable
class Preorder(Protocol):
    """A tree as positions in document order: 0 … rows-1. Positions are the tree's nodes.

    It may grow with the index. Known rows never change, except for the end of subtrees that are still open. Depths are
    uint16 in native order; deeper rows have depth 65,535.
    """

    @property
    def rows(self) -> int:
        """Number of positions known now."""
        ...

    @property
    def is_complete(self) -> bool:
        """True if `rows` is final."""
        ...

    def depth(self, node: int) -> int:
        """Depth of a position; roots have 0."""
        ...

    def depths(self, start: int, stop: int) -> memoryview:
        """Depths of a range: a memoryview of format "H", not copied where possible."""
        ...

    def end(self, node: int) -> int:
        """First position after the subtree; `rows` while the subtree is still open."""
        ...

    def parent(self, node: int) -> int | None:
        """The nearest earlier position of smaller depth; None for a root."""
        ...


@runtime_checkable
class CountedPreorder(Preorder, Protocol):
    """A preorder that counts the rows up to a depth cap without visiting each."""

    def shown(self, start: int, stop: int, cap: int) -> int:
        """Counts the rows of a range that are no deeper than `cap`."""
        ...

    def nth_shown(self, start: int, cap: int, index: int) -> int:
        """Returns the row at or after `start` that has `index` rows no deeper than `cap` before it. It must exist."""
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
        """True if opening the node would show rows."""
        ...

    def parent(self, node: int) -> int | None:
        """The parent; None for a root."""
        ...

    def row(self, node: int) -> Row:
        """Returns the contents of this node's line."""
        ...


@value_class
class References:
    """All references to one object or method: `nodes` of the view `view`, computed on access like children."""

    title: str
    view: str
    nodes: Sequence[int]
    have_labels: bool = False
    """True if their own labels distinguish them; False if the rows that contain them do."""
    continues: bool = False
    """True for a path to a root if the children of its node are steps of several paths."""


@value_class
class Switch:
    """A choice of how a view is made: `f` and the letter selects the next choice.

    After `choose` the nodes of the view are different ones, see `parsers.model.capabilities.HasSwitches`.
    """

    name: str
    letter: str
    title: str
    choices: Sequence[str]
    """All choices; the first is the default."""
    typed: str = ""
    """Free text accepted instead of a choice, as help calls it; empty: none. See `SwitchableView.meant`."""
    is_shared: bool = False
    """True if a choice is made for all views with a switch of that name."""


class View:
    """One perspective on a report: the base class of all views, with neutral answers for what only some views have.

    Optional abilities are protocols in `parsers.model.capabilities`.
    """

    name: str
    description: str = ""
    """Its rows and their order in a few words, for the list of views."""
    if TYPE_CHECKING:
        # Derived classes define attributes, or properties if they depend on the report.
        @property
        def shape(self) -> Shape:
            """The form in which it is drawn."""

        @property
        def columns(self) -> tuple[Column, ...]:
            """The columns of its rows."""

        @property
        def orders(self) -> tuple[str, ...]:
            """Sort keys besides document order: names of columns."""

        @property
        def tree(self) -> Tree:
            """The nodes of this view."""

    @property
    def is_ready(self) -> bool:
        """True if the view can be shown now; some need the finished index."""
        return True

    @property
    def row_count(self) -> int | None:
        """Rows of the whole view; None if it is unbounded or unknown."""
        return None

    @property
    def root_count(self) -> int | None:
        """Roots of the view; None while unknown."""
        return None

    def resolve(self, ref: str) -> int:
        """The node of a REF, the first of `resolve_all`. Raises `UnknownReference`. A view defines one of the two."""
        return self.resolve_all(ref)[0]

    def resolve_all(self, ref: str) -> Sequence[int]:
        """All nodes of a REF, at least one. Raises `UnknownReference`."""
        return [self.resolve(ref)]

    def key(self, node: int) -> Hashable | None:
        """The key that identifies what this node shows in other views; None: no other view shows it."""
        return None

    def find_key(self, key: Hashable) -> int | None:
        """The node with this key, if there is one."""
        return None

    def sections(self, node: int) -> Sequence[Section]:
        """The blocks of the side pane for a node."""
        raise NotImplementedError

    def links(self, node: int) -> Sequence[Link]:
        """All links of this node."""
        return ()

    def references(self, node: int) -> References:
        """All references to what this row shows or refers to."""
        raise NotImplementedError

    def path(self, node: int) -> Sequence[int]:
        """The path from the root to the node, both included."""
        return path_to(node, self.tree.parent)

    def remark(self, row: Row) -> str:
        """Text shown after the label of a row on wide screens."""
        return ""

    @property
    def label_width(self) -> int:
        """Cells that labels need: with fewer, columns are omitted. 0: as in most views."""
        return 0

    @property
    def label_title(self) -> str:
        """Heading of the labels; empty: the name of the view."""
        return ""

    # -- how the view is made -----------------------------------------------------------------------------------------

    @property
    def switches(self) -> tuple[Switch, ...]:
        """Choices of how the view is made. A view that has any is a `HasSwitches`."""
        return ()

    @property
    def chosen(self) -> Mapping[str, str]:
        """The choice of each switch, by its name."""
        return {}

    def chosen_for(self, ref: str) -> Mapping[str, str]:
        """The choices, by switch, with which the view contains the node of a REF."""
        return {}

    @property
    def is_prepared(self) -> bool:
        """False if the next access to rows would take longer than a key may wait."""
        return True

    def preparation(self) -> Preparation | None:
        """Work for a thread that must run before there are rows; None if there is none, or if it runs already."""
        return None

    @property
    def waits_for(self) -> str:
        """The step that must finish before the view is ready, in words; empty: the index."""
        return ""

    @property
    def partial(self) -> str:
        """The part of the file from which the rows are made; empty: all of it."""
        return ""

    def renew(self) -> Callable[[int], int | None] | None:
        """Updates the view to the current state of the index.

        Returns a function from old nodes to new ones (None: the row is gone), or None if nodes did not change.
        """
        return None

    # -- how the view is shown ----------------------------------------------------------------------------------------

    @property
    def note(self) -> str:
        """A remark about all rows, shown when the view is opened."""
        return ""

    @property
    def empty_because(self) -> str:
        """Reason why a view that is ready has no rows; empty: unknown."""
        return ""

    @property
    def estimated(self) -> str:
        """Reason why the bytes in the rows are estimates; empty: they are exact, or there are none."""
        return ""

    @property
    def closes(self) -> str:
        """Description of rows that stay closed until the user opens them; empty: none."""
        return ""

    @property
    def commands(self) -> tuple[tuple[str, str], ...]:
        """Names of commands that the key line lists for this view, with labels."""
        return ()

    @property
    def starts_closed(self) -> bool:
        """True if only the roots are shown at first, else as many rows as fit on the screen."""
        return False

    @property
    def first_depth(self) -> int | None:
        """Depth down to which rows are open at first; None: see `starts_closed`."""
        return None

    @property
    def sorted_by(self) -> str:
        """The sort key, reversed with "-", that document order equals; empty: none."""
        return ""

    @property
    def is_ranking(self) -> bool:
        """True if the first row is the answer: a cursor without a matching row moves to it."""
        return False

    @property
    def searches_labels(self) -> bool:
        """True if a search uses labels, because they differ from the text of the file."""
        return False

    def status_text(self, node: int) -> str:
        """Position of a node, for the status line."""
        return ""

    # -- names and filters --------------------------------------------------------------------------------------------

    def labels_of(self, nodes: Sequence[int]) -> list[str]:
        """Labels of some nodes; some views need no rows for them."""
        return [self.tree.row(node).label for node in nodes]

    def group_names(self) -> Sequence[tuple[str, str, int]]:
        """REF, name and number of members of each group to be found by name, such as packages.

        Takes time that grows with their number.
        """
        return ()

    def patterns(self, node: int) -> Mapping[Subject, str]:
        """Filter patterns to propose that match what a row shows, by subject."""
        return {}

    def is_hidden(self, node: int) -> bool:
        """True if a pattern hides the node, in a view of an unfolded graph."""
        return False

    def suppressed_row(self, row: Row) -> Row:
        """The row as it is shown if its children are suppressed."""
        return row if "suppressed" in row.flags else replace(row, flags=(*row.flags, "suppressed"))

    def offset_in_file(self, offset: int) -> int:
        """The byte offset of a row in the file that holds it, if the view is over several concatenated files."""
        return offset


@value_class
class Action:
    """A request that the user can send to the program that still writes the report."""

    name: str
    title: str
    asks: str = ""
    """Confirmation question, a whole sentence; empty: the action does no harm."""
    argument: str = ""
    """Argument that may follow the name, as help calls it; empty: none."""
    default: str = ""
    """The argument used when none is typed."""


@runtime_checkable
class Charted(Protocol):
    """Additional members of a view of shape "chart". Its rows are the points of the axis."""

    @property
    def axis(self) -> Column:
        """The column of the horizontal axis; its numbers never decrease from one node to the next."""
        ...

    @property
    def series(self) -> tuple[Column, ...]:
        """The columns drawn as lines. Lines of the same unit share a picture."""
        ...

    def numbers(self, column: Column) -> Sequence[float]:
        """Numbers of the axis or of a line, by node; NaN where a line has none."""
        ...


class Report:
    """One opened run: the base class of all reports, with neutral answers for what only some reports have.

    Opening reads only the head of the file; `follow` reads what the index has published since.
    """

    format: str
    format_title: str
    title: str
    kinds: Mapping[str, Kind]
    views: Sequence[View]
    """All views; the first is the default."""
    deferred_imports: Sequence[str] = ()
    """Modules that the first screen doesn't need: imported while the user is idle, or the index is built."""
    is_private_shown = False
    """True if host names and paths are shown, for a report that hides them."""

    @property
    def format_version(self) -> str | None:
        """The version concluded from the lines; None while unknown."""
        return None

    @property
    def encoding(self) -> str:
        """Encoding of the texts."""
        raise NotImplementedError

    @property
    def line_end(self) -> str:
        """ "lf" or "crlf"."""
        raise NotImplementedError

    @property
    def size(self) -> int:
        """Bytes of the unpacked file."""
        raise NotImplementedError

    @property
    def files(self) -> Sequence[str]:
        """Paths of the files."""
        raise NotImplementedError

    @property
    def facts(self) -> Mapping[str, Any]:
        """Conclusions from the contents, by name."""
        return {}

    @property
    def tables(self) -> Tables:
        """Its rows as typed columns, for other programs; complete with the finished index."""
        raise NotImplementedError

    def own_tables(self) -> Tables:
        """The tables besides those that every report has. The index must be finished."""
        from parsers.model.tables.table import Tables

        return Tables()

    @property
    def totals(self) -> Mapping[str, Any]:
        """Every count on the format's page; empty until the index is finished."""
        raise NotImplementedError

    @property
    def file_totals(self) -> Sequence[Mapping[str, Any]]:
        """Totals by file, in the order of `files`; empty: they are not counted by file."""
        return ()

    @property
    def runs(self) -> Sequence[Mapping[str, Any]]:
        """Facts by run, in file order, if there are such facts."""
        return ()

    @property
    def run_paths(self) -> Sequence[str]:
        """Paths that open each run of the file, in file order; empty if there is only one."""
        return ()

    @property
    def problems(self) -> Sequence[Problem]:
        """Damage of the files; of very many, only the first."""
        raise NotImplementedError

    @property
    def problem_count(self) -> int:
        """Number of all problems."""
        raise NotImplementedError

    @property
    def estimated(self) -> str:
        """Reason why sizes of objects are estimates; empty: they are exact, or there are none."""
        return ""

    # -- the index ----------------------------------------------------------------------------------------------------

    @property
    def progress(self) -> Progress:
        """Progress of the index."""
        raise NotImplementedError

    @property
    def is_complete(self) -> bool:
        """True if the index is finished, so that all numbers are final."""
        raise NotImplementedError

    def start_index(self) -> None:
        """Starts building the index in a child process, unless a valid one exists."""
        raise NotImplementedError

    def fileno(self) -> int | None:
        """A descriptor that becomes readable when `follow` has news; None: there is none, or several."""
        return None

    def follow(self) -> bool:
        """Reads what the index child has published since; True if anything changed. Never waits."""
        return False

    def wait(self, progress: Any = None) -> None:
        """Waits until the index is finished, calling `progress(Progress)` now and then. Raises `ReportError`."""
        raise NotImplementedError

    @property
    def index_folder(self) -> str | None:
        """The folder of the index on disk; None: none is needed."""
        return None

    def forget_index(self) -> None:
        """Removes the index from disk, so that the next opening builds it again."""

    def close(self) -> None:
        """Stops the child and closes the files."""
        raise NotImplementedError

    # -- views and rows -----------------------------------------------------------------------------------------------

    def view(self, name: str) -> View:
        """Returns the view of that name, ignoring case. Raises `KeyError`."""
        raise NotImplementedError

    @property
    def missing_views(self) -> Mapping[str, str]:
        """Reasons why it lacks views that other reports of its kind have, by their names."""
        return {}

    def why_not(self, name: str) -> str:
        """The reason why it lacks a view, its name in any case; empty: unknown."""
        return next((why for view, why in self.missing_views.items() if view.lower() == name.lower()), "")

    def locate(self, ref: str, view: str | None = None) -> tuple[View, int]:
        """Returns view and node of a REF: in the named view, else in the first view with REFs of this kind.

        Raises `UnknownReference`.
        """
        raise NotImplementedError

    def why(self, view: str, node: int) -> Sequence[int]:
        """The shortest path from a root to what `node` of `view` shows, as nodes of the first view, root first."""
        raise NotImplementedError

    @property
    def masks(self) -> Mapping[str, tuple[str, str]]:
        """Its own filters that hide rows, by the letter after `f`: the name, and a description of the rows."""
        return {}

    @property
    def separator(self) -> str:
        """The text between two rows in the file."""
        return "\n"

    @property
    def plain_encoding(self) -> str:
        """The encoding in which the file is searched."""
        return self.encoding

    # -- names and comparison -----------------------------------------------------------------------------------------

    def name_view(self, name: int) -> str:
        """The view of the nodes that `HasNames.name_nodes` returns, by the number of the name."""
        return self.views[0].name

    def normal_name(self, name: str) -> str:
        """A name without the part that differs between runs of the same program."""
        return name

    @property
    def compared_as(self) -> str:
        """A name shared by the reports that are comparable with one another."""
        return self.format


@runtime_checkable
class Document(Protocol):
    """A view whose rows are lines of the file, in its order. Text search and problems refer to its rows."""

    def node_at(self, offset: int) -> int | None:
        """The row whose line, or continuation line, contains this byte; None before the first row."""
        ...


@runtime_checkable
class HasNames(Protocol):
    """A report with names that can be searched without reading the file."""

    @property
    def names(self) -> Sequence[bytes]:
        """The unique names as bytes of the file; empty until the index is finished."""
        ...

    def name_count(self, name: int) -> int:
        """Number of rows that show or refer to something with that name."""
        ...

    def name_nodes(self, name: int) -> Sequence[int]:
        """One node for each object or method of that name: its declaration, else its first row.

        Nodes of the view `name_view(name)`.
        """
        ...


@runtime_checkable
class HasActions(Protocol):
    """A report that may still be written by a program that accepts requests."""

    @property
    def actions(self) -> Sequence[Action]:
        """The requests possible now; empty for a file that is not being written."""
        ...

    def act(self, name: str, text: str = "", confirmed: bool = False) -> str:
        """Sends the request of that name, with an argument. Returns a message for the user.

        confirmed  whether the user has confirmed the question `asks` of the action
        Raises `ReportError` for unknown requests, and for those that need a confirmation and have none.
        """
        ...


def walk(
    tree: Tree, start: int | None = None, depth: int | None = None, order: str | None = None
) -> Iterator[tuple[int, int]]:
    """Yields nodes with their depth relative to the start, without recursion, to any depth.

    `start` None: all roots. `depth` is the number of levels below the start to enter; None: all. `order` None: document
    order.
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


def path_to(node: int, parent: Callable[[int], int | None]) -> list[int]:
    """Returns the path from the root to a node, both included."""
    path = [node]
    while (above := parent(path[-1])) is not None:
        path.append(above)
    return path[::-1]
