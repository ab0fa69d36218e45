"""The end of building the index of an object tree: types and totals. Plain twin: `object_plain`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, overload

import numpy as np

from parsers.graalvm.charset import decode
from parsers.graalvm.chunk import CONTROLS, DECLARED, NONE, NULS
from parsers.graalvm.end_kernel import strange_texts
from parsers.graalvm.join_kernel import DECLARES_BIT
from parsers.graalvm.object_kernel import HAS_LOADER, HAS_POSITION
from parsers.graalvm.object_plain import OBJECT_TOTALS, format_version, totals_by_kind
from parsers.graalvm.object_types import build_types
from parsers.graalvm.plain_counts import ordered
from parsers.graalvm.summary import Finding
from parsers.graalvm.text_build import TextBuild
from parsers.graalvm.text_end import TextEnd


class ObjectEnd:
    """Saves what only object trees have, and gives the totals and facts."""

    def __init__(self, build: TextBuild) -> None:
        self._build = build
        self.end = TextEnd(build)

    def run(self) -> None:
        """Sorts, counts and saves everything but the header."""
        self.end.run([self._save_types])

    def _save_types(self) -> None:
        end = self.end
        declaration = end.declaration
        ends = np.zeros(end.things, np.uint32)
        has_row = declaration != NONE
        ends[has_row] = self._build.ends[declaration[has_row]]
        names = Texts(self._build.whole.name_starts, self._build.whole.name_bytes, end.names)
        arrays = build_types(names, end.thing_name, declaration, ends, self._references(), self._roots())
        for name, values in arrays.items():
            self._build.writer.save(f"types.{name}", values)

    def _references(self) -> Any:
        """int64 by thing: rows that refer to it."""
        end = self.end
        declares = np.flatnonzero(end.kind & np.uint8(DECLARES_BIT))
        declared = np.bincount(end.thing[declares], minlength=end.things)
        return self._build.sums.counts[: end.things].astype(np.int64) - declared

    def _roots(self) -> Any:
        """Rows without parent: no row before them is less deep."""
        depth = self.end.depth
        return np.flatnonzero(depth <= np.minimum.accumulate(depth)) if len(depth) else np.zeros(0, np.int64)

    def totals(self) -> dict[str, int]:
        """All counts of an object tree."""
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
        """How many different types rows that declare an object tell."""
        end, whole = self.end, self._build.whole
        declared = whole.declared_row[: int(self._build.facts[DECLARED])]
        names = end.thing_name[end.thing[declared]]
        for place in np.flatnonzero(np.isin(declared, list(end.alias_of_row))).tolist():
            # The row calls its object otherwise than the object's first row did.
            names[place] = end.alias_of_row[int(declared[place])]
        is_used = np.zeros(end.names + 1, np.bool_)
        is_used[np.minimum(names, end.names)] = True
        used = np.flatnonzero(is_used[: end.names])
        strange = np.empty(end.names, np.uint32)
        found = strange[: strange_texts(whole.name_starts, whole.name_bytes, end.names, strange)]
        found = found[is_used[found]]
        texts = Texts(whole.name_starts, whole.name_bytes, end.names)
        encoding = self._build.boxes.encoding
        return len(used) - len(found) + len({decode(texts[number], encoding) for number in found.tolist()})

    def findings(self, ends_well: bool) -> tuple[list[Finding], int]:
        """The first problems, and how many there are."""
        return self.end.findings(ends_well)

    def facts(self, totals: dict[str, int]) -> dict[str, Any]:
        """What is concluded."""
        tags = self._build.sums.tags
        numbers = np.arange(len(tags))
        version = format_version(
            bool(tags[numbers & HAS_LOADER != 0].any()), bool(tags[numbers & HAS_POSITION != 0].any())
        )
        return self.end.facts() | {"format_version": version}


class Texts(Sequence[bytes]):
    """The texts of a table by their numbers."""

    def __init__(self, starts: Any, data: Any, count: int) -> None:
        self._starts, self._data, self._count = starts, data, count

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> bytes: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[bytes]: ...
    def __getitem__(self, index: int | slice) -> bytes | Sequence[bytes]:
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(self._count))]
        data: bytes = self._data[int(self._starts[index]) : int(self._starts[index + 1])].tobytes()
        return data
