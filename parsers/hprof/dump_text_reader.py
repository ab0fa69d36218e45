"""Texts of many Strings at a time: what stands near each other in the file is read together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from parsers.hprof.dump_strings import StringLayout
from parsers.hprof.dump_values import UTF_16
from parsers.hprof.dump_words import BYTE, CHAR, PRIMITIVE_ARRAY_DUMP
from parsers.hprof.object_graph import NO_OBJECT
from parsers.java_method import joined

if TYPE_CHECKING:
    from parsers.hprof.dump_graph import DumpGraph

GAP, MOST_TOGETHER = 4096, 1 << 20
"""Bytes that may lie between two places that are read together, and bytes that are read at once."""
HEAD = 26
"""Bytes before the values of an array, and more."""
LONGEST_FIELD = 8
"""Bytes of a field."""
Read = Callable[[int, int], bytes]


class TextReader:
    """Reads them."""

    def __init__(self, graph: DumpGraph, layout: Sequence[int]) -> None:
        """layout: a `StringLayout`, or nothing"""
        self._graph = graph
        self._read: Read = graph.read
        self._layout = StringLayout(*layout) if len(layout) else None

    def texts(self, strings: Any, most: int) -> list[str | None]:
        """The first characters of the texts of some Strings: int64, objects."""
        import numpy as np

        graph, layout = self._graph, self._layout
        if layout is None:
            return [graph.text(string, most) for string in strings.tolist()]
        if not len(strings):
            return []
        firsts, counts = graph.column("first", strings), graph.column("references", strings)
        arrays = np.full(len(strings), NO_OBJECT, np.int64)
        arrays[counts > 0] = graph.targets(firsts[counts > 0])
        held = np.flatnonzero(arrays != NO_OBJECT)
        found: list[str | None] = [None] * len(strings)
        if len(held):
            texts = self._held(strings[held], arrays[held], layout, most)
            for place, text in zip(held.tolist(), texts, strict=True):
                found[place] = text
        return found

    def _held(self, strings: Any, arrays: Any, layout: StringLayout, most: int) -> list[str | None]:
        """Texts of Strings that have an array."""
        import numpy as np

        graph, size = self._graph, self._graph.id_size
        values = 9 + 2 * size
        lengths = np.full(len(strings), values + max(layout) + LONGEST_FIELD)
        wanted = np.minimum(graph.column("bytes", arrays), 2 * most) + HEAD
        offsets = np.concatenate([graph.column("offset", each) for each in (strings, arrays)])
        data, places = self._together(offsets, np.concatenate([lengths, wanted]))
        of_string, of_array = places[: len(strings)], places[len(strings) :]
        tags, types = data[of_array], data[of_array + 9 + size]
        counts = _number(data, of_array + 5 + size)
        has_text = (tags == PRIMITIVE_ARRAY_DUMP) & ((types == CHAR) | (types == BYTE))
        fields, filled = of_string + values, _number(data, of_string + values - 4)
        begins = np.zeros(len(strings), np.int64)
        if layout.start >= 0 and layout.units >= 0:
            is_there = max(layout.start, layout.units) + 4 <= filled
            begins = np.where(is_there, np.maximum(_signed(data, fields + layout.start), 0), 0)
            units = np.maximum(_signed(data, fields + layout.units), 0)
            counts = np.where(is_there, np.minimum(units, np.maximum(counts - begins, 0)), counts)
        is_utf_16 = np.zeros(len(strings), np.bool_)
        if layout.coder >= 0:
            is_utf_16 = (layout.coder < filled) & (data[fields + layout.coder] == UTF_16)
        widths = np.where(types == CHAR, 2, 1)
        starts, bytes = begins * widths + 10 + size, np.minimum(counts, most) * widths
        # A part may begin far behind the beginning of its array.
        is_near = starts + bytes <= wanted
        whole = data.tobytes().decode("latin-1")
        found: list[str | None] = []
        rows = zip(
            has_text.tolist(), is_near.tolist(), types.tolist(), is_utf_16.tolist(), (of_array + starts).tolist(),
            bytes.tolist(), (offsets[len(strings) :] + starts).tolist(), strict=True,
        )  # fmt: skip
        for is_text, near, type, is_wide, start, count, offset in rows:
            if not is_text:
                found.append(None)
                continue
            text = whole[start : start + count] if near else self._read(count, offset).decode("latin-1")
            if type == CHAR:
                text = _wide(text, "utf-16-be")
            elif is_wide:
                text = _wide(text, "utf-16-le")
            found.append(text)
        return found

    def _together(self, offsets: Any, lengths: Any) -> tuple[Any, Any]:
        """Bytes of the file at some places, as uint8, and where in these each of the places is."""
        import numpy as np

        order = np.argsort(offsets, kind="stable")
        starts, stops = offsets[order], np.maximum.accumulate((offsets + lengths)[order])
        is_far = np.append(True, starts[1:] > stops[:-1] + GAP)
        # Where everything is near, pieces end all the same.
        is_far |= np.append(True, np.diff(starts // MOST_TOGETHER) > 0)
        firsts = np.flatnonzero(is_far)
        ends = stops[np.append(firsts[1:], len(order)) - 1]
        begins = starts[firsts]
        before = np.append(0, np.cumsum(ends - begins))
        data = np.zeros(int(before[-1]), np.uint8)
        for begin, end, at in zip(begins.tolist(), ends.tolist(), before[:-1].tolist(), strict=True):
            piece = np.frombuffer(self._read(end - begin, begin), np.uint8)
            data[at : at + len(piece)] = piece
        groups = np.cumsum(is_far) - 1
        places = np.empty(len(order), np.int64)
        places[order] = starts - begins[groups] + before[:-1][groups]
        return data, places


def _wide(text: str, encoding: str) -> str:
    """A text of two bytes a unit, from its bytes as characters."""
    data = text.encode("latin-1")
    return joined(data[: len(data) // 2 * 2].decode(encoding, "surrogatepass"))


def _number(data: Any, places: Any) -> Any:
    """Numbers of four bytes without sign: int64."""
    import numpy as np

    found = np.zeros(len(places), np.int64)
    for byte in range(4):
        found = found << 8 | data[places + byte]
    return found


def _signed(data: Any, places: Any) -> Any:
    """Numbers of four bytes with sign: int64."""
    import numpy as np

    found = _number(data, places)
    return np.where(found >> 31, found - (1 << 32), found)
