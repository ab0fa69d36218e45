"""Conversion of an element's attributes to the numbers of its event."""

from __future__ import annotations

import re
from collections.abc import Sequence

from parsers.formats.tptp.schema.batch import NEVER
from parsers.formats.tptp.schema.vocabulary import (
    CODES,
    ID,
    IGNORED,
    NUMBER,
    ROOT_TYPES,
    ROOT_WORD,
    SECONDS,
    SLOTS,
    TELLING,
    TEXT,
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
_TEXT = Attribute(TEXT)
ALL_OF = frozenset(CODES[name] for name in TELLING)
"""Codes of elements of which all attributes are kept."""
MOST_OTHERS = 1000
"""Most unknown attributes remembered. This bounds memory if each element has a new one."""


def numbers_of(
    vocabulary: Vocabulary,
    code: int,
    attributes: Sequence[tuple[str, str]],
    words: list[str],
    others: set[tuple[int, str]],
) -> tuple[list[int], dict[str, str] | None]:
    """Returns the numbers of an event by slot, and all its attributes if the numbers don't cover some that are needed.

    words   receives the texts among them
    others  receives the unknown attributes, with the code of their element
    """
    numbers, kinds, count = [NEVER] * SLOTS, vocabulary.spelled.get(code, {}), len(words)
    for spelled, value in attributes:
        kind, slot = kinds.get(spelled, _TEXT)
        if kind == IGNORED:
            continue
        number = _number(kind, value, words)
        if number is None or numbers[slot] != NEVER:
            del words[count:]
            return _with_care(vocabulary, code, attributes, words, others)
        numbers[slot] = number
    return numbers, None


def _with_care(
    vocabulary: Vocabulary,
    code: int,
    attributes: Sequence[tuple[str, str]],
    words: list[str],
    others: set[tuple[int, str]],
) -> tuple[list[int], dict[str, str] | None]:
    """Converts attributes when something is not as expected."""
    numbers, kinds = [NEVER] * SLOTS, vocabulary.attributes.get(code, {})
    texts_by_name: dict[str, str] = {}
    second: dict[str, str] = {}
    is_all = code in ALL_OF
    for spelled, value in attributes:
        name, is_second = vocabulary.meaning(spelled)
        (second if is_second else texts_by_name).setdefault(name, value)
    for name, value in second.items():
        texts_by_name.setdefault(name, value)
    for name, value in texts_by_name.items():
        kind, slot = kinds.get(name, _TEXT)
        number = _number(kind, value, words)
        if kind == TEXT and not is_all:
            if len(others) < MOST_OTHERS:
                others.add((code, name))
        elif number is None and kind not in (TEXT, IGNORED):
            is_all = True
        elif number is not None and numbers[slot] == NEVER:
            numbers[slot] = number
    return numbers, texts_by_name if is_all else None


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
