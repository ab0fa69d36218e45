"""Unique words of events by number, with names in Java notation."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from parsers.formats.tptp.schema.batch import NEVER, EventBatch
from parsers.formats.tptp.schema.vocabulary import CLASS_NAME, CODES, METHOD_NAME, ROOT_TYPES, SLOTS
from parsers.model.names.java_method import class_name

FIRST_WORDS = tuple(name.encode() for name in ROOT_TYPES)
"""The first words of every recording, so that the index of a root type is the number of its word."""
CLASS_DEFINED, METHOD_DEFINED = CODES["classDef"], CODES["methodDef"]
SPECIAL = {"-init-": "<init>", "-clinit-": "<clinit>"}
"""Agents' spellings of method names that XML would have to escape, as in recorded files."""


def word_numbers(
    batch: EventBatch, defining: Iterable[int], numbers: Callable[[Iterable[bytes]], list[int]]
) -> list[int]:
    """Returns the numbers of the words of a batch, in its order.

    defining  the rows of its classDefs and methodDefs
    numbers   returns the numbers of texts, which may be new
    """
    words = list(batch.words)
    for row in defining if words else ():
        is_class = batch.code[row] == CLASS_DEFINED
        place = -1 - int(batch.numbers[row * SLOTS + (CLASS_NAME if is_class else METHOD_NAME)])
        if 0 <= place < len(words):
            words[place] = class_name(words[place]) if is_class else method_name(words[place])
    return numbers(word.encode("utf-8", "replace") for word in words)


def method_name(text: str) -> str:
    """Returns the name of a method in Java notation."""
    return SPECIAL.get(text, text)


def id_text(id: int, word: Callable[[int], bytes]) -> str:
    """Returns an id as the file writes it. word: returns a word by its number"""
    return str(id) if id >= 0 else word(-1 - id).decode("utf-8", "replace") if id != NEVER else ""
