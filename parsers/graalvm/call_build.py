"""The end of building the index of a call tree: classes, packages, loaders, totals."""

from __future__ import annotations

from typing import Any

import numpy as np

from parsers.graalvm.call_kernel import CHAINED, ENTRY_LOADER, HAS_REASON, NEGATIVE
from parsers.graalvm.call_plain import CALL_TOTALS, format_version
from parsers.graalvm.call_row import DIRECT, ENTRY, IMPLEMENTED, INTERFACE, OVERRIDDEN, UNKNOWN, VIRTUAL
from parsers.graalvm.charset import decode
from parsers.graalvm.chunk import CHILDLESS, DECLARED, LOADERS, NONE
from parsers.graalvm.end_kernel import sort_classes
from parsers.graalvm.packages import build_packages
from parsers.graalvm.plain_counts import ordered
from parsers.graalvm.summary import Finding
from parsers.graalvm.text_build import TextBuild, larger_table
from parsers.graalvm.text_end import TextEnd


class CallEnd:
    """Saves what only call trees have, and gives the totals and facts."""

    def __init__(self, build: TextBuild) -> None:
        self._build = build
        self.end = TextEnd(build)
        self._classes = Classes()
        self._thing_classes = np.full(self.end.things, NONE, np.uint32)

    def run(self) -> None:
        """Sorts, counts and saves everything but the header."""
        self.end.run([self._find_classes])
        save = self._build.writer.save
        classes = self._classes
        save("class", self._thing_classes)
        save("class_package", classes.class_packages[: classes.count])
        for name, values in self.packages().items():
            save(f"packages.{name}", values)

    def packages(self) -> dict[str, Any]:
        """The arrays of the view "Packages"."""
        declaration = self.end.declaration
        has_row = declaration != NONE
        ends = np.zeros(self.end.things, np.uint32)
        ends[has_row] = self._build.ends[declaration[has_row]]
        return build_packages(
            self._thing_classes,
            self._classes.class_packages[: self._classes.count],
            np.where(has_row, declaration, 0).astype(np.uint32),
            ends,
            self.end.sites,
            self._classes.packages(),
        )

    def _find_classes(self) -> None:
        whole = self._build.whole
        declared = whole.declared_row[: int(self._build.facts[DECLARED])]
        things = self.end.thing[declared]
        names = self.end.thing_name[things]
        of_row = self.end.alias_of_row
        if of_row:
            rows = np.array(sorted(of_row), np.int64)
            places = np.searchsorted(declared, rows)
            for row, place in zip(rows.tolist(), places.tolist(), strict=True):
                if place < len(declared) and declared[place] == row:
                    names[place] = of_row[row]
        self._classes.sort(names, things, whole.name_starts, whole.name_bytes, self._thing_classes)

    def totals(self) -> dict[str, int]:
        """All counts of a call tree."""
        build, end = self._build, self.end
        kinds, tags = build.sums.kinds, build.sums.tags
        numbers = np.arange(len(tags))

        def tagged(bit: int) -> int:
            return int(tags[numbers & bit != 0].sum())

        declared = end.distance[(end.declaration != NONE) & (end.distance != NONE)]
        totals = end.totals() | {
            "entries": kinds[ENTRY],
            "direct_calls": kinds[DIRECT],
            "virtual_calls": kinds[VIRTUAL],
            "interface_calls": kinds[INTERFACE],
            "overridden_by": kinds[OVERRIDDEN],
            "implemented_by": kinds[IMPLEMENTED],
            "unknown_rows": kinds[UNKNOWN],
            "max_distance": int(declared.max()) if len(declared) else -1,
            "virtual_without_callees": self._childless(),
            "negative_bci": tagged(NEGATIVE),
            "chained_bci": tagged(CHAINED),
            "parsing_reasons": tagged(HAS_REASON),
            "unique_names": end.texts(build.whole.name_starts, build.whole.name_bytes, end.names),
            "classes": end.texts(self._classes.class_starts, self._classes.class_bytes, self._classes.count),
            "packages": end.texts(
                self._classes.package_starts, self._classes.package_bytes, self._classes.package_count
            ),
        }
        return ordered(totals, CALL_TOTALS)

    def _childless(self) -> int:
        """Virtual calls without callee; the last row of the file has no child either."""
        count = int(self._build.facts[CHILDLESS])
        return count + (self.end.rows > 0 and int(self.end.kind[-1]) in (VIRTUAL, INTERFACE))

    def facts(self, totals: dict[str, int]) -> dict[str, Any]:
        """What is concluded."""
        whole, build = self._build.whole, self._build
        facts = self.end.facts()
        starts = whole.loader_starts
        loaders = [
            (whole.loader_bytes[int(starts[number]) : int(starts[number + 1])].tobytes(), int(count))
            for number, count in enumerate(whole.loader_counts[: int(build.facts[LOADERS])])
        ]
        has_entry_loader = bool(build.sums.tags[np.arange(len(build.sums.tags)) & ENTRY_LOADER != 0].any())
        return facts | {
            "format_version": format_version(totals, has_entry_loader),
            "loaders": {decode(name, facts["encoding"]): count for name, count in sorted(loaders)},
        }

    def findings(self, ends_well: bool) -> tuple[list[Finding], int]:
        """The first problems, and how many there are."""
        return self.end.findings(ends_well)


class Classes:
    """Tables of classes and packages that grow as they are needed."""

    def __init__(self) -> None:
        self._counts = np.zeros(2, np.int64)
        self.class_slots = np.zeros(1 << 12, np.uint64)
        self.class_starts = np.zeros((1 << 11) + 2, np.uint64)
        self.class_bytes = np.zeros(1 << 18, np.uint8)
        self.class_packages = np.zeros((1 << 11) + 2, np.uint32)
        self.package_slots = np.zeros(1 << 10, np.uint64)
        self.package_starts = np.zeros((1 << 9) + 2, np.uint64)
        self.package_bytes = np.zeros(1 << 16, np.uint8)

    @property
    def count(self) -> int:
        """How many classes there are."""
        return int(self._counts[0])

    @property
    def package_count(self) -> int:
        """How many packages there are."""
        return int(self._counts[1])

    def packages(self) -> list[bytes]:
        """Names of the packages."""
        starts = self.package_starts[: self.package_count + 1].tolist()
        data = self.package_bytes[: int(starts[-1])].tobytes()
        return [data[start:stop] for start, stop in zip(starts, starts[1:], strict=False)]

    def sort(self, names: Any, things: Any, name_starts: Any, name_bytes: Any, thing_classes: Any) -> None:
        """Takes in declarations: the numbers of their names and things."""
        position = 0
        while position < len(names):
            position = sort_classes(
                position,
                names,
                things,
                name_starts,
                name_bytes,
                self.class_slots,
                self.class_starts,
                self.class_bytes,
                self.class_packages,
                self.package_slots,
                self.package_starts,
                self.package_bytes,
                thing_classes,
                self._counts,
            )
            if position < len(names):
                self._grow()

    def _grow(self) -> None:
        """Twice the room in all tables."""
        self.class_slots = larger_table(self.class_slots, 2 * self.count, self.class_starts, self.class_bytes)
        self.package_slots = larger_table(
            self.package_slots, 2 * self.package_count + 512, self.package_starts, self.package_bytes
        )
        for name in ("class_starts", "class_bytes", "class_packages", "package_starts", "package_bytes"):
            array = getattr(self, name)
            setattr(self, name, np.append(array, np.zeros(len(array) + (1 << 20) * (array.itemsize == 1), array.dtype)))
