"""Last step of indexing an object tree: types and totals. Plain twin: `plain`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from parsers.formats.graalvm.objects.index.kernel import HAS_LOADER, HAS_POSITION
from parsers.formats.graalvm.objects.index.plain import OBJECT_TOTALS, format_version, totals_by_kind
from parsers.formats.graalvm.objects.index.types import PIECE, build_types
from parsers.formats.graalvm.text.read.build import TextBuild
from parsers.formats.graalvm.text.read.chunk import CONTROLS, DECLARED, DUPLICATES, NULS
from parsers.formats.graalvm.text.read.end import TextEnd
from parsers.formats.graalvm.text.read.end_kernel import group, strange_texts
from parsers.formats.graalvm.text.read.join_kernel import DECLARES_BIT
from parsers.formats.graalvm.text.read.line import DEEPEST
from parsers.formats.graalvm.text.read.plain_counts import ordered
from parsers.formats.graalvm.text.summary import ProblemNumbers
from parsers.index.texts import Texts
from parsers.io.charset import decode


class ObjectEnd:
    """Saves the arrays that only object trees have, and computes totals and facts."""

    def __init__(self, build: TextBuild) -> None:
        self._build = build
        self.end = TextEnd(build)

    def run(self) -> None:
        """Sorts, counts and saves everything except the header."""
        self.end.run([self._save_types])

    def _save_types(self) -> None:
        end, build = self.end, self._build
        names = Texts(build.whole.name_starts[: end.names + 1].data, build.whole.name_bytes.data)
        arrays = build_types(
            names,
            end.thing_name,
            end.declaration,
            end.vertex,
            build.ends_of,
            self._references(),
            self._roots(),
            order_of,
        )
        for name, values in arrays.items():
            build.writer.save(f"types.{name}", values)

    def _references(self) -> Callable[[Any], Any]:
        """Function that counts the references to declared objects: all of their rows except declarations."""
        end, starts = self.end, self.end.starts
        if not self._build.facts[DUPLICATES]:
            return lambda vertices: starts[vertices + 1] - starts[vertices] - np.uint32(1)
        declared = np.zeros(end.vertices, np.int64)
        for piece in pieces(end.rows):
            declares = end.kind[piece] & np.uint8(DECLARES_BIT) != 0
            declared += np.bincount(end.vertex[piece][declares], minlength=end.vertices)
        return lambda vertices: starts[vertices + 1] - starts[vertices] - declared[vertices]

    def _roots(self) -> Any:
        """uint32: rows without parent; no row before them has a smaller depth."""
        found = [np.zeros(0, np.uint32)]
        lowest = np.uint16(DEEPEST)
        for piece in pieces(self.end.rows):
            depth = self.end.depth[piece]
            lows = np.minimum(np.minimum.accumulate(depth), lowest)
            found.append((np.flatnonzero(depth <= lows) + piece.start).astype(np.uint32))
            lowest = lows[-1]
        return np.concatenate(found)

    def totals(self) -> dict[str, int]:
        """Returns all counts of an object tree."""
        facts = self._build.facts
        totals = self.end.totals() | totals_by_kind(self._build.sums.kinds.tolist())
        totals |= {
            "objects": totals["ids"],
            "types": self._types(),
            "nul_bytes": int(facts[NULS]),
            "control_characters": int(facts[CONTROLS]),
        }
        return ordered(totals, OBJECT_TOTALS)

    def _types(self) -> int:
        """Returns the number of different types in rows that declare an object."""
        end, whole = self.end, self._build.whole
        declared = whole.declared_row[: int(self._build.facts[DECLARED])]
        is_used = np.zeros(end.names + 1, np.bool_)
        strangers = np.array(sorted(end.alias_of_row), np.int64)
        for piece in pieces(len(declared)):
            rows = declared[piece]
            names = end.thing_name[end.vertex[rows]]
            for place in np.flatnonzero(np.isin(rows, strangers)).tolist():
                # The row names its object differently from the object's first row.
                names[place] = end.alias_of_row[int(rows[place])]
            is_used[np.minimum(names, end.names)] = True
        used = np.flatnonzero(is_used[: end.names])
        is_utf8 = self._build.boxes.encoding == "utf-8"
        strange = np.empty(end.names, np.uint32)
        found = strange[: strange_texts(whole.name_starts, whole.name_bytes, end.names, is_utf8, strange)]
        found = found[is_used[found]]
        texts = Texts(whole.name_starts[: end.names + 1].data, whole.name_bytes.data)
        encoding = self._build.boxes.encoding
        return len(used) - len(found) + len({decode(texts[number], encoding) for number in found.tolist()})

    def findings(self, ends_well: bool) -> tuple[list[ProblemNumbers], int]:
        """Returns the first problems, and their total number."""
        return self.end.findings(ends_well)

    def facts(self, totals: dict[str, int]) -> dict[str, Any]:
        """Facts concluded from the rows."""
        tags = self._build.sums.tags
        numbers = np.arange(len(tags))
        version = format_version(
            bool(tags[numbers & HAS_LOADER != 0].any()), bool(tags[numbers & HAS_POSITION != 0].any())
        )
        return self.end.facts() | {"format_version": version}


def order_of(numbers: Any, count: int) -> Any:
    """Returns the stable order of numbers below a count: uint32."""
    order = np.empty(len(numbers), np.uint32)
    group(numbers, np.zeros(count + 1, np.uint32), order)
    return order


def pieces(count: int) -> Iterator[slice]:
    """Yields ranges of a large array, as an index is built in little memory."""
    return (slice(start, min(start + PIECE, count)) for start in range(0, count, PIECE))
