"""The interface between a format and the views of profiles: traces, rows, frames."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from parsers.model.row import Badge, Column, Link, SectionRow
from parsers.model.view import Switch
from parsers.profile.merge import ProfileTree
from parsers.profile.profile import Profile

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray, I64Array

ALL = "all"
"""The choice of all dumps together, or all threads."""

CUMULATIVE = "cumulative"
"""The choice of all dumps, if each may include the counts of the previous one."""
WHOLE = (ALL, CUMULATIVE)

ARROW = " → "
"""Separates the numbers of two compared dumps."""


@dataclass(frozen=True, slots=True)
class ProfileQuery:
    """The choice of a profile."""

    weight: str = ""
    """One of the source's `weights`; empty: the first."""
    dump: str = ALL
    thread: str = ALL
    of_class: str = ALL
    """Class of the objects of the rows."""
    chosen: tuple[tuple[str, str], ...] = ()
    """Choices of the source's own switches, by their names; see `ProfileSource.own_switches`."""


@dataclass(frozen=True)
class RowGrouping:
    """A grouping of rows by a property other than their frames: an allocated class, its package."""

    name: str
    """As in the switch: "by class"."""
    kind: str
    """Kind of the rows, and of their REF."""
    of_rows: I64Array
    """By row of the profile: its group."""
    labels: Sequence[str]


class ProfileSource(Protocol):
    """Base class of sources of profiles, with neutral answers where a format may have nothing to say.

    Only `is_ready` may be used before it is True.
    """

    row_columns: tuple[Column, ...] = ()
    """Columns of `row_badges`."""
    whole_trees: dict[str, tuple[Hashable, Profile, ProfileTree]] | None = None
    """By direction: the last tree without filters of the source, with the other choices; its views share it. None: the
    source has no filters of its own.
    """

    @property
    def is_ready(self) -> bool:
        """True if all traces and rows are known."""
        ...

    @property
    def weights(self) -> Sequence[str]:
        """Names of the available weights: samples, milliseconds, live bytes …"""
        ...

    @property
    def dumps(self) -> Sequence[str]:
        """The dumps to choose from, `ALL` first; `ALL` alone without a choice. `1 → 3` compares two.

        Includes `CUMULATIVE` if it is unknown whether dumps add up.
        """
        ...

    @property
    def threads(self) -> Sequence[str]:
        """The threads to choose from, `ALL` first."""
        ...

    @property
    def is_of_trees(self) -> bool:
        """True if views of merged traces show the weight of these rows at first, so that links to them work."""
        return True

    @property
    def has_cut_traces(self) -> bool:
        """True if traces may lack their outermost frames."""
        return False

    def classes(self, weight: str) -> Sequence[str]:
        """Returns the classes of rows with such a weight, `ALL` first; empty if rows have no class."""
        return ()

    @property
    def hidden_methods(self) -> Collection[int]:
        """Methods that the JVM hides from programs, shown dimmed."""
        return ()

    def own_switches(self, weight: str) -> Sequence[Switch]:
        """Returns more filters of the rows with a weight; their choices are in `ProfileQuery.chosen`."""
        return ()

    def meant(self, name: str, text: str) -> str | None:
        """Returns the choice of one of them that a typed text means; None: there is none."""
        return None

    @property
    def traces(self) -> int:
        """Number of traces."""
        ...

    @property
    def frames(self) -> int:
        """Number of frames of all traces: the size of the input of merging."""
        ...

    def profile(self, wanted: ProfileQuery) -> Profile:
        """Returns a profile; cached."""
        ...

    def stored_tree(self, wanted: ProfileQuery, is_down: bool) -> ProfileTree | None:
        """Returns the tree of a profile by method, unfiltered, if the index has it; else None."""
        return None

    def below_cutoff(self, wanted: ProfileQuery) -> int:
        """Returns the first value of what the file omitted as below its cutoff; 0 if unknown."""
        return 0

    def groups(self, profile: Profile) -> Sequence[RowGrouping]:
        """Returns groupings of the rows of a profile other than by frame."""
        return ()

    @property
    def method_of(self) -> AnyArray:
        """By frame: its method."""
        ...

    @property
    def methods(self) -> Sequence[str]:
        """The methods, as `class.method`."""
        ...

    def method_links(self, method: int) -> Sequence[Link]:
        """Returns links to a method in views that are not of profiles."""
        return ()

    def chosen_for(self, ref: str) -> Mapping[str, str]:
        """Returns the choices of the switches above with which a REF is visible: `thread`, `dump`."""
        ...

    def line(self, frame: int) -> str:
        """Returns the location of a frame in its method: `:482`, `native`; empty if unknown."""
        ...

    def trace_title(self, trace: int) -> str:
        """Returns the title of a trace in the side pane: `TRACE 300684`, with its thread if known."""
        ...

    def trace_ref(self, trace: int) -> str:
        """Returns the REF of a trace."""
        ...

    def trace_of(self, ref: str) -> int | None:
        """Returns the trace of a REF."""
        ...

    def row_badges(self, profile: Profile, row: int) -> Mapping[str, Badge]:
        """Returns the values of a row in the file beside the weights: its rank, its share, the accumulated share."""
        return {}

    def row_label(self, profile: Profile, row: int) -> str | None:
        """Returns the subject of a row, if it isn't the method on top of its trace."""
        return None

    def notes(self, wanted: ProfileQuery) -> Sequence[SectionRow]:
        """Returns remarks on the numbers: the base of percentages, the effect of a cutoff."""
        ...
