"""An opened outline: a tree of its lines, and a table of the largest ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from parsers.index.store import IndexReader
from parsers.io.cache import Cache
from parsers.io.source import Source
from parsers.model.row import Column, Kind
from parsers.model.tables.table import Tables
from parsers.model.view import Shape
from parsers.model.views import Views
from parsers.reports.indexed import IndexedReport
from parsers.views.list_view import ListRow, ListView
from parsers.views.report_tables import view_tables

AMOUNT = Column("amount", "amount", badges=(("amount", ""),), adds_up=True)


class OutlineReport(IndexedReport):
    """One outline."""

    format = "outline"
    format_title = "Outline"
    format_version = "1"
    encoding = "utf-8"

    def __init__(self, sources: Sequence[Source], cache: Cache) -> None:
        super().__init__(sources, cache)
        self.kinds: Mapping[str, Kind] = {"item": Kind("item", "•", "*", "item")}
        self.lines: list[tuple[int, int, str, int]] = []
        """Offset, depth, name and amount of each line."""
        self._is_known = False
        self.views = Views({"Items": lambda: ItemsView(self, False), "Largest": lambda: ItemsView(self, True)})

    @property
    def is_complete(self) -> bool:
        """True if the index is finished."""
        return self._is_known

    def take_index(self, reader: IndexReader) -> None:
        """Takes the lines of a finished index."""
        if reader.is_complete:
            offsets, depths = reader.view("offset").tolist(), reader.view("depth").tolist()
            ends = [*offsets[1:], self.size]
            for offset, end, depth in zip(offsets, ends, depths, strict=True):
                name, _, amount = self.source.pread(end - offset, offset).decode().strip().rpartition(" ")
                self.lines.append((offset, depth, name, int(amount)))
            self._is_known = True

    def own_tables(self) -> Tables:
        """A table for each view."""
        return view_tables(self)


class ItemsView(ListView):
    """The lines in their order, or by amount."""

    columns: tuple[Column, ...] = (AMOUNT,)
    orders: tuple[str, ...] = ("amount", "name")

    def __init__(self, report: OutlineReport, is_ranked: bool) -> None:
        super().__init__()
        self.name = "Largest" if is_ranked else "Items"
        self.shape: Shape = "table" if is_ranked else "tree"
        self._report, self._is_ranked = report, is_ranked

    @property
    def is_complete(self) -> bool:
        """True if all lines are known."""
        return self._report.is_complete

    def make(self) -> Sequence[ListRow]:
        """A row for each line."""
        lines = sorted(self._report.lines, key=lambda line: -line[3]) if self._is_ranked else self._report.lines
        return [
            ListRow("item", name, 0 if self._is_ranked else depth, {"amount": amount}, f"item:{name}", offset)
            for offset, depth, name, amount in lines
        ]
