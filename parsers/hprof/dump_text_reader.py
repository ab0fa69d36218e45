"""Texts of many Strings at a time: what stands near each other in the file is read together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from parsers.hprof.dump_strings import StringLayout
from parsers.hprof.dump_words import BYTE, CHAR, PRIMITIVE_ARRAY_DUMP
from parsers.java_method import joined

if TYPE_CHECKING:
    from parsers.hprof.dump_graph import DumpGraph

GAP, MOST_TOGETHER = 4096, 1 << 20
"""Bytes that may lie between two places that are read together, and bytes that are read at once."""
HEAD = 26
"""Bytes before the values of an object, with ids of 8 bytes: of an instance 25, of an array of primitives 18."""
MOST_FIELDS = 256
"""Bytes of a String within which its fields stand."""
Read = Callable[[int, int], bytes]


class TextReader:
    """Reads them."""

    def __init__(self, graph: DumpGraph, layout: Sequence[int]) -> None:
        """layout: a `StringLayout`, or nothing"""
        self._graph = graph
        self._read: Read = graph.read
        self._size = graph.id_size
        self._layout = StringLayout(*layout) if len(layout) else None

    def texts(self, strings: Any, most: int) -> list[str | None]:
        """The first characters of the texts of some Strings: int64, objects."""
        import numpy as np

        graph, layout = self._graph, self._layout
        if layout is None:
            return [graph.text(string, most) for string in strings.tolist()]
        firsts, counts = graph.column("first", strings), graph.column("references", strings)
        arrays = np.full(len(strings), -1, np.int64)
        arrays[counts > 0] = graph.targets(firsts[counts > 0])
        has_array = np.flatnonzero(arrays >= 0)
        lengths = np.full(len(strings), min(max(layout) + 8, MOST_FIELDS), np.int64)
        wanted = np.minimum(graph.column("bytes", arrays[has_array]), 2 * most)
        offsets = np.concatenate([graph.column("offset", each) for each in (strings, arrays[has_array])])
        pieces = self._pieces(offsets, np.concatenate([lengths, wanted]) + HEAD)
        found: list[str | None] = [None] * len(strings)
        for place, string in enumerate(has_array.tolist()):
            found[string] = self._text(pieces[string], pieces[len(strings) + place], int(offsets[len(strings) + place]),
                                       layout, most)  # fmt: skip
        return found

    def _pieces(self, offsets: Any, lengths: Any) -> list[bytes]:
        """Bytes of the file at some places."""
        import numpy as np

        order = np.argsort(offsets, kind="stable").tolist()
        starts, stops = offsets.tolist(), (offsets + lengths).tolist()
        found = [b""] * len(starts)
        group: list[int] = []
        first = end = 0
        for place in [*order, -1]:
            is_near = place >= 0 and starts[place] <= end + GAP and stops[place] - first <= MOST_TOGETHER
            if not is_near:
                data = self._read(end - first, first) if group else b""
                for each in group:
                    found[each] = data[starts[each] - first : stops[each] - first]
                if place < 0:
                    break
                group, first, end = [], starts[place], 0
            group.append(place)
            end = max(end, stops[place])
        return found

    def _text(self, string: bytes, array: bytes, offset: int, layout: StringLayout, most: int) -> str | None:
        """One text. offset: of the array"""
        size = self._size
        values = 9 + 2 * size
        if not array or array[0] != PRIMITIVE_ARRAY_DUMP or len(array) < 10 + size:
            return None
        type, length, first = array[9 + size], int.from_bytes(array[5 + size : 9 + size], "big"), 0
        if type not in (CHAR, BYTE):
            return None
        fields = string[values : values + int.from_bytes(string[values - 4 : values], "big")]
        if layout.start >= 0 and layout.units >= 0:
            start, count = (
                int.from_bytes(fields[at : at + 4], "big", signed=True) for at in (layout.start, layout.units)
            )
            first = max(start, 0)
            length = min(max(count, 0), max(length - first, 0))
        width = 2 if type == CHAR else 1
        begin, count = 10 + size + first * width, min(length, most) * width
        data = array[begin : begin + count]
        if len(data) < count:
            # A part far behind the beginning of a long array.
            data = self._read(count, offset + begin)
        if type == CHAR:
            return joined(data[: len(data) // 2 * 2].decode("utf-16-be", "surrogatepass"))
        if layout.coder >= 0 and fields[layout.coder : layout.coder + 1] == b"\x01":
            return joined(data[: len(data) // 2 * 2].decode("utf-16-le", "surrogatepass"))
        return data.decode("latin-1")
