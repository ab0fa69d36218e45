"""Comparison of the methods of two builds: added, removed or moved methods, and those introducing them.

Methods are equal if their normalised names are. Several may share a name, such as the lambdas of a class, so counts are
compared. A method is *moved* if the last step of its shortest path begins at another method than before. Neither step
may be on a shortest path in the other build.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from parsers.formats.graalvm.builds.methods import NO_METHOD, BuildMethods, holder_of, nearest_ancestors
from parsers.formats.graalvm.calls.index.row import package_of
from parsers.model.lookup import numbered
from parsers.reporting.comparison.text_numbers import number_together

if TYPE_CHECKING:
    from parsers.model.arrays import BoolArray, I64Array

INEXACT = "seven tables join a virtual call with all overrides of its target"


@dataclass(frozen=True, slots=True)
class BuildGroups:
    """Classes or packages of both builds, numbered together."""

    names: Sequence[str]
    old: I64Array
    """int64 by group: number of methods of the old build."""
    new: I64Array


class ComparedMethods:
    """Union of two builds. *Names* are numbers of normalised names, *methods* are numbers in a build."""

    def __init__(self, old: BuildMethods, new: BuildMethods) -> None:
        self.old, self.new = old, new
        old_numbers, new_numbers, self.count = number_together(old.texts, new.texts)
        self.old_names = old_numbers[old.names].astype(np.int64)
        """int64 by method of the old build: its name."""
        self.new_names = new_numbers[new.names].astype(np.int64)
        self.old_counts = np.bincount(self.old_names, minlength=self.count)
        """int64 by name: number of methods of the old build."""
        self.new_counts = np.bincount(self.new_names, minlength=self.count)

    # -- paths --------------------------------------------------------------------------------------------------------

    @cached_property
    def _step_keys(self) -> tuple[I64Array, I64Array]:
        """By method of each build: its name and that of its caller on the shortest path, combined to a number.

        The caller of a method without one is the name number after the last.
        """
        old, new = (
            self._keys(names, names[build.owners] if len(names) else names, build.owners)
            for build, names in ((self.old, self.old_names), (self.new, self.new_names))
        )
        return old, new

    def _keys(self, names: I64Array, callers: I64Array, owners: I64Array) -> I64Array:
        return names * (self.count + 1) + np.where(owners != NO_METHOD, callers, self.count)

    @cached_property
    def _steps(self) -> tuple[BoolArray, BoolArray]:
        """By method of each build: True if fewer methods of its name have that last step in the other build."""
        keys = self._step_keys
        steps, places = np.unique(np.concatenate(keys), return_inverse=True)
        split = len(keys[0])
        old = np.bincount(places[:split], minlength=len(steps))
        new = np.bincount(places[split:], minlength=len(steps))
        return (old > new)[places[:split]], (new > old)[places[split:]]

    @cached_property
    def is_moved(self) -> BoolArray:
        """bool by name: True if both builds have as many methods of it, but neither has the path of the other.

        A build prints one of several shortest paths, perhaps not that of the other build. So the old path must be no
        shortest one now, and the new path must have been none before.
        """
        if self.new.is_inexact != self.old.is_inexact:
            return self._is_surely_moved
        return self._has_lost(0) & self._has_lost(1)

    def _has_lost(self, side: int) -> BoolArray:
        """bool by name: True if the last step to a method in one build is on no shortest path in the other one."""
        build, names = ((self.new, self.new_names), (self.old, self.old_names))[side]
        other, (called, keys), is_shortest = self._calls(build, names, self._steps[1 - side])
        has_it = is_shortest & np.isin(keys, self._step_keys[side][self._steps[side]])
        return self._named(names[np.setdiff1d(other, called[has_it])])

    @cached_property
    def _is_surely_moved(self) -> BoolArray:
        """As `is_moved` if one build lists more calls than are real: a call missing there does not exist at all.

        So a method has moved if the last step of the other build isn't listed.
        """
        builds = (self.old, self.old_names), (self.new, self.new_names)
        more = int(self.new.is_inexact)
        other, calls, _ = self._calls(*builds[more], self._steps[more])
        step = self._step_keys[1 - more][self._steps[1 - more]]
        names = builds[more][1]
        is_step = np.isin(calls[1], step)
        return self._named(np.setdiff1d(names[other], names[calls[0][is_step]]))

    def _calls(
        self, build: BuildMethods, names: I64Array, has_other_step: BoolArray
    ) -> tuple[I64Array, tuple[I64Array, I64Array], BoolArray]:
        """Methods with another last step, whose names are equally frequent in both builds, and the calls of them.

        For each call: the callee, its key as that of a step, and True if it is on a shortest path.
        """
        other = np.flatnonzero(has_other_step & (self.old_counts == self.new_counts)[names])
        called, callers = build.calls_of(other)
        keys = self._keys(names[called], names[callers], callers)
        return other, (called, keys), build.distances[callers] + 1 == build.distances[called]

    def _named(self, names: I64Array) -> BoolArray:
        found = np.zeros(self.count, bool)
        found[names] = True
        return found

    @cached_property
    def added(self) -> BoolArray:
        """bool by method of the new build: True if the old build has fewer of its name."""
        excess = np.maximum(self.new_counts - self.old_counts, 0)
        return _beyond(self.new_names, excess, self._steps[1], self.new.distances)

    @cached_property
    def removed(self) -> BoolArray:
        """bool by method of the old build: True if the new build has fewer of its name."""
        excess = np.maximum(self.old_counts - self.new_counts, 0)
        return _beyond(self.old_names, excess, self._steps[0], self.old.distances)

    @cached_property
    def introduced_by(self) -> I64Array:
        """int64 by method of the new build: the nearest method on its shortest path that existed before."""
        return nearest_ancestors(self.new.owners, self.added)[0]

    @cached_property
    def rerouted_along(self) -> I64Array:
        """int64 by name: number of methods whose last step is the same, but whose path differs farther up."""
        has_other_step = self.added | self.is_moved[self.new_names]
        ancestors = nearest_ancestors(self.new.owners, ~has_other_step)[0]
        return np.bincount(self.new_names[~has_other_step & (ancestors >= 0)], minlength=self.count)

    @cached_property
    def _examples(self) -> tuple[I64Array, I64Array]:
        """By name a method of each build: an added, removed or moved one if there is any, else the nearest one."""
        old = _example(self.old_names, self.removed, self._steps[0], self.old.distances, self.count)
        new = _example(self.new_names, self.added, self._steps[1], self.new.distances, self.count)
        return old, new

    def example(self, name: int, is_new: bool) -> int:
        """Returns the method of a name in one of the builds; `NO_METHOD` if that has none."""
        return int(self._examples[is_new][name])

    def label(self, name: int) -> str:
        """Returns the text of a name, from the new build if that has it."""
        is_new = bool(self.new_counts[name] > 0)
        build = self.new if is_new else self.old
        return build.texts.text(int(build.names[self.example(name, is_new)]))

    def path(self, method: int, is_new: bool) -> list[int]:
        """Returns the shortest path to a method in a build: methods from an entry down to it."""
        owners, found = (self.new if is_new else self.old).owners, [method]
        while (owner := int(owners[found[-1]])) != NO_METHOD:
            found.append(owner)
        return found[::-1]

    # -- groups -------------------------------------------------------------------------------------------------------

    @cached_property
    def _class_numbers(self) -> tuple[list[str], I64Array, I64Array]:
        old = self.old.class_names
        names, numbers = numbered([*old, *self.new.class_names])
        return names, numbers[: len(old)][self.old.class_of], numbers[len(old) :][self.new.class_of]

    @cached_property
    def classes(self) -> BuildGroups:
        """All classes."""
        names, old, new = self._class_numbers
        return BuildGroups(names, np.bincount(old, minlength=len(names)), np.bincount(new, minlength=len(names)))

    @cached_property
    def package_of_class(self) -> I64Array:
        """int64 by class: its package."""
        return self._packages[1]

    @cached_property
    def _packages(self) -> tuple[BuildGroups, I64Array]:
        classes = self.classes
        names, of_class = numbered(map(package_of, classes.names))
        # Weights of bincount are floats, which hold whole numbers up to 2^53.
        old, new = (np.bincount(of_class, counts, len(names)).astype(np.int64) for counts in (classes.old, classes.new))
        return BuildGroups(names, old, new), of_class

    @property
    def packages(self) -> BuildGroups:
        """All packages."""
        return self._packages[0]

    @cached_property
    def _class_examples(self) -> tuple[I64Array, I64Array]:
        """By class one of its methods in each build, `NO_METHOD` if none."""
        names, *numbers = self._class_numbers
        found = np.full((2, len(names)), NO_METHOD, np.int64)
        for examples, of_method in zip(found, numbers, strict=True):
            examples[of_method] = np.arange(len(of_method))
        return found[0], found[1]

    def printed_class(self, number: int, is_new: bool) -> str | None:
        """Name in one of the reports of a class, or of one equal to it; None if it has none."""
        method, build = int(self._class_examples[is_new][number]), self.new if is_new else self.old
        if method == NO_METHOD:
            return None
        return holder_of(build.report.text(bytes(build.report.names[int(build.names[method])])))

    def class_of_names(self, names: I64Array) -> I64Array:
        """Classes of some names."""
        _, old, new = self._class_numbers
        old_examples, new_examples = self._examples
        is_new = self.new_counts[names] > 0
        found = np.empty(len(names), np.int64)
        found[is_new] = new[new_examples[names[is_new]]]
        found[~is_new] = old[old_examples[names[~is_new]]]
        return found

    @property
    def notes(self) -> Sequence[str]:
        """Remarks on reports that list more calls than are real.

        In seven tables, those of 21.3 to 24.0, the callees of a call are listed at all other calls of the same target
        (oracle/graal issue 8496).
        """
        if self.old.is_inexact and self.new.is_inexact:
            return (f"{INEXACT}: methods may be shown as rerouted or introduced because of calls that don't exist",)
        if self.old.is_inexact or self.new.is_inexact:
            which = "old" if self.old.is_inexact else "new"
            return (f"{INEXACT} in the {which} build: only methods that are certainly rerouted are shown as rerouted",)
        return ()

    # -- the whole ----------------------------------------------------------------------------------------------------

    @cached_property
    def summary(self) -> Mapping[str, int]:
        """Counts by displayed label."""
        both = int(np.minimum(self.old_counts, self.new_counts).sum())
        found = {
            "in both": both,
            "came": int(self.added.sum()),
            "went": int(self.removed.sum()),
            "moved": int(self.new_counts[self.is_moved].sum()),
            "moved along": int(self.rerouted_along.sum()),
        }
        if not self.new.is_as_printed:
            found["names merged, old"] = _merged(self.old, self.old_names)
            found["names merged, new"] = _merged(self.new, self.new_names)
        return found


def _beyond(names: I64Array, excess: I64Array, is_preferred: BoolArray, distances: I64Array) -> BoolArray:
    """bool by method: True for the first `excess` methods of each name, ordered by preference, then distance."""
    found = np.zeros(len(names), bool)
    wanted = np.flatnonzero(excess[names] > 0)
    order = wanted[np.lexsort((distances[wanted], ~is_preferred[wanted], names[wanted]))]
    sorted_names = names[order]
    rank = np.arange(len(order)) - np.searchsorted(sorted_names, sorted_names)
    found[order[rank < excess[sorted_names]]] = True
    return found


def _example(
    names: I64Array, is_beyond: BoolArray, is_preferred: BoolArray, distances: I64Array, count: int
) -> I64Array:
    """int64 by name: one of its methods, `NO_METHOD` if none."""
    found = np.full(count, NO_METHOD, np.int64)
    order = np.lexsort((-distances, is_preferred, is_beyond))
    # With several numbers for one place, the last one remains.
    found[names[order]] = order
    return found


def _merged(build: BuildMethods, names: I64Array) -> int:
    """Returns the number of different names of a build that have become equal to others."""
    printed, compared = (np.count_nonzero(np.bincount(each)) for each in (build.names, names))
    return int(printed - compared)
