"""The choices of a profile view: switches and folded frames; and its computation in the background.

Merging many traces takes longer than a key press may. So a separate copy of the view computes the result in a thread
(`preparation`); numpy releases the lock meanwhile. The view then takes over the result at once.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from copy import copy
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from parsers.model.late.preparation import Preparation
from parsers.model.names.patterns import Patterns
from parsers.model.row import counted
from parsers.model.trees.tree import Preorder
from parsers.model.view import Switch
from parsers.profile.source import ALL, ARROW, ProfileQuery, ProfileSource
from parsers.query.selection.label_filters import MASKS
from parsers.views.switches import SwitchableView

if TYPE_CHECKING:
    from parsers.model.arrays import BoolArray
    from parsers.profile.profile import Profile

SWITCHES = {
    "weight": Switch("weight", "w", "weight", ()),
    "dump": Switch("dump", "d", "dump", ()),
    "thread": Switch("thread", "t", "thread", ()),
    "class": Switch("class", "o", "objects of", ()),
}
"""Letters after `f`; the source defines the choices."""

QUICK = 300_000
"""Number of frames of all traces that are merged within one or two frames of the screen."""


class ProfileChoices(SwitchableView):
    """The choices of a view, and the resulting profile. Base class of views of profiles."""

    def __init__(self, source: ProfileSource, weight: str = "") -> None:
        """weight: the weight shown at first; the only one if the view has no switch of weights."""
        self.source = source
        self._weight = weight
        self._folded: tuple[dict[str, str], frozenset[str]] = ({}, frozenset())
        self._is_merging = False

    @property
    def own_switches(self) -> tuple[Switch, ...]:
        """Switches of this kind of view."""
        return ()

    @cached_property
    def computed_preorder(self) -> Preorder:
        """The nodes for the current choices. Computing them takes long; they don't refer to this view."""
        raise NotImplementedError

    def make(self) -> None:
        """Computes all that rows need."""
        _ = self.computed_preorder

    # -- choices ------------------------------------------------------------------------------------------------------

    @property
    def switches(self) -> tuple[Switch, ...]:
        """The switches with more than one choice."""
        if not self.source.is_ready:
            return ()
        weights = () if self._weight else tuple(self.source.weights)
        weight = self._weight or self._chosen.get("weight", "") or next(iter(weights), "")
        choices = {
            "weight": weights,
            "dump": self.source.dumps,
            "thread": tuple(self.source.threads),
            "class": tuple(self.source.classes(weight)),
        }
        shared = [replace(SWITCHES[name], choices=each) for name, each in choices.items() if len(each) > 1]
        own = [each for each in self.source.own_switches(weight) if len(each.choices) > 1 or each.typed]
        return (*self.own_switches, *shared, *own)

    def meant(self, name: str, text: str) -> str | None:
        """Returns the choice that a text means; the source knows texts for its own switches."""
        found = super().meant(name, text)
        return self.source.meant(name, text) if found is None else found

    def fold_frames(self, patterns: Mapping[str, str], hide: Collection[str] = ()) -> bool:
        """Hides frames of matching methods: they count for the nearest shown caller. False: nothing changed.

        patterns  by option, as `suppress_methods`
        hide      also hidden: "jdk", "synthetic"
        """
        wanted = {name: value for name, value in patterns.items() if value}, frozenset(hide)
        if wanted == self._folded:
            return False
        self._folded = wanted
        self._forget()
        return True

    # -- the chosen profile -------------------------------------------------------------------------------------------

    @property
    def wanted(self) -> ProfileQuery:
        """The choice of the profile shown."""
        chosen = self.chosen
        weight = self._weight or chosen.get("weight", "")
        own = {switch.name for switch in self.source.own_switches(weight)}
        return ProfileQuery(
            weight=weight,
            dump=chosen.get("dump", ALL),
            thread=chosen.get("thread", ALL),
            of_class=chosen.get("class", ALL),
            chosen=tuple((name, choice) for name, choice in chosen.items() if name in own),
        )

    @property
    def is_compared(self) -> bool:
        """True if two dumps are compared."""
        return ARROW in self._chosen.get("dump", ALL) and ARROW in self.wanted.dump

    @cached_property
    def profile(self) -> Profile:
        """The profile to merge."""
        return self.source.profile(self.wanted)

    def hidden_frames(self) -> BoolArray | None:
        """Returns True for frames that a pattern hides; None if none is hidden."""
        patterns, hide = Patterns.from_options(self._folded[0]), self._folded[1]
        if not patterns and not hide:
            return None
        methods = self.source.methods
        matching = np.fromiter(map(patterns.is_suppressed_method, methods), np.bool_, len(methods))
        for name, predicate in MASKS.items():
            if name in hide:
                matching |= np.fromiter(map(predicate, methods), np.bool_, len(methods))
        return matching[self.source.method_of]

    # -- preparation --------------------------------------------------------------------------------------------------

    @property
    def is_prepared(self) -> bool:
        """True if rows are available without much work."""
        return not self._is_merging and ("computed_preorder" in self.__dict__ or self.source.frames < QUICK)

    @property
    def waits_for(self) -> str:
        """Label of the computation that rows wait for."""
        return f"merging {counted(self.source.traces, 'trace')}" if self._is_merging else ""

    def preparation(self) -> Preparation | None:
        """Returns the computation that has to run before there are rows. The view is not ready until it ends.

        None: there is nothing to compute, or it is running.
        """
        if self.is_prepared or self._is_merging or not self.source.is_ready:
            return None
        other = copy(self)
        other._forget()
        other._chosen = self._chosen
        self._is_merging = True
        return Preparation(other.make, lambda: self._take(other))

    def _take(self, other: ProfileChoices) -> bool:
        """Takes over the results of another view. False: the choices have changed meanwhile."""
        self._is_merging = False
        if (other._chosen, other._folded) != (self._chosen, self._folded):
            return False
        for name in other.__dict__.keys() - self.__dict__.keys():
            self.__dict__[name] = other.__dict__[name]
        return True
