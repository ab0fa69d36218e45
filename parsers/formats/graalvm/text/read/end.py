"""Last step of indexing a text tree with kernels: work that needs all rows, for all formats."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from parsers.formats.graalvm.text.columns import LARGE, id_columns, lowest_depths
from parsers.formats.graalvm.text.read.build import TextBuild
from parsers.formats.graalvm.text.read.chunk import NONE
from parsers.formats.graalvm.text.read.end_kernel import (
    BATCH,
    DANGLING,
    EDGES,
    FORWARD,
    SHORTER,
    count_rows,
    sort_rows,
    strange_texts,
)
from parsers.formats.graalvm.text.read.join_kernel import ENTRY
from parsers.formats.graalvm.text.read.line import DEEPEST
from parsers.formats.graalvm.text.read.plain_counts import LINE_ENDS
from parsers.formats.graalvm.text.summary import (
    CUT,
    DANGLING_REFERENCE,
    DEPTH_JUMP,
    DUPLICATE_ID,
    KEPT_PROBLEMS,
    STRAY_LINE,
    TOO_DEEP,
    UNKNOWN_ROW,
    ProblemNumbers,
)
from parsers.graph.adjacency import RowColumns, find_edges
from parsers.graph.reachability import reach
from parsers.index.texts import Texts
from parsers.io.charset import decode
from parsers.io.ordered_pipeline import in_parallel
from parsers.kernels.places import sorted_places
from parsers.kernels.text_table import larger_slots
from parsers.model.none import NONE as NO_VERTEX

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray, BoolArray, U8Array, U64Array

PASS_ROWS = 1_250_000
"""Rows that a thread sorts at a time, with eight bytes for each. Each pass reads all rows, but that costs less than
fresh memory."""


class TextEnd:
    """Sorts, counts and saves the result of a `TextBuild`. A format adds its own arrays, totals and facts."""

    def __init__(self, build: TextBuild) -> None:
        self.build = build
        self.writer = build.writer
        facts = build.facts
        self.rows, self.vertices, self.names = int(facts["rows"]), int(facts["vertices"]), int(facts["names"])
        self.sums = np.zeros(4, np.int64)
        self.vertex = self.writer.column("vertex", self.rows)
        self.depth = self.writer.column("depth", self.rows)
        self.kind = self.writer.column("kind", self.rows)
        self.declaration = build.of_vertices("declaration")
        self.distance = build.of_vertices("distance")
        self.vertex_id = build.of_vertices("vertex_id")
        self.vertex_name = build.of_vertices("vertex_name")
        self.starts = np.zeros(self.vertices + 1, np.uint32)
        """By vertex: start of its rows among all rows sorted by vertex."""
        self._memory: list[AnyArray] = []
        """Memory used for sorting, for reuse."""
        self.aliases, self.alias_of_row = build.name_aliases()
        self.names = int(facts["names"])
        np.cumsum(build.sums.counts[: self.vertices], out=self.starts[1:])
        build.sums.counts = np.zeros(0, np.uint32)

    def own_jobs(self) -> Iterable[Callable[[], None]]:
        """Returns independent work of a format: what it saves besides the columns common to all formats."""
        return ()

    def run(self) -> None:
        """Sorts rows by vertex, in parallel with independent work, and saves all columns."""
        self._save_name_slots()
        self.writer.open("vertex_row", "u4")
        self.writer.length("vertex_row", int(self.starts[-1]))
        ranges = self._ranges()
        largest = max((int(self.starts[last] - self.starts[first]) for first, last in ranges), default=0)
        sorting = (self._sorting(first, last, largest) for first, last in ranges)
        in_parallel([*self.own_jobs(), *sorting, self._save_columns])
        self._memory.clear()
        if self.sums[SHORTER]:
            self._search()
        for name in ("listed_row", "listed_end"):
            self.writer.drop(name)

    def _ranges(self) -> list[tuple[int, int]]:
        """Returns the ranges of vertices with about equally many rows; at least two, one for each thread."""
        total = int(self.starts[-1])
        parts = max(2, -(-total // PASS_ROWS))
        wanted = np.arange(1, parts) * (total / parts)
        bounds = [0, *np.searchsorted(self.starts, wanted).tolist(), self.vertices]
        return [(first, last) for first, last in pairwise(bounds) if first < last]

    def _sorting(self, first: int, last: int, largest: int) -> Callable[[], None]:
        """Returns a job that sorts the rows of a range of vertices; largest: most rows of any range."""

        def sort() -> None:
            begin, stop = int(self.starts[first]), int(self.starts[last])
            try:
                memory = self._memory.pop()
            except IndexError:
                memory = np.empty(largest, np.uint64)
            pairs = memory[: stop - begin]
            sort_rows(
                self.vertex,
                self.depth,
                self.kind,
                self.starts,
                first,
                last,
                np.empty(DEEPEST + 2, np.uint32),
                np.empty(last - first, np.int64),
                np.empty(BATCH, np.uint64),
                pairs,
            )
            marks = np.full(self.vertices + 1, NONE, np.uint32)
            # Each pair is read before its row is written, so the rows can overwrite the pairs.
            rows = pairs.view(np.uint32)[: stop - begin]
            sums = np.zeros(4, np.int64)
            count_rows(
                pairs,
                self.starts,
                first,
                last,
                self.vertex_id,
                self.declaration,
                self.distance,
                marks,
                rows,
                sums,
            )
            self.writer.put("vertex_row", begin, rows)
            self._memory.append(memory)
            self.sums[:SHORTER] += sums[:SHORTER]
            self.sums[SHORTER] |= sums[SHORTER]

        return sort

    def _search(self) -> None:
        """Computes the distances if the tree doesn't show the shortest paths."""
        has_id = (self.vertex_id >= 0).astype(np.uint8)
        edges = find_edges(RowColumns(self.vertex, self.depth, self.kind, has_id, ENTRY, NO_VERTEX, {}))
        # The distance of unreachable vertices is -1, which is NONE as uint32.
        self.distance[:] = reach(edges.starts, edges.targets, edges.roots).distance.view(np.uint32)

    def _save_columns(self) -> None:
        """Saves the columns that need no sorting."""
        save = self.writer.save
        self._save_large()
        save("low_depth", lowest_depths(self.depth))
        save("vertex_start", self.starts)
        for name, values in id_columns(self.vertex_id).items():
            save(name, values)
        self._save_names()

    def _save_name_slots(self) -> None:
        """Saves the hash table of names, and frees it: it is larger than anything that follows."""
        whole = self.build.whole
        slots = whole.name_slots
        if len(slots) > 8 * self.names:
            slots = larger_slots(slots, self.names, whole.name_starts, whole.name_bytes)
        self.writer.save_as("name_slots", "u4", slots)
        self.build.free_name_slots()

    def _save_large(self) -> None:
        """Lists the large subtrees only, without small ones that extended beyond their chunk."""
        rows, ends = self.build.listed
        below = ends - rows - np.uint32(1)
        is_large = below >= LARGE
        self.build.below.array[rows[~is_large]] = below[~is_large]
        self.writer.save("large_row", rows[is_large])
        self.writer.save("large_end", ends[is_large])

    def _save_names(self) -> None:
        """Saves the vertices of each name."""
        names, vertices = self.vertex_name, None
        aliases = self.aliases
        if aliases:
            names = np.concatenate((names, np.array([name for name, _ in aliases], np.uint32)))
            vertices = np.concatenate((np.arange(self.vertices), [vertex for _, vertex in aliases])).astype(np.uint32)
            order = np.argsort(vertices, kind="stable")
            names, vertices = names[order], vertices[order]
        starts, members = sorted_places(names, self.names)
        self.writer.save("name_vertex_start", starts)
        self.writer.save("name_vertex", members if vertices is None else vertices[members])

    # -- counts -------------------------------------------------------------------------------------------------------

    def common_totals(self) -> dict[str, int]:
        """Returns the counts that all text trees have."""
        facts = self.build.facts
        max_id, ids = int(facts["max_id"]), int(facts["ids"])
        depths = np.flatnonzero(self.build.sums.depths)
        return {
            "bytes": self.build.size,
            "lines": int(facts["lines"]),
            "blank_lines": int(facts["blank"]),
            "max_line_bytes": int(facts["longest_line"]),
            "rows": self.rows,
            "continuation_lines": int(facts["continued"]),
            "stray_lines": int(facts["stray"]),
            "ids": ids,
            "max_id": max_id,
            "id_gaps": max_id + 1 - ids,
            "duplicate_ids": int(facts["duplicates"]),
            "id_refs": int(facts["id_refs"]),
            "forward_refs": int(self.sums[FORWARD]),
            "dangling_refs": int(self.sums[DANGLING]),
            "max_depth": int(depths[-1]) if len(depths) else -1,
            "max_children": int(facts["most_children"]),
            "edges": int(self.sums[EDGES]),
        }

    def common_facts(self) -> dict[str, Any]:
        """Returns the facts that all text trees have."""
        depths = self.build.sums.depths
        used = np.flatnonzero(depths)
        return {
            "encoding": self.build.boxes.encoding,
            "line_end": LINE_ENDS[int(self.build.facts["crlf"] * 2 > self.build.facts["lines"])],
            "depth_rows": depths[: int(used[-1]) + 1].tolist() if len(used) else [],
        }

    def texts(self, starts: U64Array, data: U8Array, count: int, is_used: BoolArray | None = None) -> int:
        """Number of different decoded texts among the first of a table. Twin: `plain_counts.count_texts`.

        is_used  bool by text: False for those that don't count
        """
        strange = np.empty(count, np.uint32)
        encoding, names = self.build.boxes.encoding, Texts(starts[: count + 1].data, data.data)
        found = strange[: strange_texts(starts, data, count, encoding == "utf-8", strange)]
        if is_used is not None:
            found, count = found[is_used[found]], int(np.count_nonzero(is_used))
        different = {decode(names[number], encoding) for number in found.tolist()}
        return count - len(found) + len(different)

    # -- problems -----------------------------------------------------------------------------------------------------

    def problems(self, ends_well: bool) -> tuple[list[ProblemNumbers], int]:
        """Returns the first problems, and their total number. ends_well: True if the file ends with an empty line."""
        facts, whole = self.build.facts, self.build.whole

        def of_row(kind: int, row: int) -> ProblemNumbers:
            vertex = int(self.vertex[row])
            id = -1 if vertex == NONE else int(self.vertex_id[vertex])
            return ProblemNumbers(self.build.line(row), kind, self.build.offset(row), id)

        problems = [of_row(UNKNOWN_ROW, int(row)) for row in whole.unknown_row[: int(facts["unknown_kept"])]]
        problems += [of_row(DEPTH_JUMP, int(row)) for row in whole.jump_row[: int(facts["jumps_kept"])]]
        duplicates = min(int(facts["duplicates"]), KEPT_PROBLEMS)
        problems += [of_row(DUPLICATE_ID, int(row)) for row in whole.duplicate_row[:duplicates]]
        problems += [of_row(DANGLING_REFERENCE, int(row)) for row in self._dangling()]
        strays = int(facts["strays_kept"])
        problems += [
            ProblemNumbers(int(line), STRAY_LINE, int(offset))
            for line, offset in zip(whole.stray_line[:strays], whole.stray_offset[:strays], strict=True)
        ]
        count = int(facts["unknown"] + facts["jumps"] + facts["duplicates"] + facts["stray"] + self.sums[DANGLING])
        if self.build.sums.depths[DEEPEST]:
            problems.append(of_row(TOO_DEEP, self._first_at(DEEPEST)))
            count += 1
        if not ends_well:
            problems.append(ProblemNumbers(int(facts["lines"]), CUT, int(facts["last_line"])))
            count += 1
        return problems, count

    def _first_at(self, depth: int) -> int:
        """Returns the first row of a depth, which must exist."""
        starts = range(0, self.rows, 1 << 20)
        found = (np.flatnonzero(self.depth[start : start + (1 << 20)] == depth) + start for start in starts)
        return int(next(rows[0] for rows in found if len(rows)))

    def _dangling(self) -> AnyArray:
        """Returns the first rows that refer to an undeclared id."""
        if not self.sums[DANGLING]:
            return np.zeros(0, np.int64)
        is_lost = np.append((self.vertex_id >= 0) & (self.declaration == NONE), False)
        found: list[AnyArray] = []
        count = 0
        for start in range(0, self.rows, 1 << 20):
            vertices = np.minimum(self.vertex[start : start + (1 << 20)], self.vertices)
            rows = np.flatnonzero(is_lost[vertices]) + start
            found.append(rows[: KEPT_PROBLEMS - count])
            count += len(found[-1])
            if count >= KEPT_PROBLEMS:
                break
        return np.concatenate(found)
