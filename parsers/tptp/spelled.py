"""Words of events: unique ones by number, with names as Java writes them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from parsers.tptp.batch import NEVER, EventBatch
from parsers.tptp.vocabulary import CLASS_NAME, CODES, METHOD_NAME, ROOT_TYPES, SLOTS

FIRST_WORDS = tuple(name.encode() for name in ROOT_TYPES)
"""The first words of every recording: so the place of a type of roots is the number of its word."""
CLASS_DEFINED, METHOD_DEFINED = CODES["classDef"], CODES["methodDef"]
SPECIAL = {"-init-": "<init>", "-clinit-": "<clinit>"}
"""How agents write names of methods that XML would have to escape (format page, section 3)."""
PRIMITIVES = {
    "B": "byte",
    "C": "char",
    "D": "double",
    "F": "float",
    "I": "int",
    "J": "long",
    "S": "short",
    "Z": "boolean",
}


def word_numbers(batch: EventBatch, number: Callable[[bytes], int]) -> list[int]:
    """The numbers of the words of a batch, in its order. number: gives that of a text, which may be new"""
    if not batch.words:
        return []
    words = list(batch.words)
    codes: Any = memoryview(batch.code)
    for row, code in enumerate(codes.tolist() if len(words) * 8 > len(codes) else codes):
        if code in (CLASS_DEFINED, METHOD_DEFINED):
            slot = CLASS_NAME if code == CLASS_DEFINED else METHOD_NAME
            place = -1 - int(batch.numbers[row * SLOTS + slot])
            if 0 <= place < len(words):
                words[place] = class_name(words[place]) if code == CLASS_DEFINED else method_name(words[place])
    return [number(word.encode("utf-8", "replace")) for word in words]


def class_name(text: str) -> str:
    """The name of a class as Java writes it: dots, arrays with brackets."""
    text = text.replace("/", ".")
    element = text.lstrip("[")
    arrays = len(text) - len(element)
    if not arrays:
        return text
    if element in PRIMITIVES:
        element = PRIMITIVES[element]
    elif element.startswith("L") and element.endswith(";"):
        element = element[1:-1]
    else:
        return text
    return element + arrays * "[]"


def method_name(text: str) -> str:
    """The name of a method as Java writes it."""
    return SPECIAL.get(text, text)


def id_text(id: int, word: Callable[[int], bytes]) -> str:
    """An id as the file has it. word: gives a word by its number"""
    return str(id) if id >= 0 else word(-1 - id).decode("utf-8", "replace") if id != NEVER else ""
