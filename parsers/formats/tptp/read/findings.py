"""Findings of a batch as arrays: kernels and plain code add to them in file order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from parsers.formats.tptp.read.element_chunk import FoundArrays
from parsers.formats.tptp.schema.batch import TraceFinding

if TYPE_CHECKING:
    from parsers.formats.tptp.read.session_state import SessionState


class Findings:
    """Findings of a batch. Their number is in `session_state`."""

    def __init__(self, state: SessionState, found: FoundArrays) -> None:
        self._state = state
        self.kinds, self.offsets, self.values = found.kinds, found.offsets, found.values

    def __len__(self) -> int:
        return int(self._state.findings)

    def append(self, found: TraceFinding) -> None:
        """Adds a finding."""
        row = len(self)
        self.kinds[row], self.offsets[row], self.values[row] = found
        self._state.findings = row + 1

    def __iter__(self) -> Iterator[TraceFinding]:
        for row in range(len(self)):
            yield TraceFinding(int(self.kinds[row]), int(self.offsets[row]), int(self.values[row]))
