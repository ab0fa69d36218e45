"""The rows of a CSV call tree as lines, composed as they would have been printed, as they are in no file."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from parsers.formats.graalvm.calls.index.row import VIRTUAL, WORDS
from parsers.formats.graalvm.calls.label import CallText
from parsers.io.charset import boxes_of

if TYPE_CHECKING:
    from parsers.formats.graalvm.calls.report import CallReport
    from parsers.formats.graalvm.csv.indexed import IndexedCsvTree
    from parsers.formats.graalvm.csv.tree import CsvTree


class ComposedRows:
    """Lines of rows by their number: a `RowReader` without a file."""

    def __init__(self, report: CallReport) -> None:
        self._report = report

    def parsed(self, row: int) -> CallText:
        """Returns the content of a row."""
        report, tree = self._report, self._report.tree
        kind, bci = tree.kind(row), self._bci(row)
        method = report.text(self.method(row))
        return CallText(
            kind, method, method, self._id(row), not tree.is_declaration(row), bci.decode("ascii") if bci else None
        )

    def method(self, row: int) -> bytes:
        """Returns the method that a row shows, as bytes."""
        tree = self._report.tree
        return bytes(tree.names[tree.name(tree.vertex(row))])

    def line(self, row: int) -> bytes:
        """Returns a row as `CallTreePrinter` writes it, with the boxes before it."""
        tree, boxes = self._report.tree, boxes_of("utf-8")
        kind, id, bci = tree.kind(row), self._id(row), self._bci(row)
        text = (WORDS[kind] if kind < len(WORDS) else b"") + self.method(row)
        if id is not None:
            text += b" id=%d " % id if tree.is_declaration(row) else b" id-ref=%d " % id
        if bci is not None:
            text += b"@bci=%b " % bci if id is not None else b" @bci=%b" % bci
        return boxes.bar * tree.depth(row) + boxes.tee + text

    def _bci(self, row: int) -> bytes | None:
        """Returns the position of a row's call in the calling method."""
        return cast("CsvTree | IndexedCsvTree", self._report.current.behind).bci(row)

    def _id(self, row: int) -> int | None:
        """Id that a row declares or refers to; the target of a virtual call has none."""
        tree = self._report.tree
        return None if tree.kind(row) == VIRTUAL else tree.vertex_id(tree.vertex(row))
