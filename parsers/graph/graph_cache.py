"""The graph of a report and results computed from it: computed on first use, stored beside the index."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from parsers.index.store import READY, IndexReader, is_sound, read_header
from parsers.model.late import numpy as np
from parsers.model.report import ReportError

if TYPE_CHECKING:
    from parsers.graph.adjacency import Edges, RowColumns
    from parsers.graph.dominators import DominatorRows
    from parsers.graph.shortest_paths import Shortest
    from parsers.model.arrays import AnyArray

    Part = Edges | Shortest | DominatorRows
    PartType = TypeVar("PartType", Edges, Shortest, DominatorRows)

EDGES = "edges"
"""The part with the graph itself."""
SHORTEST = "paths"
"""The part with a shortest path to each vertex, and the transposed graph."""
OF = "dominators by "
"""Prefix of the names of dominator trees: by vertex, by root, or by a grouping."""


def folder_of(part: str) -> str:
    """Returns the folder of a part, below that of the index."""
    return f"graph-{part.replace(' ', '-')}"


def open_part(folder: str, part: str, identity: Mapping[str, Any]) -> Mapping[str, AnyArray] | None:
    """Returns the arrays of a stored part; None if it is missing or damaged."""
    path = os.path.join(folder, folder_of(part))
    header = read_header(path)
    if header is None or header.identity != identity or not is_sound(path, header):
        return None
    reader = IndexReader(path, header)
    try:
        return {name: np.frombuffer(reader.view(name), np.dtype(reader.type(name))) for name in header.arrays}
    except OSError:
        return None


def make_part(part: str, rows: RowColumns, edges: Callable[[], Edges]) -> Part:
    """Computes a part from the rows of a report, or all but the first from its edges."""
    if part == EDGES:
        from parsers.graph.adjacency import find_edges

        return find_edges(rows)
    if part == SHORTEST:
        from parsers.graph.shortest_paths import find_shortest

        return find_shortest(edges())
    from parsers.graph.dominators import compute_dominators

    return compute_dominators(edges(), part.removeprefix(OF), rows.groups)


class CachedGraph:
    """The graph of one report. Another process does long computations; callers block until it is done."""

    def __init__(
        self, index_folder: Callable[[], str | None], index_rows: str, plain_rows: Callable[[], RowColumns]
    ) -> None:
        """
        index_folder  folder of the finished index; None for a report without one, which plain code has read whole
        index_rows    `module:name` of the function that makes the rows of an index from its `IndexReader`
        plain_rows    the rows of a report without an index
        """
        self._index_folder = index_folder
        self._index_rows = index_rows
        self._plain_rows = plain_rows
        self._parts: dict[str, Part] = {}
        self._rows: RowColumns | None = None

    @property
    def is_little(self) -> bool:
        """True if all results are computed in an imperceptible time."""
        return self._index_folder() is None

    @property
    def has_edges(self) -> bool:
        """True if the graph itself is available at once."""
        return self.is_little or EDGES in self._parts

    @property
    def edges(self) -> Edges:
        """The graph itself. Raises `ReportError`."""
        from parsers.graph.adjacency import Edges

        return self._part(EDGES, Edges)

    @property
    def shortest(self) -> Shortest:
        """Shortest paths from the roots, and the transposed graph. Raises `ReportError`."""
        from parsers.graph.shortest_paths import Shortest

        return self._part(SHORTEST, Shortest)

    def dominator_rows(self, by: str) -> DominatorRows:
        """Returns the dominator tree by vertex, root, or a grouping. Raises `ReportError`."""
        from parsers.graph.dominators import DominatorRows

        return self._part(OF + by, DominatorRows)

    def _part(self, part: str, take: type[PartType]) -> PartType:
        found = self._parts.get(part)
        if found is None:
            folder = self._index_folder()
            found = self._parts[part] = self._compute(part) if folder is None else take(**self._stored(folder, part))
        assert isinstance(found, take)
        return found

    def _compute(self, part: str) -> Part:
        """Computes a part in this process, for small graphs."""

        if self._rows is None:
            self._rows = self._plain_rows()
        return make_part(part, self._rows, lambda: self.edges)

    def compute_dominators(self, *by: str) -> None:
        """Computes several dominator trees in one go. Raises `ReportError`."""
        folder = self._index_folder()
        if folder is not None:
            self._compute_missing(folder, [OF + each for each in by])

    def _stored(self, folder: str, part: str) -> Mapping[str, AnyArray]:
        message = self._compute_missing(folder, [part])
        found = open_part(folder, part, self._identity(folder))
        if found is None:
            raise ReportError(f"the graph can't be computed: {message}")
        return found

    @staticmethod
    def _identity(folder: str) -> Mapping[str, Any]:
        header = read_header(os.path.join(folder, READY))
        if header is None:
            raise ReportError("the index is gone: open the report again")
        return header.identity

    def _compute_missing(self, folder: str, parts: Sequence[str]) -> str:
        """Computes missing parts in another process; returns its error message, if any."""
        identity = self._identity(folder)
        missing = [part for part in parts if open_part(folder, part, identity) is None]
        if not missing:
            return ""
        done = subprocess.run(
            [sys.executable, "-P", "-m", "parsers.graph.child", folder, self._index_rows, *missing],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            process_group=0,
            check=False,
        )
        return done.stderr.decode(errors="replace").strip().rpartition("\n")[2] or f"status {done.returncode}"
