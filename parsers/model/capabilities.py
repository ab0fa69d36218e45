"""Optional abilities of reports, views and trees. Test for one with `isinstance`.

A view that delegates to another one (`parsers.views.proxy.ViewProxy`) has the abilities of that one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from parsers.model.capability import Capability

if TYPE_CHECKING:
    from parsers.graph.graph_model import GraphModel, Node
    from parsers.io.group import SourceGroup
    from parsers.io.source import Source
    from parsers.model.arrays import AnyArray, U8Array
    from parsers.model.report import Problem, Report
    from parsers.model.row import Badge
    from parsers.model.view import References, View
    from parsers.query.selection.selection import RowFilters
    from parsers.reporting.comparison.lines import Comparing
    from parsers.reports.members import ReportMember

# -- views ------------------------------------------------------------------------------------------------------------


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
    def asked(self) -> Mapping[str, Any] | None:
        """The query, as JSON; None before there was one."""
        ...

    def ask_again(self, asked: Mapping[str, Any]) -> None:
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
