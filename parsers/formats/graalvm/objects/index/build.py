"""Last step of indexing an object tree: types and totals. Plain twin: `plain`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import numpy as np

from parsers.formats.graalvm.objects.index.kernel import HAS_LOADER, HAS_POSITION
from parsers.formats.graalvm.objects.index.plain import OBJECT_TOTALS, format_version, totals_by_kind
from parsers.formats.graalvm.objects.index.types import build_types, pieces
from parsers.formats.graalvm.text.read.end import TextEnd
from parsers.formats.graalvm.text.read.join_kernel import DECLARES_BIT
from parsers.formats.graalvm.text.read.line import DEEPEST
from parsers.formats.graalvm.text.read.plain_counts import ordered
from parsers.index.texts import Texts

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray, U32Array


class ObjectEnd(TextEnd):
    """Saves the arrays that only object trees have, and computes totals and facts."""

    def own_jobs(self) -> Iterable[Callable[[], None]]:
        """The objects by type."""
        return (self._save_types,)

    def _save_types(self) -> None:
        build = self.build
        names = Texts(build.whole.name_starts[: self.names + 1].data, build.whole.name_bytes.data)
        arrays = build_types(
            names,
            self.vertex_name,
            self.declaration,
            self.vertex,
            build.ends_of,
            self._references(),
            self._roots(),
        )
        for name, values in arrays.items():
            build.writer.save(f"types.{name}", values)

    def _references(self) -> Callable[[AnyArray], AnyArray]:
        """Function that counts the references to declared objects: all of their rows except declarations."""
        starts = self.starts
        if not self.build.facts["duplicates"]:
            return lambda vertices: starts[vertices + 1] - starts[vertices] - np.uint32(1)
        declared = np.zeros(self.vertices, np.int64)
        for piece in pieces(self.rows):
            declares = self.kind[piece] & np.uint8(DECLARES_BIT) != 0
            declared += np.bincount(self.vertex[piece][declares], minlength=self.vertices)
        return lambda vertices: starts[vertices + 1] - starts[vertices] - declared[vertices]

    def _roots(self) -> U32Array:
        """uint32: rows without parent; no row before them has a smaller depth."""
        found = [np.zeros(0, np.uint32)]
        lowest = np.uint16(DEEPEST)
        for piece in pieces(self.rows):
            depth = self.depth[piece]
            lows = np.minimum(np.minimum.accumulate(depth), lowest)
            found.append((np.flatnonzero(depth <= lows) + piece.start).astype(np.uint32))
            lowest = lows[-1]
        return np.concatenate(found)

    def totals(self) -> dict[str, int]:
        """Returns all counts of an object tree."""
        facts = self.build.facts
        totals = self.common_totals() | totals_by_kind(self.build.sums.kinds.tolist())
        totals |= {
            "objects": totals["ids"],
            "types": self._types(),
            "nul_bytes": int(facts["nuls"]),
            "control_characters": int(facts["controls"]),
        }
        return ordered(totals, OBJECT_TOTALS)

    def _types(self) -> int:
        """Returns the number of different types in rows that declare an object."""
        whole = self.build.whole
        declared = whole.declared_row[: int(self.build.facts["declared"])]
        is_used = np.zeros(self.names + 1, np.bool_)
        strangers = np.array(sorted(self.alias_of_row), np.int64)
        for piece in pieces(len(declared)):
            rows = declared[piece]
            names = self.vertex_name[self.vertex[rows]]
            for place in np.flatnonzero(np.isin(rows, strangers)).tolist():
                # The row names its object differently from the object's first row.
                names[place] = self.alias_of_row[int(rows[place])]
            is_used[np.minimum(names, self.names)] = True
        return self.texts(whole.name_starts, whole.name_bytes, self.names, is_used[: self.names])

    def facts(self, totals: dict[str, int]) -> dict[str, object]:
        """Facts concluded from the rows."""
        tags = self.build.sums.tags
        numbers = np.arange(len(tags))
        version = format_version(
            bool(tags[numbers & HAS_LOADER != 0].any()), bool(tags[numbers & HAS_POSITION != 0].any())
        )
        return self.common_facts() | {"format_version": version}
