"""Views of shape "timeline": lanes over an axis of time, each in one state at any moment.

The rows of such a view are its lanes, and below each lane its events, in order of time. A cursor is a row and a moment.
The picture passes the moment to the view, and the side pane describes it.

A lane is cut into *pieces*: from the start of one piece to the start of the next it is in one state. So the state at a
moment takes one binary search, and the time in a state between two moments takes two.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, Protocol

from parsers.model.value import value_class

if TYPE_CHECKING:
    from parsers.model.arrays import I64Array, U8Array

Tone = Literal["none", "going", "held", "waiting", "idle", "stuck", "pause", "there", "other", "mark"]
"""Meaning of a state for troubleshooting; it decides the colour."""


@value_class
class LaneState:
    """A state of lanes. The letter is a capital one, or empty for a state drawn as a line."""

    name: str
    letter: str
    tone: Tone
    short: str = ""
    """Short name for narrow places."""


SECOND = 1_000_000_000
"""One second in nanoseconds."""

MOST_DECIMALS = 9

NOTHING = 0
"""The number of the empty state: before a lane begins and after it ends."""


@value_class
class Lane:
    """One lane of the picture."""

    label: str
    node: int
    """The lane's row."""


class LaneStates:
    """The successive states of a lane, in arrays of the same length. Moments count from the start of the time line."""

    def __init__(self, starts: I64Array, states: U8Array, nodes: I64Array, end: int) -> None:
        """
        starts  int64[n], ascending, in nanoseconds
        states  uint8[n], numbers of states of the view
        nodes   int64[n], the row of each piece, or the lane's row if it has none of its own
        end     end of the last piece
        """
        self.starts, self.states, self.nodes, self.end = starts, states, nodes, end

    def __len__(self) -> int:
        return len(self.starts)

    def at(self, moment: int) -> int:
        """The piece at a moment; -1 before the first and after the last."""
        if moment >= self.end:
            return -1
        return int(self.starts.searchsorted(moment, "right")) - 1

    def stop(self, piece: int) -> int:
        """The end of a piece."""
        return int(self.starts[piece + 1]) if piece + 1 < len(self.starts) else self.end

    def change_after(self, moment: int) -> int | None:
        """The first moment after this one at which the state changes; None: it never does."""
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
    """Lanes with a common axis. Moments are nanoseconds since its start."""

    @property
    def first(self) -> int:
        """The start, in nanoseconds since 1970."""
        ...

    @property
    def length(self) -> int:
        """The length, in nanoseconds."""
        ...

    @property
    def title(self) -> str:
        """A title that distinguishes the time lines of the view; empty if there is one."""
        ...

    @property
    def lanes(self) -> Sequence[Lane]:
        """The lanes from top to bottom."""
        ...

    @property
    def pauses(self) -> LaneStates | None:
        """The periods that concern all lanes, such as those in which nothing was recorded."""
        ...

    @property
    def shown(self) -> Sequence[int]:
        """Numbers of the states that occur, in the order of the view."""
        ...

    def pieces(self, lane: int) -> LaneStates:
        """The states of a lane; called when it is drawn."""
        ...

    def marks(self, lane: int) -> I64Array:
        """The moments of the samples of a lane, ascending."""
        ...


def moment_text(nanos: int, decimals: int = 3) -> str:
    """A moment relative to a start, as text: `3.402 s`, `12:05.318`, `1:02:05.001`. Digits are cut, not rounded."""
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
