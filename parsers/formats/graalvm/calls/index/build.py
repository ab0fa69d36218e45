"""Last step of indexing a call tree: classes, packages, loaders, totals."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from parsers.formats.graalvm.calls.index.kernel import CHAINED, ENTRY_LOADER, HAS_REASON, NEGATIVE
from parsers.formats.graalvm.calls.index.packages import build_packages
from parsers.formats.graalvm.calls.index.plain import CALL_TOTALS, format_version, totals_by_kind
from parsers.formats.graalvm.calls.index.row import INTERFACE, UNKNOWN, VIRTUAL
from parsers.formats.graalvm.text.columns import small_numbers
from parsers.formats.graalvm.text.read.build import TextBuild
from parsers.formats.graalvm.text.read.chunk import NONE
from parsers.formats.graalvm.text.read.end import TextEnd
from parsers.formats.graalvm.text.read.plain_counts import ordered
from parsers.io.charset import decode
from parsers.model.distinct import distinct

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray, U32Array


class CallEnd(TextEnd):
    """Saves the arrays that only call trees have, and computes totals and facts."""

    def __init__(self, build: TextBuild) -> None:
        super().__init__(build)
        facts = build.facts
        self.classes, self.package_count = int(facts["classes"]), int(facts["packages"])
        self.sites = np.diff(self.starts) - build.of_vertices("entries")
        """By method: number of rows that call it."""
        self.sites[self.vertex_id < 0] = 0
        self._vertex_classes = build.of_vertices("vertex_class")
        self._texts: dict[str, int] = {}

    def own_jobs(self) -> Iterable[Callable[[], None]]:
        """Packages, different texts, methods."""
        return self._save_packages, self._count_texts, self._save_methods

    def run(self) -> None:
        """Sorts, counts and saves everything except the header."""
        super().run()
        self.build.writer.save("distance", small_numbers(self.distance))

    def _save_methods(self) -> None:
        save = self.build.writer.save
        save("class", self._vertex_classes)
        save("class_package", self.build.whole.class_package[: self.classes])
        save("call_sites", self.sites)

    def _save_packages(self) -> None:
        for name, values in self.packages().items():
            self.build.writer.save(f"packages.{name}", values)

    def _count_texts(self) -> None:
        whole, texts = self.build.whole, self.texts
        self._texts = {
            "unique_names": texts(whole.name_starts, whole.name_bytes, self.names),
            "classes": texts(whole.class_starts, whole.class_bytes, self.classes),
            "packages": texts(whole.package_starts, whole.package_bytes, self.package_count),
        }

    def packages(self) -> dict[str, AnyArray]:
        """Returns the arrays of the view "Packages"."""
        methods = self._methods()
        return build_packages(
            self._vertex_classes,
            self.build.whole.class_package[: self.classes],
            self.declaration,
            self.sites,
            self._package_names(),
            methods,
            self.build.ends_of(self.declaration[methods]),
        )

    def _methods(self) -> U32Array:
        """Methods with a class, in the order of their first declarations by a known row."""
        declared = self.build.whole.declared_row[: int(self.build.facts["declared"])]
        vertices: U32Array = self.vertex[declared]
        if not self.build.facts["duplicates"]:
            return vertices
        # The first of several declarations is used, even if its row is unknown.
        methods: U32Array = distinct(vertices)
        return methods[np.argsort(self.declaration[methods])]

    def _package_names(self) -> list[bytes]:
        whole = self.build.whole
        starts = whole.package_starts[: self.package_count + 1].tolist()
        data = whole.package_bytes[: int(starts[-1])].tobytes()
        return [data[start:stop] for start, stop in pairwise(starts)]

    def totals(self) -> dict[str, int]:
        """Returns all counts of a call tree."""
        build = self.build
        kinds, tags = build.sums.kinds, build.sums.tags
        numbers = np.arange(len(tags))

        def tagged(bit: int) -> int:
            return int(tags[numbers & bit != 0].sum())

        declared = self.distance[(self.declaration != NONE) & (self.distance != NONE)]
        totals = (
            self.common_totals()
            | self._texts
            | totals_by_kind(kinds.tolist())
            | {
                "unknown_rows": kinds[UNKNOWN],
                "call_sites": int(self.sites.sum(dtype=np.int64)),
                "max_distance": int(declared.max()) if len(declared) else -1,
                "virtual_without_callees": self._childless(),
                "negative_bci": tagged(NEGATIVE),
                "chained_bci": tagged(CHAINED),
                "parsing_reasons": tagged(HAS_REASON),
            }
        )
        return ordered(totals, CALL_TOTALS)

    def _childless(self) -> int:
        """Returns the number of virtual calls without callee; the last row of the file has no child either."""
        count = int(self.build.facts["childless"])
        return count + (self.rows > 0 and int(self.kind[-1]) in (VIRTUAL, INTERFACE))

    def facts(self, totals: dict[str, int]) -> dict[str, object]:
        """Facts concluded from the rows."""
        whole, build = self.build.whole, self.build
        facts = self.common_facts()
        starts = whole.loader_starts
        loaders = [
            (whole.loader_bytes[int(starts[number]) : int(starts[number + 1])].tobytes(), int(count))
            for number, count in enumerate(whole.loader_counts[: int(build.facts["loaders"])])
        ]
        has_entry_loader = bool(build.sums.tags[np.arange(len(build.sums.tags)) & ENTRY_LOADER != 0].any())
        return facts | {
            "format_version": format_version(totals, has_entry_loader),
            "loaders": {decode(name, facts["encoding"]): count for name, count in sorted(loaders)},
        }
