"""Arrays that kernels share while they read a recording in file order."""

from __future__ import annotations

from typing import Any, NamedTuple


class NameSlots(NamedTuple):
    """Unique names: see `text_table`."""

    slots: Any
    starts: Any
    blob: Any


class OrderedArrays(NamedTuple):
    """Arrays that are read and written in file order."""

    state: Any
    """int64: see `session_state`"""
    kinds: Any
    """uint8, as the following: findings"""
    offsets: Any
    """int64"""
    values: Any
    """int64"""
    odd: Any
    """uint32: numbers of the names of unknown elements, in the order of their rows"""
    name_starts: Any
    """int64[MOST_NAMES]: attributes of an element"""
    name_lengths: Any
    """int64[MOST_NAMES]"""
    value_starts: Any
    """int64[MOST_NAMES]"""
    value_lengths: Any
    """int64[MOST_NAMES]"""
    word_starts: Any
    """uint32: words of the batch, in the chunk"""
    word_lengths: Any
    """uint32"""
    word_encodings: Any
    """uint8: see `kernels.text`"""
    characters: Any
    """uint8[256 + 65536]: see `Sessions.characters`"""
    elements: NameSlots
    """Unknown elements."""
    attributes: NameSlots
    """Unknown attributes of known elements: the element's code as a byte, then the name without its prefix."""
    key: Any
    """uint8: one of them"""


class Names(NamedTuple):
    """Tables of `element_names`."""

    elements: Any
    attributes: Any
    words: Any
    codes: Any
    all_codes: Any
    reads: Any
    """With words."""
