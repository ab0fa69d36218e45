"""Choices of "Classes": the moment of the counts, the grouping of classes, the objects listed below them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from parsers.formats.tptp.objects.class_groups import GROUPINGS
from parsers.formats.tptp.objects.class_moments import (
    END,
    TIME,
    Moment,
    MomentPosition,
    end_of,
    moment_at,
    moment_text_of,
    moments_of,
    session_words,
)
from parsers.formats.tptp.objects.class_sums import sums_at, sums_at_end
from parsers.formats.tptp.views.recorded_view import RecordedView
from parsers.formats.tptp.views.typed_moment import exact_text, reach, typed_moment
from parsers.model.late.preparation import LazyValue
from parsers.model.view import Switch
from parsers.views.lazy_view import LazyView

if TYPE_CHECKING:
    from parsers.formats.tptp.report import TraceReport
    from parsers.model.arrays import I64Array

GROUP = Switch("group", "g", "group", GROUPINGS)
LISTED = ("live", "collected", "all")
OBJECTS = Switch("objects", "o", "objects", LISTED)
"""The switch for the objects listed below a class."""
MOMENT = "moment"
TYPED = "seconds since the start"
MOST_TYPED = 4
"""Most typed or linked moments that stay available as choices."""


class ClassChoices(LazyView, RecordedView):
    """The current choices, and the sums of classes for them."""

    work = "counting objects"

    def __init__(self, report: TraceReport) -> None:
        super().__init__(report)
        self._found: dict[str, LazyValue[I64Array]] = {}
        """Sums of classes by label of a moment."""
        self._typed: Mapping[str, MomentPosition] = {}
        """Typed moments, the last one first."""

    # -- the moment ---------------------------------------------------------------------------------------------------

    @cached_property
    def _recorded_moments(self) -> Mapping[str, MomentPosition]:
        """Moments of events in the file."""
        return moments_of(self.recording, self.names)

    @property
    def _moments(self) -> Mapping[str, MomentPosition]:
        """All moments that can be chosen."""
        return {**self._typed, **self._recorded_moments}

    @property
    def switches(self) -> tuple[Switch, ...]:
        """The switches for moment, grouping and listed objects."""
        is_known = self.recording.is_complete and self.recording.rows("object")
        when = (Switch(MOMENT, "m", MOMENT, (END, *self._moments), TYPED),) if is_known else ()
        return (*when, GROUP, OBJECTS)

    def meant(self, name: str, text: str) -> str | None:
        """Adds a typed moment of a session to the choices and returns it."""
        found = super().meant(name, text)
        if found is not None or name != MOMENT or not self.recording.is_complete:
            return found
        typed = typed_moment(self.recording, text)
        if typed is None:
            return None
        session, nanos = typed
        first, _ = reach(self.recording, session)
        label = f"{session_words(self.recording, session)}at {exact_text(nanos - first)}"
        kept = {each: place for each, place in self._typed.items() if each != label}
        for old in [each for each in kept if each != self.moment][MOST_TYPED - 1 :]:
            del kept[old]
            self._found.pop(old, None)
        self._typed = {label: MomentPosition(session, TIME, nanos), **kept}
        return label

    def _forget(self) -> None:
        """Discards sums; the moments stay."""
        kept = self._recorded_moments
        super()._forget()
        self.__dict__["_recorded_moments"] = kept

    @property
    def moment(self) -> str:
        """Label of the chosen moment."""
        return self.choice(MOMENT) or END

    @property
    def moment_words(self) -> str:
        """The chosen moment, with its time."""
        place = self._moments.get(self.moment)
        when = "" if place is None else moment_text_of(self.recording, place)
        return f"{self.moment}: {when}" if when else self.moment

    def moment_in(self, session: int) -> Moment:
        """Returns the chosen moment in a session."""
        if self.moment == END:
            return end_of(self.recording, session)
        return moment_at(self.recording, self._moments[self.moment])

    @property
    def sessions(self) -> Sequence[int]:
        """Sessions shown: a moment belongs to one session."""
        if self.moment == END:
            return range(self.recording.sessions)
        return [self._moments[self.moment].session]

    # -- preparation --------------------------------------------------------------------------------------------------

    @property
    def found(self) -> LazyValue[I64Array]:
        """Sums of classes at the chosen moment."""
        moment = self.moment
        found = self._found.get(moment)
        if found is None:
            found = self._found[moment] = LazyValue(lambda: self._count(moment))
        return found

    def _count(self, moment: str) -> I64Array:
        if moment == END:
            return sums_at_end(self.recording)
        return sums_at(self.recording, moment_at(self.recording, self._moments[moment]))

    @property
    def is_quick(self) -> bool:
        """True if the sums are in the index, as those at the end are."""
        return self.moment == END
