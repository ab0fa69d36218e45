"""Base class of views of shape "timeline": switches of the picture, and the selected moment."""

from __future__ import annotations

from collections.abc import Sequence

from parsers.model.view import Shape, Switch
from parsers.views.grouped_view import GroupedView
from parsers.views.switches import SwitchableView
from parsers.views.timelines.timeline_view import LaneState, TimeLine

TIME = Switch("time", "t", "time scale", ("linear", "compressed"))
"""Time scale: linear, or with periods without changes shortened."""
SHOW_AS = Switch("drawn", "g", "show as", ("time line", "rows"))
"""Choice between picture and rows."""


class LaneView(SwitchableView, GroupedView):
    """A `View` of shape "timeline": groups are lanes (and their parents), leaves are events."""

    states: Sequence[LaneState] = ()
    """The states by number; the first is NOTHING."""

    def __init__(self) -> None:
        self.moment: int | None = None
        """The selected moment, relative to the start of the time line; None: that of the row."""
        self._looked_at: int | None = None
        """The row of the cursor at that moment."""
        self._visible: tuple[int, int] | None = None
        """Start and end of the visible part; None: all."""

    # -- to be defined by derived classes -----------------------------------------------------------------------------

    def time_line(self, node: int) -> TimeLine:
        """The time line of a row; always the same object for the same time line."""
        raise NotImplementedError

    def lane_of(self, node: int) -> int:
        """The index, in its time line, of the lane that a row is or belongs to."""
        raise NotImplementedError

    def span(self, node: int) -> tuple[int, int] | None:
        """Start and end of what a row shows, relative to the start of its time line; None for a lane."""
        raise NotImplementedError

    # -- the view -----------------------------------------------------------------------------------------------------

    @property
    def shape(self) -> Shape:
        """The chosen shape."""
        return "tree" if self.choice(SHOW_AS.name) == "rows" else "timeline"

    @property
    def switches(self) -> tuple[Switch, ...]:
        """The time scale, and the choice between picture and rows."""
        return (TIME, SHOW_AS)

    @property
    def is_compressed(self) -> bool:
        """True if periods without changes are shown shortened."""
        return self.choice(TIME.name) == "compressed"

    def set_moment(self, moment: int, node: int | None = None) -> None:
        """Selects the moment that the side pane describes, and the row of the cursor."""
        self.moment, self._looked_at = moment, node

    def set_visible(self, start: int, stop: int) -> None:
        """Notes the visible part of the time."""
        self._visible = start, stop

    def _forget(self) -> None:
        """Does nothing: the rows are the same for all choices."""
