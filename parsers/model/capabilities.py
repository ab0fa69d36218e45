"""Optional abilities of reports, views and trees. Test for one with `isinstance`.

A view that delegates to another one (`parsers.views.proxy.ViewProxy`) has the abilities of that one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from parsers.model.capability import Capability
from parsers.model.trees.tree import Preorder, Tree

if TYPE_CHECKING:
    from parsers.graph.graph_model import GraphModel, Node
    from parsers.io.group import SourceGroup
    from parsers.io.source import Source
    from parsers.model.arrays import AnyArray, BoolArray, U8Array
    from parsers.model.report import Action, Problem, Report
    from parsers.model.row import Badge, Unit
    from parsers.model.view import References, View
    from parsers.query.search.pattern import Pattern
    from parsers.query.search.row_finder import RowFinder
    from parsers.query.selection.selection import RowFilters
    from parsers.reporting.comparison.lines import Comparing
    from parsers.reporting.export.sample import Sample
    from parsers.reporting.rules.array_rows import ArrayRows
    from parsers.reports.members import ReportMember

# -- views ------------------------------------------------------------------------------------------------------------


@runtime_checkable
class Document(Protocol, metaclass=Capability):
    """A view whose rows are lines of the file, in its order. Text search and problems refer to its rows."""

    def node_at(self, offset: int) -> int | None:
        """The row whose line, or continuation line, contains this byte; None before the first row."""
        ...


@runtime_checkable
class HasSwitches(Protocol, metaclass=Capability):
    """A view whose switches can be set: choices of how it is made."""

    def meant(self, name: str, text: str) -> str | None:
        """The choice of a switch that a typed text names; None if there is none."""
        ...

    def choose(self, name: str, choice: str) -> None:
        """Sets a switch; all nodes change. Raises `KeyError` for an unknown name or choice."""
        ...

    def choose_all(self, chosen: Mapping[str, str]) -> bool:
        """Sets these switches and resets the others; unknown ones are ignored. False: nothing changed."""
        ...


@runtime_checkable
class FoldsFrames(Protocol, metaclass=Capability):
    """A view of a profile that can leave out frames: their cost counts for the nearest caller shown."""

    def fold_frames(self, patterns: Mapping[str, str], hide: Collection[str] = ()) -> bool:
        """Leaves out frames by patterns (by option) and by kind ("jdk", "synthetic"). False: nothing changed."""
        ...


@runtime_checkable
class Suppresses(Protocol, metaclass=Capability):
    """A view of an unfolded graph that closes the rows that patterns match."""

    def suppress(self, patterns: Mapping[str, str], opened: Collection[int] = ()) -> None:
        """Closes rows by patterns (by option), but for the nodes that were opened by hand."""
        ...

    def is_suppressed(self, node: int) -> bool:
        """True if a pattern closes the node."""
        ...


@runtime_checkable
class Filterable(Protocol, metaclass=Capability):
    """A view, or a report for its first view, whose rows can be filtered."""

    def row_filters(self) -> RowFilters:
        """Filter data of all rows, in bulk."""
        ...


@runtime_checkable
class HasLabels(Protocol, metaclass=Capability):
    """A view that can give many labels without making rows."""

    def labels(self, start: int, stop: int) -> Sequence[str]:
        """Labels of a range of nodes."""
        ...


@runtime_checkable
class HasPaths(Protocol, metaclass=Capability):
    """A view that lists several paths from roots to a node."""

    default_path_count: int
    """Number of paths printed unless all are requested."""

    def paths(self, node: int) -> Iterable[Sequence[int]]:
        """Paths from roots to a node, shortest first, each root first."""
        ...

    def root_of_path(self, path: Sequence[int]) -> str:
        """The root from which one of these paths leads, as text; empty if it is the first row of the path."""
        ...


@runtime_checkable
class NamesTraces(Protocol, metaclass=Capability):
    """A view with rows that were recorded with a stack trace."""

    def nodes_of_trace(self, trace: int) -> Sequence[int]:
        """Rows of a trace, by its serial number."""
        ...


@runtime_checkable
class OfMember(Protocol, metaclass=Capability):
    """A view that a report made of several members shows for one of them."""

    own: View
    """The view of the member's own report."""
    member: Report
    """The report that it belongs to."""

    @property
    def family(self) -> Sequence[View]:
        """All shown views of the same member."""
        ...

    def locate(self, ref: str) -> tuple[View, int]:
        """View and node of a REF in the same member. Raises `UnknownReference`."""
        ...


@runtime_checkable
class OfGraph(Protocol, metaclass=Capability):
    """A view whose rows show nodes of the report's graph."""

    def node(self, node: int) -> Node | None:
        """The node of the graph that a row shows; None if it shows none."""
        ...


@runtime_checkable
class ExplainsGroups(Protocol, metaclass=Capability):
    """A view that answers why the members of a group are reached, for one group at a time."""

    def ask(self, asked: str | Node) -> References:
        """Answers for a group, or for the group of all names that match patterns."""
        ...

    def path_to_nearest(self) -> Sequence[int]:
        """Rows of the shortest path from a root to a member of the group."""
        ...


@runtime_checkable
class AsksAgain(Protocol, metaclass=Capability):
    """A view that answers a query, which another process can repeat."""

    @property
    def asked(self) -> Mapping[str, object] | None:
        """The query, as JSON; None before there was one."""
        ...

    def ask_again(self, asked: Mapping[str, object]) -> None:
        """Answers a query that `asked` returned."""
        ...


@runtime_checkable
class StoresRows(Protocol, metaclass=Capability):
    """A view whose rows are in files, which another process can read."""

    @property
    def stored_at(self) -> str:
        """Beginning of the paths of the files."""
        ...

    @property
    def row_count(self) -> int | None:
        """Number of rows in them."""
        ...

    @property
    def value_names(self) -> Sequence[str]:
        """Names of the values of a row."""
        ...

    def values_of(self, nodes: Sequence[int]) -> Iterable[Sequence[Badge]]:
        """The values of some rows, a sequence a row: numbers, texts, or None."""
        ...


@runtime_checkable
class HasFinder(Protocol, metaclass=Capability):
    """A view whose first nodes can be searched: the roots of an unbounded graph; or all rows."""

    @property
    def vertices(self) -> int:
        """Number of these nodes."""
        ...

    def finder(self, pattern: Pattern, is_patient: bool = False) -> RowFinder:
        """is_patient: True if expressions may be tried that could take very long"""
        ...


@runtime_checkable
class HasNamedRows(Protocol, metaclass=Capability):
    """A view that provides its rows by name."""

    def named_rows(self, kind: str) -> ArrayRows | None:
        """Returns those of a kind; empty: those at the top; None: there are none, or not provided."""
        ...


@runtime_checkable
class HasKinds(Protocol, metaclass=Capability):
    """A view that can find the rows of a kind."""

    def nodes_of_kind(self, kind: str) -> Sequence[int] | None:
        """Returns nodes that include all of a kind, ascending; None: they may be anywhere."""
        ...


@runtime_checkable
class HasSamples(Protocol, metaclass=Capability):
    """A view of a profile."""

    name: str

    def sample_values(self) -> list[tuple[str, Unit]]:
        """Returns titles and units of the weights of samples."""
        ...

    def samples(self, node: int | None = None) -> Iterator[Sample]:
        """Yields the stacks of the profile; those through a node of the view."""
        ...


@runtime_checkable
class ShowsFirstRows(Protocol, metaclass=Capability):
    """A view whose rows show rows of the first view of its report."""

    def row_of(self, node: int) -> int | None:
        """The row of the first view that a row shows; None if it shows none."""
        ...


@runtime_checkable
class RepresentsRows(Protocol, metaclass=Capability):
    """A view whose leaves represent rows of the file, so that filters of the file apply to them."""

    @property
    def tree(self) -> Tree:
        """Its rows, which are a preorder."""
        ...

    def labels_of(self, nodes: Sequence[int]) -> list[str]:
        """Labels of some nodes."""
        ...

    def leaf_rows(self) -> Sequence[int] | AnyArray:
        """The row of the first view that each leaf represents, in their order."""
        ...


@runtime_checkable
class MatchesRows(Protocol, metaclass=Capability):
    """Filters of a view that find the rows that match a pattern, which are no lines of the file."""

    def matching(self, pattern: Pattern) -> BoolArray:
        """For each row, True if it matches."""
        ...


# -- names ------------------------------------------------------------------------------------------------------------


@runtime_checkable
class JoinedNames(Protocol, metaclass=Capability):
    """Names that are contiguous."""

    def joined(self, separator: int, start: int, stop: int) -> bytes | U8Array:
        """Names start to stop, each followed by the byte `separator`."""
        ...

    def arrays(self) -> tuple[AnyArray, U8Array]:
        """Starts, with the end of the last name, and the bytes of all names (uint8)."""
        ...


@runtime_checkable
class FindsNames(Protocol, metaclass=Capability):
    """Names with an index of their contents."""

    def containing(self, text: bytes, most: int) -> list[int] | None:
        """Numbers of the names that contain a text; None if there are more than `most`, or the index can't answer."""
        ...


# -- trees ------------------------------------------------------------------------------------------------------------


@runtime_checkable
class SortsInThread(Protocol, metaclass=Capability):
    """A tree that may take longer to sort children than a key may wait."""

    def sorting(self, order: str, node: int | None = None) -> Callable[[], object] | None:
        """Work for a thread that sorts the children of a node (None: the roots); None if nothing is to be done."""
        ...


@runtime_checkable
class CountedPreorder(Preorder, Protocol, metaclass=Capability):
    """A preorder that counts the rows up to a depth cap without visiting each."""

    def shown(self, start: int, stop: int, cap: int) -> int:
        """Counts the rows of a range that are no deeper than `cap`."""
        ...

    def nth_shown(self, start: int, cap: int, index: int) -> int:
        """Returns the row at or after `start` that has `index` rows no deeper than `cap` before it. It must exist."""
        ...


@runtime_checkable
class HasTops(Protocol, metaclass=Capability):
    """A preorder that knows the top nodes of a range without looking at each depth."""

    def tops(self, start: int, stop: int) -> Any:
        """Nodes of a range with no ancestor in it, as int64[n]; None if they have to be searched."""
        ...


@runtime_checkable
class HasEnds(Protocol, metaclass=Capability):
    """A preorder that returns the ends of many subtrees at once."""

    def ends(self, start: int, stop: int) -> AnyArray:
        """First node after each subtree of a range: an array of unsigned integers."""
        ...


# -- reports ----------------------------------------------------------------------------------------------------------


@runtime_checkable
class HasNames(Protocol, metaclass=Capability):
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
class HasActions(Protocol, metaclass=Capability):
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


@runtime_checkable
class DecodesText(Protocol, metaclass=Capability):
    """A report with names or lines that are text in some encoding."""

    def text(self, data: bytes) -> str:
        """Decodes bytes of the file."""
        ...


@runtime_checkable
class HasText(DecodesText, Protocol, metaclass=Capability):
    """A report that is one text file."""

    source: Source


@runtime_checkable
class HasSource(Protocol, metaclass=Capability):
    """A report that is read from files."""

    source: Source | SourceGroup


@runtime_checkable
class HasGraph(Protocol, metaclass=Capability):
    """A report whose objects or methods refer to or call one another."""

    @property
    def graph(self) -> GraphModel:
        """The graph; available once the index is finished."""
        ...


@runtime_checkable
class HasMembers(Protocol, metaclass=Capability):
    """A report that consists of several others."""

    members: Sequence[ReportMember]

    @property
    def opened(self) -> Sequence[Report]:
        """The members that have been opened."""
        ...


@runtime_checkable
class HasComparable(Protocol, metaclass=Capability):
    """A report that defines what is compared between two reports of its kind."""

    @property
    def comparable(self) -> Mapping[str, Comparing]:
        """The comparison by the name of a view."""
        ...


@runtime_checkable
class ComparesTwo(Protocol, metaclass=Capability):
    """A report of the differences between two."""

    old: Report
    new: Report
    open_newer: Callable[[], Report] | None


@runtime_checkable
class FindsProblems(Protocol, metaclass=Capability):
    """A report whose rows are not lines of its files, but have problems nevertheless."""

    def node_of_problem(self, problem: Problem) -> int | None:
        """The row of the first view that a problem is about; None if there is none."""
        ...


@runtime_checkable
class HasSiblingFiles(Protocol, metaclass=Capability):
    """A report with additional information in neighbouring files."""

    def read_sibling_files(self, waits: bool = True) -> None:
        """Reads the neighbouring files; those that must be read completely only if `waits`."""
        ...


@runtime_checkable
class HasOrigins(Protocol, metaclass=Capability):
    """A view whose rows name rows of other views."""

    def origin(self, node: int) -> tuple[View, int] | None:
        """The view and node of the row that a row names; None: it names none."""
        ...


@runtime_checkable
class StopsIndex(Protocol, metaclass=Capability):
    """A report whose index can be stopped and continued."""

    def stop_index(self) -> None:
        """Stops building. Finished stages stay, on disk too."""
        ...

    def go_on_index(self) -> None:
        """Continues a stopped index."""
        ...
