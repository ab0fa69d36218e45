"""Lines that match an expression, by a table of states: the time depends on the bytes, not on the expression.

If each match contains some text, or a few neighbouring bytes, SIMD search proposes lines and only those are scanned.
Else all lines are scanned, in sections. An expression that is only a few short texts needs no states. While the kernel
isn't loaded, or if there are too many states, Python's `re` tests line by line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import stringzilla as sz

from parsers.kernels.library import loaded
from parsers.query.search.automaton import machine_of
from parsers.query.search.byte_states import DEAD, FIRST, MATCH, UNKNOWN, ByteStates, TooManyStates
from parsers.query.search.pattern import folded_to_ascii
from parsers.query.search.regex_facts import quick_length

if TYPE_CHECKING:
    from parsers.model.arrays import I64Array

SECTION = 1 << 14
"""Bytes of a section: many in a block, so that the lanes of the kernel end together."""

WORTH = 1 << 16
"""Bytes of lines to scan after which loading the kernel pays."""

THICK = 4
"""A text in more than one of so many lines is not searched first."""

BYTES_A_STATE = 256
"""If a full table served fewer bytes per state, the next one would do no better."""

StateKernels = tuple[Callable[..., int], Callable[..., int]]
"""`lines_accepted` and `lines_with`."""

LineFinder = Callable[[bytearray, int], "I64Array"]
"""Finds lines in the first so many bytes of a buffer, which are whole lines: their offsets, each once, in order."""

_FEED = 0x0A


class StateFinder:
    """Lines that match an expression.

    proposes  finds lines that include all matching ones; None: nothing is known of them
    asks      decides by `re` if states can't
    texts     each match contains one of them, if `proposes` is None; by place the possible bytes
    is_exact  True if any line that contains one of them matches
    """

    def __init__(
        self,
        states: ByteStates,
        proposes: LineFinder | None,
        asks: LineFinder,
        is_quick: bool,
        texts: Sequence[Sequence[bytes]] = (),
        is_exact: bool = False,
    ) -> None:
        self._states = states
        self._texts = list(texts)
        self._is_exact = is_exact
        self._proposes = proposes
        self._asks = asks
        self._is_quick = is_quick
        self._is_too_large = False
        self._has_begun = False
        self._seen = 0
        self._served = 0

    def __call__(self, data: bytearray, length: int) -> I64Array:
        """Offsets of the matching lines."""
        if self._is_too_large:
            return self._asks(data, length)
        self._seen += length
        kernel = state_kernels() if self._seen > WORTH else None
        has_space = length + 1 < len(data)
        if self._is_quick and (kernel is None or not has_space):
            return self._asks(data, length)
        return self.find_by_states(kernel if has_space else None, data, length)

    def find_by_states(self, kernel: StateKernels | None, data: bytearray, length: int) -> I64Array:
        """The same by states, without a kernel if that is None; by `re` from now on if the states are too many."""
        while length:
            try:
                found = self._by_states(kernel, data, length)
                self._served += length
                return found
            except TooManyStates:
                full = self._states.count
                self._states.clear()
                if self._served <= full * BYTES_A_STATE:
                    self._is_too_large = True
                    return self._asks(data, length)
                self._served = 0
        return np.empty(0, np.int64)

    def lines_plain(self, data: bytes | bytearray, starts: I64Array, stops: I64Array) -> list[int]:
        """Offsets of the matching lines of some sections: the twin of the kernel."""
        states, found = self._states, []
        for start, stop in zip(starts.tolist(), stops.tolist(), strict=True):
            line, state, place = start, FIRST, start
            while place < (stop if stop >= 0 else len(data)):
                byte = data[place]
                follows = int(states.table[256 * state + byte])
                if follows == UNKNOWN:
                    states.learn(state, byte)
                    continue
                if follows == MATCH:
                    found.append(line)
                if follows in (MATCH, DEAD):
                    place, follows = data.index(_FEED, place), FIRST
                    byte = _FEED
                place, state = place + 1, follows
                if byte == _FEED:
                    line = place
                    if stop < 0:
                        break
        return found

    def lines_with(self, kernel: Callable[..., int], data: bytearray, length: int) -> I64Array:
        """Offsets of the lines that contain one of the texts, by the kernel; `SLACK` more bytes must follow them."""
        longest = max(map(len, self._texts))
        most = max(len(few) for text in self._texts for few in text)
        counts = np.zeros((len(self._texts), longest), np.int64)
        table = np.zeros((*counts.shape, most), np.uint8)
        for number, text in enumerate(self._texts):
            for place, few in enumerate(text):
                counts[number, place] = len(few)
                table[number, place, : len(few)] = np.frombuffer(few, np.uint8)
        starts = np.empty(sz.count(memoryview(data)[:length], b"\n") + 1, np.int64)
        return starts[: kernel(np.frombuffer(data, np.uint8), length, table, counts, starts)]

    # -- private ------------------------------------------------------------------------------------------------------

    def _by_states(self, kernel: StateKernels | None, data: bytearray, length: int) -> I64Array:
        if not data.endswith(b"\n", 0, length):
            # The file's last line, or a piece of a long one: it gets a line end after the valid bytes.
            data[length : length + 1] = b"\n"
            length += 1
        if self._is_exact and kernel is not None:
            return self.lines_with(kernel[1], data, length)
        starts, stops = self._sections(kernel, data, length)
        if kernel is None:
            return np.array(self.lines_plain(data, starts, stops), np.int64)
        return self._lines_compiled(kernel, data, length, starts, stops)

    def _sections(self, kernel: StateKernels | None, data: bytearray, length: int) -> tuple[I64Array, I64Array]:
        starts = None
        if self._proposes is not None:
            starts = self._proposes(data, length)
        elif self._texts and kernel is not None:
            starts = self.lines_with(kernel[1], data, length)
        if starts is not None:
            if not self._has_begun:
                self._has_begun = True
                lines = sz.count(memoryview(data)[:length], b"\n")
                if len(starts) * THICK > lines > THICK:
                    self._proposes, self._texts = None, []
            return starts, np.full(len(starts), -1, np.int64)
        places = [0]
        while places[-1] + SECTION < length:
            places.append(data.find(b"\n", places[-1] + SECTION, length) + 1 or length)
        if places[-1] < length:
            places.append(length)
        borders = np.array(places, np.int64)
        return borders[:-1], borders[1:]

    def _lines_compiled(
        self, kernel: StateKernels, data: bytearray, length: int, starts: I64Array, stops: I64Array
    ) -> I64Array:
        from parsers.query.search.state_kernel import LANE, LANES

        states, array = self._states, np.frombuffer(data, np.uint8)
        most = len(starts) if len(stops) and stops[0] < 0 else sz.count(memoryview(data)[:length], b"\n")
        found, lanes, progress = np.empty(most, np.int64), np.zeros(LANES, LANE), np.zeros(2, np.int64)
        while kernel[0](array, length, states.table, starts, stops, lanes, progress, found):
            for place, stop, state, _ in lanes.tolist():
                if place < stop and states.table[256 * state + data[place]] == UNKNOWN:
                    states.learn(state, data[place])
        lines = found[: progress[1]]
        lines.sort()
        return lines


def state_finder(
    expression: re.Pattern[str],
    codec: str,
    proposes: LineFinder | None,
    asks: LineFinder,
    texts: Sequence[Sequence[bytes]] = (),
    is_exact: bool = False,
) -> StateFinder | None:
    """A finder for an expression in a charset; None if there is no automaton for it."""
    machine = machine_of(expression, folded_to_ascii(expression))
    if machine is None:
        return None
    try:
        states = ByteStates(machine, codec)
    except (LookupError, AttributeError):
        return None
    return StateFinder(states, proposes, asks, quick_length(expression.pattern) > 0, texts, is_exact)


def state_kernels() -> StateKernels | None:
    """The kernels; None without compiled ones."""
    accepted = loaded("parsers.query.search.state_kernel:lines_accepted")
    return None if accepted is None else (accepted, loaded("parsers.query.search.state_kernel:lines_with"))
