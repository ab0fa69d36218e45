"""Filters for all elements of a file: those that contain a text. They search the file, not the rows."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from parsers.formats.tptp.elements.blocks import ElementBlocks
from parsers.formats.tptp.schema.columns import BLOCK
from parsers.query.selection.label_filters import LabelFilters

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parsers.formats.tptp.elements.places import HeadElements
    from parsers.formats.tptp.report import TraceReport
    from parsers.model.arrays import AnyArray, I64Array
    from parsers.query.search.pattern import Pattern
    from parsers.views.entry_view import EntryView


class ElementFilters(LabelFilters):
    """Filters for elements, which are neither methods nor types: only a pattern hides any."""

    def __init__(
        self,
        view: EntryView,
        report: TraceReport,
        blocks: ElementBlocks | HeadElements,
        listed_nodes: Callable[[], Iterable[int]],
        group_nodes: Callable[[], tuple[int, I64Array]],
    ) -> None:
        """listed_nodes, group_nodes: as in `ElementsView`"""
        super().__init__(view)
        self._elements = view
        self._report, self._blocks = report, blocks
        self._listed_nodes, self._group_nodes = listed_nodes, group_nodes

    def mask(self, name: str, start: int, stop: int) -> AnyArray:
        """Returns no rows."""
        return np.zeros(stop - start, np.bool_)

    def matches(self, options: Mapping[str, str], start: int, stop: int) -> AnyArray:
        """Returns no rows."""
        return np.zeros(stop - start, np.bool_)

    def matching(self, pattern: Pattern) -> NDArray[np.bool_]:
        """Returns, by row, true if its element contains the pattern; for other rows, if their label does."""
        matching, blocks = np.zeros(self.rows, np.bool_), self._blocks
        for node in self._listed_nodes():
            matching[node] = pattern.matches(self._elements.entry_of(node).label)
        assert isinstance(blocks, ElementBlocks)
        in_order, of_names = self._group_nodes()
        for offsets in self._offsets(pattern):
            # Elements of each block are located once.
            borders = np.flatnonzero(np.diff(offsets // BLOCK)) + 1
            for within in np.split(offsets, borders):
                numbers, names, own = _numbers(blocks, within)
                matching[in_order + 1 + numbers] = True
                matching[of_names[names] + 1 + own] = True
        return matching

    def _offsets(self, pattern: Pattern) -> Iterator[AnyArray]:
        """Yields offsets of matching elements, block by block of the search."""
        from parsers.query.search.scan import scan

        report = self._report
        for path, base in report.source.plain_files:
            descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
            try:
                steps = scan(
                    descriptor, pattern, report.plain_encoding, stop=report.source.end, separator=report.separator
                )
                found = [step.lines for step in steps if len(step.lines)]
            finally:
                os.close(descriptor)
            if found:
                yield np.concatenate(found) + base


def _numbers(blocks: ElementBlocks, offsets: I64Array) -> tuple[I64Array, I64Array, I64Array]:
    """Returns file numbers, names and numbers within the name, for elements of one block by their offsets."""
    block = int(offsets[0]) // BLOCK
    places = blocks.of_block(block)
    starts = np.array([place.start for place in places], np.int64)
    at = np.searchsorted(starts, offsets)
    # Offsets without an element, such as those of end tags, are dropped.
    at = at[(at < len(starts)) & (starts[np.minimum(at, len(starts) - 1)] == offsets)] if len(starts) else at[:0]
    if not len(at):
        return at, at, at
    first = blocks.number_at(int(starts[0]))
    assert first is not None
    of_place = blocks.names_of_block(block)
    return first + at, of_place[0][at], of_place[1][at]
