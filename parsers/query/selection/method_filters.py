"""Filters of a view of a profile or of calls: few different labels, which are methods, threads or packages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from parsers.model.capabilities import HasEnds
from parsers.query.selection.label_filters import LabelFilters, LabelledRows, Texts

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray, BoolArray, U32Array


class MethodFilters(LabelFilters):
    """A `RowFilters` over rows whose labels are numbered."""

    def __init__(self, view: LabelledRows, numbers: AnyArray, texts: Sequence[str]) -> None:
        """
        numbers  by node: the number of its label
        texts    the labels
        """
        super().__init__(view)
        self._numbers, self._texts = numbers, texts

    def ends(self, start: int, stop: int) -> U32Array:
        """First row after each subtree."""
        if isinstance(self._preorder, HasEnds):
            return np.asarray(self._preorder.ends(start, stop)).astype(np.uint32)
        return super().ends(start, stop)

    def _decided(self, decide: Callable[[str], bool], names: Texts | None) -> BoolArray:
        decided: BoolArray = np.fromiter(map(decide, self._texts), np.bool_, len(self._texts))[self._numbers]
        return decided
