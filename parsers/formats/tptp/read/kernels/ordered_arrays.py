"""Arrays that kernels share while they read a recording in file order."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from parsers.formats.tptp.read.element_chunk import FoundArrays
    from parsers.index.kernel_texts import TextSlots
    from parsers.model.arrays import AnyArray, I64Array, U8Array


class AttributePlaces(NamedTuple):
    """Positions of the attributes of an element: int64[MOST_NAMES]."""

    name_starts: I64Array
    name_lengths: I64Array
    value_starts: I64Array
    value_lengths: I64Array


class OrderedArrays(NamedTuple):
    """Arrays that are read and written in file order."""

    state: AnyArray
    """A record of `SessionState`."""
    found: FoundArrays
    places: AttributePlaces
    characters: U8Array
    """uint8[256 + 65536]: see `Sessions.characters`"""
    undecodable: I64Array
    """int64: see `decoding.undecodable`, up to `state.decoded`, and a number above all; -1: plain code decodes"""
    elements: TextSlots
    """Unknown elements."""
    attributes: TextSlots
    """Unknown attributes of known elements: the element's code as a byte, then the name without its prefix."""
    key: U8Array
    """One of them."""
