"""How a view of a profile is made: what is chosen of its switches, which frames are folded; and making it beside.

Merging many traces takes longer than a key may wait. So a view can be made by another one of its kind that nobody else
has (`preparation`), in a thread: numpy lets others go on meanwhile. What that has worked out is taken over at once.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from copy import copy
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from parsers.model.java_name import is_jdk, is_synthetic
from parsers.model.patterns import Patterns
from parsers.model.preparation import Preparation
from parsers.model.report import Preorder, Switch
from parsers.profile.source import ALL, ARROW, ProfileSource, Wanted
from parsers.views.switches import SwitchableView

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parsers.profile.profile import Profile

MASKS: Mapping[str, Callable[[str], bool]] = {"jdk": is_jdk, "synthetic": is_synthetic}
"""Methods that can be left out, by the names of the filters."""

SWITCHES = {
    "weight": Switch("weight", "w", "weight", ()),
    "dump": Switch("dump", "d", "dump", ()),
    "thread": Switch("thread", "t", "thread", ()),
    "class": Switch("class", "o", "objects of", ()),
}
"""Letters after `f`; choices are the source's."""

QUICK = 300_000
"""Frames of all traces that are merged within a frame of the screen or two."""


class ProfileChoices(SwitchableView):
    """What is chosen of a view, and the profile that this asks for. Views of profiles derive from it."""

    def __init__(self, source: ProfileSource, weight: str = "") -> None:
        """weight: what it shows at first, and alone if it has no switch of weights."""
        super().__init__()
        self.source = source
        self._weight = weight
        self._folded: tuple[dict[str, str], frozenset[str]] = ({}, frozenset())
        self._is_being_made = False

    @property
    def own_switches(self) -> tuple[Switch, ...]:
        """Switches of this kind of view."""
        return ()

    @cached_property
    def made_preorder(self) -> Preorder:
        """The nodes, for what is chosen now. Making them is what takes long; nothing in them knows this view."""
        raise NotImplementedError

    def make(self) -> None:
        """Works out all that rows need."""
        _ = self.made_preorder

    # -- choices ------------------------------------------------------------------------------------------------------

    @property
    def switches(self) -> tuple[Switch, ...]:
        """What can be chosen, where there is more than one thing to choose."""
        if not self.source.is_ready:
            return ()
        weights = () if self._weight else tuple(self.source.weights)
        weight = self._weight or self._chosen.get("weight", "") or next(iter(weights), "")
        choices = {
            "weight": weights,
            "dump": tuple(self.source.dumps),
            "thread": tuple(self.source.threads),
            "class": tuple(self.source.classes(weight)),
        }
        shared = [replace(SWITCHES[name], choices=each) for name, each in choices.items()]
        return (*self.own_switches, *(switch for switch in shared if len(switch.choices) > 1))

    def fold_frames(self, patterns: Mapping[str, str], hide: Collection[str] = ()) -> bool:
        """Leaves out frames whose method is met: they count for the nearest caller that is shown. False: as it was.

        patterns  by option, as `suppress_methods`
        hide      what is left out besides: "jdk", "synthetic"
        """
        wanted = {name: value for name, value in patterns.items() if value}, frozenset(hide)
        if wanted == self._folded:
            return False
        self._folded = wanted
        self._forget()
        return True

    # -- what that asks for -------------------------------------------------------------------------------------------

    @property
    def wanted(self) -> Wanted:
        """The profile that is shown."""
        chosen = self.chosen
        return Wanted(
            weight=self._weight or chosen.get("weight", ""),
            dump=chosen.get("dump", ALL),
            thread=chosen.get("thread", ALL),
            of_class=chosen.get("class", ALL),
        )

    @property
    def is_compared(self) -> bool:
        """Whether two dumps are held against each other."""
        return ARROW in self.wanted.dump

    @cached_property
    def profile(self) -> Profile:
        """What is merged."""
        return self.source.profile(self.wanted)

    def hidden_frames(self) -> NDArray[Any] | None:
        """By frame: whether a pattern folds it; None if none does."""
        import numpy as np

        patterns, hide = Patterns.from_options(self._folded[0]), self._folded[1]
        if not patterns and not hide:
            return None
        methods = self.source.methods
        met = np.fromiter(map(patterns.is_suppressed_method, methods), np.bool_, len(methods))
        for name, is_met in MASKS.items():
            if name in hide:
                met |= np.fromiter(map(is_met, methods), np.bool_, len(methods))
        found: NDArray[Any] = met[self.source.method_of]
        return found

    # -- making it beside ---------------------------------------------------------------------------------------------

    @property
    def is_made(self) -> bool:
        """Whether rows can be had without much work."""
        return not self._is_being_made and ("made_preorder" in self.__dict__ or self.source.frames < QUICK)

    @property
    def waits_for(self) -> str:
        """What is done before there are rows."""
        return f"merging {self.source.traces:,} traces" if self._is_being_made else ""

    def preparation(self) -> Preparation | None:
        """What is to be done before there are rows. Until it is finished the view is not ready.

        None: there is nothing to be done, or it is under way.
        """
        if self.is_made or self._is_being_made or not self.source.is_ready:
            return None
        other = copy(self)
        other._forget()
        other._chosen = dict(self._chosen)
        self._is_being_made = True
        return Preparation(other.make, lambda: self._take(other))

    def _take(self, other: ProfileChoices) -> bool:
        """Has what another view has worked out. False: something else was chosen meanwhile."""
        self._is_being_made = False
        if (other._chosen, other._folded) != (self._chosen, self._folded):
            return False
        for name in other.__dict__.keys() - self.__dict__.keys():
            self.__dict__[name] = other.__dict__[name]
        return True
