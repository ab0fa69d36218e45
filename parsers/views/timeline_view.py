"""Views of shape "timeline": lanes over an axis of time, each in one state at any moment.

The rows of such a view are its lanes, and below a lane what happened in it, in the order of time. A cursor is a row and
a moment: the picture tells the view which moment it is, and the side pane says what happens then.

A lane is cut into *pieces*: from the start of one to the start of the next it is in one state. So what a lane is in at
a moment is a binary search, and how long it was in a state between two moments two of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol

from parsers.model.value import value_class

if TYPE_CHECKING:
    from numpy.typing import NDArray

Tone = Literal["none", "going", "held", "waiting", "idle", "stuck", "pause", "there", "other"]
"""What a state is for whoever looks for trouble; says how it is coloured."""


@value_class
class LaneState:
    """One of the states that lanes can be in. The letter is a capital one, or empty for what is drawn as a line."""

    name: str
    letter: str
    tone: Tone
    short: str = ""
    """The name where there is little room."""


SECOND = 1_000_000_000
"""Nanoseconds."""

MOST_DECIMALS = 9

NOTHING = 0
"""The number of the state in which there is nothing: before a lane begins and after it ends."""


@value_class
class Lane:
    """One line of the picture."""

    label: str
    node: int
    """Its row."""


class Pieces:
    """The states of a lane one after the other. Arrays are of one length, moments since the start of the time line."""

    def __init__(self, starts: NDArray[Any], states: NDArray[Any], nodes: NDArray[Any], end: int) -> None:
        """
        starts  int64[n], ascending, in nanoseconds
        states  uint8[n], numbers of states of the view
        nodes   int64[n], the row of each piece; that of the lane where it has none of its own
        end     of the last piece
        """
        self.starts, self.states, self.nodes, self.end = starts, states, nodes, end

    def __len__(self) -> int:
        return len(self.starts)

    def at(self, moment: int) -> int:
        """The piece of a moment; -1 before the first one and behind the last."""
        if moment >= self.end:
            return -1
        return int(self.starts.searchsorted(moment, "right")) - 1

    def stop(self, piece: int) -> int:
        """Where a piece ends."""
        return int(self.starts[piece + 1]) if piece + 1 < len(self.starts) else self.end

    def change_after(self, moment: int) -> int | None:
        """The first moment behind this one at which the state changes; None: it stays."""
        place = int(self.starts.searchsorted(moment, "right"))
        if place < len(self.starts):
            return int(self.starts[place])
        return self.end if moment < self.end else None

    def change_before(self, moment: int) -> int | None:
        """The last moment before this one at which the state changes."""
        if moment > self.end:
            return self.end
        place = int(self.starts.searchsorted(moment, "left"))
        return int(self.starts[place - 1]) if place else None


class TimeLine(Protocol):
    """Lanes that share an axis. Moments are nanoseconds since its start."""

    @property
    def first(self) -> int:
        """When it starts, in nanoseconds since 1970."""
        ...

    @property
    def length(self) -> int:
        """How long it is, in nanoseconds."""
        ...

    @property
    def title(self) -> str:
        """What tells it from others of the view; empty where there is one."""
        ...

    @property
    def lanes(self) -> Sequence[Lane]:
        """From top to bottom."""
        ...

    @property
    def pauses(self) -> Pieces | None:
        """When nothing was recorded."""
        ...

    @property
    def shown(self) -> Sequence[int]:
        """Numbers of the states that lanes are in, in the order of the view."""
        ...

    def pieces(self, lane: int) -> Pieces:
        """The states of a lane; asked for when it is drawn."""
        ...


class TimelineView(Protocol):
    """What a view of shape "timeline" has beside its rows."""

    states: Sequence[LaneState]
    """By number; the first one is NOTHING."""

    @property
    def is_compressed(self) -> bool:
        """Whether stretches of time in which nothing changes are shown shortened."""
        ...

    def time_line(self, node: int) -> TimeLine:
        """The time line that a row is of; always the same object for the same one."""
        ...

    def lane_of(self, node: int) -> int:
        """The lane that a row is, or is in, by its place in its time line."""
        ...

    def span(self, node: int) -> tuple[int, int] | None:
        """From when to when what a row stands for lasted, since the start of its time line; None for a lane."""
        ...

    @property
    def moment(self) -> int | None:
        """The moment that is looked at."""
        ...

    def look_at(self, moment: int, node: int | None = None) -> None:
        """Says which moment it is that the side pane is about, and the row that the cursor is on."""
        ...


def moment_text(nanos: int, decimals: int = 3) -> str:
    """A moment since a start, for people: `3.402 s`, `12:05.318`, `1:02:05.001`. Digits are cut, not rounded."""
    decimals = max(0, min(decimals, MOST_DECIMALS))
    sign, nanos = ("-", -nanos) if nanos < 0 else ("", nanos)
    seconds, rest = divmod(nanos, SECOND)
    behind = f".{rest:09}"[: decimals + 1] if decimals else ""
    if seconds < 60:
        return f"{sign}{seconds}{behind} s"
    minutes, seconds = divmod(seconds, 60)
    if minutes < 60:
        return f"{sign}{minutes}:{seconds:02}{behind}"
    return f"{sign}{minutes // 60}:{minutes % 60:02}:{seconds:02}{behind}"


def duration_text(nanos: int) -> str:
    """How long something lasted, in the unit that suits: `345 ns`, `12.3 µs`, `4.55 ms`, `3.402 s`, `12:05.3`."""
    for unit, size in (("ns", 1), ("µs", 1_000), ("ms", 1_000_000)):
        if nanos < size * 999.5:
            return f"{nanos} ns" if size == 1 else f"{nanos / size:.3g} {unit}"
    return moment_text(nanos, 3 if nanos < 60 * SECOND else 1)
