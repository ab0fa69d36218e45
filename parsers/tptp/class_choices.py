"""When the objects of a recording are counted by class, what classes stand below, and which objects below these."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from parsers.prepared import Preparation, Prepared
from parsers.report import Switch
from parsers.switched import Switched
from parsers.tptp.class_groups import GROUPINGS
from parsers.tptp.class_moments import END, Moment, end_of, moment_at, moment_text_of, moments_of
from parsers.tptp.class_sums import sums_at, sums_at_end

if TYPE_CHECKING:
    from parsers.tptp.report import TraceReport

GROUP = Switch("group", "g", "group", GROUPINGS)
LISTED = ("live", "collected", "all")
OBJECTS = Switch("objects", "o", "objects", LISTED)
"""Which objects stand below a class."""


class ClassChoices(Switched):
    """What is chosen, and the sums of classes for that."""

    def __init__(self, report: TraceReport) -> None:
        super().__init__()
        self.report = report
        self.recording = report.recording
        self.names = report.names_of
        self._found: dict[str, Prepared[Any]] = {}
        """By label of a moment the sums of classes."""

    # -- the moment ---------------------------------------------------------------------------------------------------

    @cached_property
    def _moments(self) -> Mapping[str, tuple[str, int]]:
        return moments_of(self.recording, self.names)

    @property
    def switches(self) -> tuple[Switch, ...]:
        """When objects are counted, what classes stand below, which objects are listed."""
        moments = self._moments if self.recording.is_complete else {}
        when = (Switch("moment", "m", "moment", (END, *moments)),) if moments else ()
        return (*when, GROUP, OBJECTS)

    def _forget(self) -> None:
        """Moments are what they were."""
        kept = self._moments
        super()._forget()
        self.__dict__["_moments"] = kept

    @property
    def moment(self) -> str:
        """The label of the one that is chosen."""
        return self.choice("moment") or END

    @property
    def moment_words(self) -> str:
        """The moment, and when that was."""
        place = self._moments.get(self.moment)
        when = "" if place is None else moment_text_of(self.recording, *place)
        return f"{self.moment}: {when}" if when else self.moment

    def moment_in(self, session: int) -> Moment:
        """The moment as it is in a session."""
        if self.moment == END:
            return end_of(self.recording, self.names, session)
        return moment_at(self.recording, self.names, self.moment, *self._moments[self.moment])

    @property
    def sessions(self) -> Sequence[int]:
        """Those that are shown: a moment is one of a session."""
        if self.moment == END:
            return range(self.names.sessions)
        return [self.names.session_of(*self._moments[self.moment])]

    # -- making it ----------------------------------------------------------------------------------------------------

    @property
    def sums(self) -> Prepared[Any]:
        moment = self.moment
        found = self._found.get(moment)
        if found is None:
            found = self._found[moment] = Prepared(lambda: self._count(moment))
        return found

    def _count(self, moment: str) -> Any:
        if moment == END:
            return sums_at_end(self.recording)
        return sums_at(self.recording, moment_at(self.recording, self.names, moment, *self._moments[moment]))

    @property
    def is_ready(self) -> bool:
        """Frees may stand anywhere."""
        return bool(self.recording.is_complete) and not self.sums.is_under_way

    @property
    def is_made(self) -> bool:
        """Whether rows can be had without much work: at the end everything is counted."""
        return self.moment == END or self.sums.is_made

    @property
    def waits_for(self) -> str:
        """What is done before there are rows."""
        return "counting objects" if self.sums.is_under_way else ""

    def preparation(self) -> Preparation | None:
        """What is to be done before there are rows."""
        return self.sums.preparation() if self.is_ready and self.moment != END else None
