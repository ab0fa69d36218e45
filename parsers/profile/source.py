"""Where profiles come from: what a format says of its traces, rows and frames, so that views know no format."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from parsers.model.report import Badge, Column, Link, SectionRow
from parsers.profile.profile import Profile, ProfileTree

if TYPE_CHECKING:
    from numpy.typing import NDArray

ALL = "all"
"""The choice of everything: all dumps together, all threads."""

CUMULATIVE = "cumulative"
"""The choice of all dumps, where each may hold the counts of the one before."""
WHOLE = (ALL, CUMULATIVE)

ARROW = " → "
"""Between the numbers of two dumps that are compared."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which profile is asked for."""

    weight: str = ""
    """One of the source's `weights`; empty: the first."""
    dump: str = ALL
    thread: str = ALL
    of_class: str = ALL
    """The class of the objects that rows are about."""


@dataclass(frozen=True)
class Groups:
    """A way to put rows together by something else than their frames: a class that was allocated, its package."""

    name: str
    """As in the switch: "by class"."""
    kind: str
    """Kind of the rows, and of their REF."""
    of_rows: NDArray[Any]
    """int64[rows of the profile]: the group of each."""
    labels: Sequence[str]


class ProfileSource(Protocol):
    """What the views of profiles ask of a format. Nothing but `is_ready` before that."""

    @property
    def is_ready(self) -> bool:
        """Whether all traces and rows are known."""
        ...

    @property
    def weights(self) -> Sequence[str]:
        """What traces can weigh, as words: samples, milliseconds, live bytes …"""
        ...

    @property
    def dumps(self) -> Sequence[str]:
        """The dumps that can be chosen, `ALL` first; none to choose: that alone. `1 → 3` compares two.

        `CUMULATIVE` is among them where it is open whether dumps add up.
        """
        ...

    @property
    def threads(self) -> Sequence[str]:
        """The threads that can be chosen, `ALL` first."""
        ...

    @property
    def is_of_trees(self) -> bool:
        """Whether views of merged traces show at first what these rows weigh, so that links to them lead somewhere."""
        ...

    @property
    def has_cut_traces(self) -> bool:
        """Whether traces may lack their outermost frames."""
        ...

    def classes(self, weight: str) -> Sequence[str]:
        """The classes that rows with such a weight are about, `ALL` first; they are about none: nothing."""
        ...

    @property
    def traces(self) -> int:
        """How many there are."""
        ...

    @property
    def frames(self) -> int:
        """Frames of all traces: how much there is to be merged."""
        ...

    def profile(self, wanted: Wanted) -> Profile:
        """A profile; kept for a while."""
        ...

    def known_tree(self, wanted: Wanted, is_down: bool) -> ProfileTree | None:
        """The tree of such a profile by method, as recorded, of all frames, where it was merged before; else None."""
        ...

    def below_cutoff(self, wanted: Wanted) -> int:
        """What the file left out of such a profile as too little, in its first value; 0 where that isn't known."""
        ...

    def groups(self, profile: Profile) -> Sequence[Groups]:
        """Ways to group the rows of a profile beside those by frame."""
        ...

    @property
    def method_of(self) -> NDArray[Any]:
        """By frame: its method."""
        ...

    @property
    def methods(self) -> Sequence[str]:
        """The methods, as `class.method`."""
        ...

    def ways(self, method: int) -> Sequence[Link]:
        """Ways to a method in views that are none of profiles."""
        ...

    def chosen_for(self, ref: str) -> Mapping[str, str]:
        """What has to be chosen of the switches above to see what a REF names: `thread`, `dump`."""
        ...

    def line(self, frame: int) -> str:
        """Where in its method a frame is: `:482`, `native`; empty if that isn't known."""
        ...

    def trace_title(self, trace: int) -> str:
        """What a trace is called in the side pane: `TRACE 300684`, with its thread where that is known."""
        ...

    def trace_ref(self, trace: int) -> str:
        """Its REF."""
        ...

    def trace_of(self, ref: str) -> int | None:
        """The trace of a REF."""
        ...

    def row_badges(self, profile: Profile, row: int) -> Mapping[str, Badge]:
        """What the file says of a row beside the weights: its rank, the share of it and all before it."""
        ...

    def row_label(self, profile: Profile, row: int) -> str | None:
        """What a row is about, if that is not the method on top of its trace."""
        ...

    @property
    def row_columns(self) -> tuple[Column, ...]:
        """Columns of those badges."""
        ...

    def notes(self, wanted: Wanted) -> Sequence[SectionRow]:
        """What there is to say of the numbers: what they are shares of, what a cutoff took away."""
        ...
