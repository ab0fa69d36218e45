"""The states of a `Automaton` over the bytes of a file, computed on demand.

A state is a set of automaton steps, and the bytes of an incomplete character. Bytes are decoded by Python's own
decoder, one at a time, so the result is that of `bytes.decode(codec, "replace")`. A CR waits until it is known whether
it ends the line. A table contains the next state for each state and byte. It is empty at first: a kernel scans a file
with it, and stops at an unknown state.
"""

from __future__ import annotations

import codecs
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from parsers.query.search.automaton import START, Automaton, Kind

if TYPE_CHECKING:
    from numpy.typing import NDArray

SPECIAL = 0x8000
"""Numbers from here on are not states."""
DEAD = 0xFFFD
"""No match is possible in this line."""
MATCH = 0xFFFE
"""The line matches."""
UNKNOWN = 0xFFFF
"""Not computed yet."""

FIRST = 0
"""The state at the beginning of a line."""
IDLE = 1
"""A state that leads to itself, for an idle lane of the kernel."""

MOST_STATES = 4096
"""Maximum number of states; 2 MB."""

_FEED, _RETURN = 0x0A, 0x0D


class TooManyStates(Exception):
    """The table is full."""


class _State(NamedTuple):
    here: frozenset[int]
    before: Kind
    unfinished: bytes
    """The first bytes of a character."""
    has_return: bool
    """True if a CR waits for the next byte."""


class ByteStates:
    """The table for one automaton and one charset, as far as it is known.

    table  uint16[256 s]  by 256 × state + byte; replaced by a longer one as states are found
    """

    def __init__(self, machine: Automaton, codec: str) -> None:
        self._machine = machine
        self._codec = codec
        self._bytes = _bytes_alone(codec)
        self._alike: dict[int, NDArray[np.int64]] = {}
        self._group()
        self.table: NDArray[np.uint16] = np.empty(0, np.uint16)
        self.clear()

    @property
    def count(self) -> int:
        """Number of known states."""
        return len(self._states)

    def clear(self) -> None:
        """Removes all states but the first one."""
        self._machine.forget()
        self._states: list[_State] = []
        self._numbers: dict[_State, int] = {}
        self.table = np.full(64 * 256, UNKNOWN, np.uint16)
        self._number(_State(self._machine.start, START, b"", False))
        self._states.append(self._states[FIRST])
        self.table[IDLE * 256 : IDLE * 256 + 256] = IDLE

    def learn(self, state: int, byte: int) -> None:
        """Computes the next state for a byte and adds it to the table. Raises `TooManyStates`."""
        known = self._states[state]
        follows = self._end(known) if byte == _FEED else self._after(known, byte)
        if not known.unfinished and byte in self._alike:
            self.table[256 * state + self._alike[byte]] = follows
        else:
            self.table[256 * state + byte] = follows

    # -- private ------------------------------------------------------------------------------------------------------

    def _group(self) -> None:
        """Groups single-byte characters that the automaton treats alike; they are learned together."""
        groups: dict[object, list[int]] = {}
        for byte, character in self._bytes.items():
            groups.setdefault(self._machine.sort(character), []).append(byte)
        for alike in groups.values():
            self._alike.update(dict.fromkeys(alike, np.array(alike, np.int64)))

    def _number(self, state: _State) -> int:
        number = self._numbers.get(state)
        if number is None:
            number = len(self._states)
            if number >= MOST_STATES:
                raise TooManyStates
            self._numbers[state] = number
            self._states.append(state)
            if 256 * number >= len(self.table):
                self.table = np.concatenate((self.table, np.full(len(self.table), UNKNOWN, np.uint16)))
        return number

    def _end(self, state: _State) -> int:
        """The result of a line end."""
        place: tuple[frozenset[int], Kind] | None = state.here, state.before
        if state.unfinished:
            place = self._fed(state.here, state.before, state.unfinished.decode(self._codec, "replace"))
        return MATCH if place is None or self._machine.ends(*place) else FIRST

    def _after(self, state: _State, byte: int) -> int:
        here, before, unfinished, has_return = state
        text = self._bytes.get(byte) if not unfinished else None
        if text is not None:
            unfinished = b""
        else:
            text, unfinished = _decoded(self._codec, unfinished + bytes((byte,)))
        text = "\r" * has_return + text
        has_return = byte == _RETURN and text.endswith("\r")
        place = self._fed(here, before, text[: len(text) - has_return])
        if place is None:
            return MATCH
        if not place[0]:
            return DEAD
        return self._number(_State(*place, unfinished, has_return))

    def _fed(self, here: frozenset[int], before: Kind, text: str) -> tuple[frozenset[int], Kind] | None:
        """The steps after some characters, and the kind of the last one; None: it matches."""
        for character in text:
            sort = self._machine.sort(character)
            after = self._machine.after(here, before, sort)
            if after is None:
                return None
            here, before = after, sort[1]
        return here, before


def _decoded(codec: str, data: bytes) -> tuple[str, bytes]:
    """The characters of some bytes, and the bytes at the end that may begin one more."""
    decoder = codecs.getincrementaldecoder(codec)("replace")
    text = decoder.decode(data)
    return text, decoder.getstate()[0]


@lru_cache(maxsize=16)
def _bytes_alone(codec: str) -> dict[int, str]:
    """Bytes that are complete characters, wherever a character may begin; neither LF nor CR."""
    alone = {}
    for byte in range(256):
        text, unfinished = _decoded(codec, bytes((byte,)))
        if len(text) == 1 and not unfinished and byte not in (_FEED, _RETURN):
            alone[byte] = text
    return alone
