"""Reports: the base class of all opened runs, their problems, progress and actions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from parsers.model.value import value_class

if TYPE_CHECKING:
    from parsers.model.row import Kind
    from parsers.model.tables.table import Tables
    from parsers.model.view import View
    from parsers.model.views import Views


def file_name(path: str) -> str:
    """Returns the name of a file in messages: its path; "-" is standard input."""
    return "standard input" if path == "-" else path


class ReportError(Exception):
    """A report can't be opened. The one-line text names the file, what is wrong and what would be accepted.

    A path at the start of the text, before ": ", is replaced by its `file_name`.
    """

    def __init__(self, *texts: str) -> None:
        parts = [text.partition(": ") for text in texts]
        super().__init__(*(file_name(path) + colon + rest for path, colon, rest in parts))


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
    def is_running(self) -> bool:
        """True if the index will have more rows without a request."""
        return self.state in ("waiting", "unpacking", "indexing")

    @property
    def bytes_per_second(self) -> float:
        """Rate so far; 0 before anything was read."""
        return self.done / self.seconds if self.seconds > 0 else 0.0


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


class Report:
    """One opened run: the base class of all reports, with neutral answers for what only some reports have.

    Opening reads only the head of the file; `follow` reads what the index has published since.
    """

    format: str
    format_title: str
    title: str
    kinds: Mapping[str, Kind]
    views: Views
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
    def facts(self) -> Mapping[str, object]:
        """Conclusions from the contents, by name."""
        return {}

    @property
    def tables(self) -> Tables:
        """Its rows as typed columns, for other programs; complete with the finished index."""
        raise NotImplementedError

    kept_tables: Tables | None = None
    """Its tables once the index is finished, with the columns that they have computed."""

    def own_tables(self) -> Tables:
        """The tables besides those that every report has. The index must be finished."""
        from parsers.model.tables.table import Tables

        return Tables()

    @property
    def totals(self) -> Mapping[str, object]:
        """Every count of the report, as `info` prints them; empty until the index is finished."""
        raise NotImplementedError

    @property
    def file_totals(self) -> Sequence[Mapping[str, object]] | None:
        """Totals by file, in the order of `files`; None: they are not counted by file."""
        return None

    @property
    def runs(self) -> Sequence[Mapping[str, object]]:
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

    def wait(self, progress: Callable[[Progress], object] | None = None) -> None:
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
