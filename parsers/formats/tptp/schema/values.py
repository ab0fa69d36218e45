"""Conversion of an element's attributes to the numbers of its event."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from parsers.formats.tptp.schema.batch import NEVER
from parsers.formats.tptp.schema.vocabulary import (
    CODES,
    ID,
    NUMBER,
    ROOT_TYPES,
    ROOT_WORD,
    SECONDS,
    SESSION_ELEMENTS,
    SLOTS,
    TRUTH,
    TRUTHS,
    WORD,
    Attribute,
    Vocabulary,
)

NANOS = 9
"""Digits after the decimal point that are used."""
MOST_SECONDS = 9_223_372_035
"""Largest number of seconds whose nanoseconds since 1970 fit into 64 bits."""
MOST_DIGITS = 18
_SECONDS = re.compile(r"([0-9]{1,10})(?:\.([0-9]{1,18}))?", re.ASCII)
_ROOT_PLACES = {word: place for place, word in enumerate(ROOT_TYPES)}
ALL_OF = frozenset(CODES[name] for name in SESSION_ELEMENTS)
"""Codes of elements of which no attribute is unknown."""
MOST_OTHERS = 1000
"""Most unknown attributes remembered. This bounds memory if each element has a new one."""
MOST_UNKNOWN_NAMES = 10_000
"""Most names of unknown elements; elements of further names have one name together."""
FURTHER_NAMES = b"(further names)"


def numbers_of(
    vocabulary: Vocabulary,
    code: int,
    attributes: Sequence[tuple[str, str]],
    words: list[str],
    note_other: Callable[[int, str], None],
) -> list[int]:
    """Returns the numbers of an event by slot: of several values for a slot the first valid one.

    words       receives the texts among them
    note_other  receives the code of the element and an unknown attribute
    """
    numbers, second = [NEVER] * SLOTS, list[tuple[Attribute, str]]()
    known, known_second = vocabulary.spelled[code], vocabulary.second[code]
    for name, value in attributes:
        if name in known:
            _fill(numbers, known[name], value, words)
        elif name in known_second:
            second.append((known_second[name], value))
        elif code not in ALL_OF:
            note_other(code, name)
    for attribute, value in second:
        _fill(numbers, attribute, value, words)
    return numbers


def _fill(numbers: list[int], attribute: Attribute, value: str, words: list[str]) -> None:
    """Fills the slot of an attribute unless it has a number."""
    kind, slot = attribute
    if slot < SLOTS and numbers[slot] == NEVER:
        number = _number(kind, value, words)
        if number is not None:
            numbers[slot] = number


def _number(kind: int, value: str, words: list[str]) -> int | None:
    """Returns a value as a number; None if it is none."""
    if kind in (ID, NUMBER):
        if value.isdecimal() and value.isascii() and len(value) <= MOST_DIGITS:
            return int(value)
        return _word(value, words) if value and kind == ID else None
    if kind == SECONDS:
        return nanoseconds(value)
    if kind == WORD:
        return _word(value, words)
    if kind == ROOT_WORD:
        place = _ROOT_PLACES.get(value)
        return place if place is not None else _word(value, words)
    return TRUTHS.get(value) if kind == TRUTH else None


def _word(value: str, words: list[str]) -> int:
    words.append(value)
    return -len(words)


def nanoseconds(value: str) -> int | None:
    """Returns seconds with a decimal point as nanoseconds; None for anything else."""
    found = _SECONDS.fullmatch(value)
    if found is None or int(found[1]) > MOST_SECONDS:
        return None
    return int(found[1] + (found[2] or "").ljust(NANOS, "0")[:NANOS])
