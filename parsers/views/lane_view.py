"""What views of shape "timeline" have in common: how they are drawn is chosen, and which moment is looked at."""

from __future__ import annotations

from collections.abc import Sequence

from parsers.model.report import Shape, Switch
from parsers.views.grouped_view import GroupedView
from parsers.views.switches import SwitchableView
from parsers.views.timeline_view import LaneState, TimeLine

TIME = Switch("time", "t", "time", ("linear", "compressed"))
"""Whether stretches in which nothing changes are shortened."""
DRAWN = Switch("drawn", "g", "drawn as", ("time line", "rows"))
"""How lanes are shown."""


class LaneView(SwitchableView, GroupedView):
    """A `View` and a `TimelineView`: groups are lanes (and what stands above them), leaves are what happened."""

    states: Sequence[LaneState] = ()
    has_headings = True

    def __init__(self) -> None:
        super().__init__()
        self._moment: int | None = None
        self._looked_at: int | None = None
        """The row that the cursor was on then."""

    # -- what derived views say ---------------------------------------------------------------------------------------

    def time_line(self, node: int) -> TimeLine:
        """The time line that a row is of."""
        raise NotImplementedError

    def lane_of(self, node: int) -> int:
        """The lane that a row is, or is in."""
        raise NotImplementedError

    def span(self, node: int) -> tuple[int, int] | None:
        """From when to when what a row stands for lasted; None for a lane."""
        raise NotImplementedError

    # -- the view -----------------------------------------------------------------------------------------------------

    @property
    def shape(self) -> Shape:  # type: ignore[override]  # as is chosen
        """As is chosen."""
        return "tree" if self.choice(DRAWN.name) == "rows" else "timeline"

    @property
    def switches(self) -> tuple[Switch, ...]:
        """How time is drawn, and whether it is."""
        return (TIME, DRAWN)

    @property
    def is_compressed(self) -> bool:
        """Whether stretches of time in which nothing changes are shown shortened."""
        return self.choice(TIME.name) == "compressed"

    @property
    def moment(self) -> int | None:
        """The moment that is looked at, since the start of the time line; None: that of the row."""
        return self._moment

    def look_at(self, moment: int, node: int | None = None) -> None:
        """Says which moment the side pane is about, and the row that the cursor is on."""
        self._moment, self._looked_at = moment, node

    def _forget(self) -> None:
        """Rows are the same whatever is chosen."""
