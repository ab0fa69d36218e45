"""Parsers of a text tree format for the indexer: plain code and kernels.

Everything is imported when it is needed: a report that plain code can read quickly never loads numba.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from parsers.model.late import named

if TYPE_CHECKING:
    from parsers.formats.graalvm.text.read.plain_tree import PlainTree


@dataclass(frozen=True, slots=True)
class TextFormat:
    """One kind of text tree. Functions and classes are named as `module:name`."""

    name: str
    number: int
    """Chooses the classifier in `read.kernel`."""
    parse_row: str
    """Plain row parser: `ParseRow`."""
    unknown: int
    """Kind of rows that fit no form."""
    counts: str
    """Class whose objects count while plain code reads: `FormatCounts`; with `feed(data)`, if it needs all bytes."""
    end: str
    """Class of the last step of a `TextBuild`: `run()`, `totals()`, `facts(totals)`, `problems(...)`."""
    arrays: str
    """Function of a finished `PlainTree`: the arrays that only this format has, by name."""

    def empty_tree(self, encoding: str) -> PlainTree:
        """Returns a tree into which plain code reads a file."""
        from parsers.formats.graalvm.text.read.plain_tree import PlainTree

        parse_row, counts = self.load(self.parse_row), self.load(self.counts)()
        return PlainTree(b"", parse_row, False, unknown=self.unknown, encoding=encoding, counts=counts)

    def load(self, what: str) -> Any:
        """Imports the object of one of the names."""
        return named(what)


FORMATS = {
    format.name: format
    for format in (
        TextFormat(
            name="graalvm-call-tree",
            number=0,
            parse_row="parsers.formats.graalvm.calls.index.row:parse_call_row",
            unknown=6,
            counts="parsers.formats.graalvm.calls.index.plain:CallCounts",
            end="parsers.formats.graalvm.calls.index.build:CallEnd",
            arrays="parsers.formats.graalvm.calls.index.arrays:call_arrays",
        ),
        TextFormat(
            name="graalvm-object-tree",
            number=1,
            parse_row="parsers.formats.graalvm.objects.index.row:parse_object_row",
            unknown=22,
            counts="parsers.formats.graalvm.objects.index.plain:ObjectCounts",
            end="parsers.formats.graalvm.objects.index.build:ObjectEnd",
            arrays="parsers.formats.graalvm.objects.index.types:object_arrays",
        ),
    )
}
