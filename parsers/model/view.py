"""Views: the base class of all views, their switches, and REFs that can't be resolved."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, Protocol, runtime_checkable

from parsers.model.capability import Capability
from parsers.model.trees.tree import path_to
from parsers.model.value import value_class

if TYPE_CHECKING:
    from parsers.model.late.preparation import Preparation
    from parsers.model.names.patterns import Subject
    from parsers.model.row import Column, Link, Row, Section
    from parsers.model.trees.tree import Tree

Shape = Literal["tree", "table", "flame", "chart", "timeline"]


class UnknownReference(LookupError):
    """No node has this REF, or its form is unknown; the text says which."""


class StrangeReference(UnknownReference):
    """The view has no such REF, or no REFs of this kind; another view may have it."""


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
class Position:
    """The place of a node, to be found again in another view, or in the same one after its choices changed."""

    key: Hashable | None
    """The key of the node, see `View.key`."""
    path: tuple[str, ...] = ()
    """Labels that lead to it in all views of one tree; empty: the key alone identifies it."""


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
        def pattern_subject(self) -> Subject:
            """What suppress and expand patterns match in rows that propose none; see `patterns`."""
    else:
        shape, columns, orders, pattern_subject = "tree", (), (), "methods"

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
        """The node of a REF, the first of `resolve_all`. Raises `UnknownReference`.

        A view whose rows have REFs defines one of the two.
        """
        return self.resolve_all(ref)[0]

    def resolve_all(self, ref: str) -> Sequence[int]:
        """All nodes of a REF, at least one. Raises `UnknownReference`."""
        if type(self).resolve is View.resolve:
            raise StrangeReference(f"{ref}: rows of {self.name} have no REFs")
        return [self.resolve(ref)]

    def key(self, node: int) -> Hashable | None:
        """The key that identifies what this node shows in other views; None: no other view shows it."""
        return None

    def find_key(self, key: Hashable) -> int | None:
        """The node with this key, if there is one."""
        return None

    def position(self, node: int) -> Position:
        """The place of a node, for `find_position`."""
        return Position(self.key(node))

    def find_position(self, position: Position) -> int | None:
        """The node at a place in another view, if there is one."""
        return None if position.key is None else self.find_key(position.key)

    def sections(self, node: int) -> Sequence[Section]:
        """The blocks of the side pane for a node."""
        raise NotImplementedError

    def links(self, node: int) -> Sequence[Link]:
        """All links of this node."""
        return ()

    def references(self, node: int) -> References:
        """All references to what this row shows or refers to."""
        return References(f"references to {self.tree.row(node).label}", self.name, ())

    def path(self, node: int) -> Sequence[int]:
        """The path from the root to the node, both included."""
        return path_to(node, self.tree.parent)

    def why(self, node: int) -> References | None:
        """The shortest path from a root to what a node shows, root first; None: the report has the answer."""
        return None

    def remark(self, row: Row) -> str:
        """Text shown after the label of a row on wide screens."""
        return ""

    @property
    def label_width(self) -> int:
        """Cells that labels need: with fewer, columns are omitted. 0: the usual number."""
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


@runtime_checkable
class Charted(Protocol, metaclass=Capability):
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
