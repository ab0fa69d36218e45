"""Names of a recording for search: classes, methods, threads; each with the view that has its rows."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from parsers.model.view import UnknownReference

if TYPE_CHECKING:
    from parsers.formats.tptp.report import TraceReport

PLACES = {
    "class": ("Classes", "Methods"),
    "method": ("Methods", "Call tree"),
    "thread": ("Threads", "Flow"),
}
"""Views that have rows of a kind, by kind. The first available one is used."""


class TraceNameSearch:
    """Names by number. Several rows may share one: threads of an equal name, a class loaded twice."""

    def __init__(self, report: TraceReport) -> None:
        self._report = report
        self._entities: dict[bytes, tuple[str, list[int]]] = {}
        names, recording = report.names_of, report.recording
        labels = {"class": names.class_label, "method": names.method_label, "thread": names.thread_label}
        for table, label in labels.items():
            for row in range(recording.rows(table)):
                # A name must be one line.
                text = " ".join(label(row).split("\n")).encode("utf-8", "surrogatepass")
                known = self._entities.setdefault(text, (table, []))
                if known[0] == table:
                    known[1].append(row)
        self.texts: list[bytes] = list(self._entities)

    def _entity(self, name: int) -> tuple[str, list[int]]:
        return self._entities[self.texts[name]]

    def count(self, name: int) -> int:
        """Returns the number of rows with this name."""
        return len(self._entity(name)[1])

    def view(self, name: int) -> str:
        """Returns the view of `nodes`."""
        return self._place(name)[0]

    def nodes(self, name: int) -> Sequence[int]:
        """Returns the rows with this name in that view."""
        return self._place(name)[1]

    def _place(self, name: int) -> tuple[str, Sequence[int]]:
        table, rows = self._entity(name)
        names = self._report.names_of
        refs = [names.ref(table, row) for row in rows]
        if table != "thread":
            refs = [f"{table}:{names.class_label(rows[0]) if table == 'class' else names.method_label(rows[0])}", *refs]
        there = [view for view in self._report.views if view.name in PLACES[table]]
        there.sort(key=lambda view: PLACES[table].index(view.name))
        for view in there:
            nodes: dict[int, None] = {}
            for ref in refs:
                with suppress(UnknownReference):
                    nodes[view.resolve(ref)] = None
            if nodes:
                return view.name, list(nodes)
        return "Elements", self._defined(table, rows)

    def _defined(self, table: str, rows: Sequence[int]) -> Sequence[int]:
        """Returns the elements that define rows of a table."""
        from parsers.formats.tptp.elements.view import ElementsView
        from parsers.formats.tptp.views.links import ELEMENTS_VIEW

        view = self._report.view(ELEMENTS_VIEW)
        assert isinstance(view, ElementsView)
        offsets = (int(self._report.recording.column(f"{table}_offset")[row]) for row in rows)
        found = (view.node_at(offset) for offset in offsets if offset < self._report.size)
        return [node for node in found if node is not None]
