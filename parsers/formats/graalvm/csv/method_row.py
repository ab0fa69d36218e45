"""The row of one method in its table, read on demand: it has data that a text tree doesn't print."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from parsers.formats.graalvm.calls.index.row import method_parts
from parsers.formats.graalvm.csv.read.table import EMPTY, MethodRow, method_of, number_of
from parsers.model.row import SectionRow

if TYPE_CHECKING:
    from parsers.io.source import Source

BLOCK = 4096
"""Bytes read at each step when a method is looked up by its id."""
STEP = 1 << 20
"""Bytes read at a time of an unordered table."""
LONGEST = 1 << 16
"""Longest row, in bytes, that is found across a border of two steps."""
MOST = 64 << 20
"""Most bytes read of unordered tables, and counted before a row for its line number: some hundredths of a second."""

FLAGS = {
    "p": "public",
    "P": "private",
    "d": "protected",
    "s": "static",
    "f": "final",
    "S": "synchronized",
    "b": "bridge",
    "v": "varargs",
    "n": "native",
    "a": "abstract",
    "y": "synthetic",
}
"""Meaning of the letters of the column `Flags`: `CallTreePrinter`, 22.1 to 25."""


class FoundRow(NamedTuple):
    """A row of a table, and its place."""

    method: MethodRow
    offset: int
    line: int | None
    """From 1; None if counting would take long."""


def ascending_place(source: Source, id: int) -> int | None:
    """Returns the start of the row of an id in a table with ascending ids; None if not found."""
    begin, end = 0, source.size
    while end - begin > BLOCK:
        middle = (begin + end) // 2
        data = source.pread(BLOCK, middle)
        start = data.find(b"\n") + 1
        number = number_of(data[start : data.find(b",", start)]) if start else -1
        if number < 0:
            return None
        begin, end = (middle, end) if number <= id else (begin, middle)
    data = source.pread(3 * BLOCK, begin)
    at = data.find(b"\n%d," % id)
    return begin + at + 1 if at >= 0 else None


def place_of(source: Source, texts: Sequence[bytes]) -> int | None:
    """Start of the first row that contains one of some texts; a text may have a line end at its start only."""
    if source.size > MOST:
        return None
    for start in range(0, source.size, STEP):
        data = source.pread(STEP + LONGEST, start)
        places = [at for text in texts if (at := data.find(text)) >= 0]
        if places:
            at = min(places)
            return start + (at if data[at : at + 1] == b"\n" else data.rfind(b"\n", 0, at)) + 1
    return None


def method_at(source: Source, place: int, more: int) -> MethodRow | None:
    """Method whose row begins at a place."""
    return method_of(source.pread(LONGEST, place).partition(b"\n")[0].removesuffix(b"\r"), more)


def _found(source: Source, place: int | None, more: int) -> FoundRow | None:
    method = None if place is None else method_at(source, place, more)
    if place is None or method is None:
        return None
    return FoundRow(method, place, _lines_before(source, place) + 1 if place <= MOST else None)


def _lines_before(source: Source, place: int) -> int:
    return sum(source.pread(min(STEP, place - start), start).count(b"\n") for start in range(0, place, STEP))


def find_id(source: Source, id: int, more: int) -> FoundRow | None:
    """Returns the row of the method with an id."""
    place = ascending_place(source, id)
    if place is None:
        place = place_of(source, [b"\n%d," % id])
    return _found(source, place, more)


def find_method(source: Source, method: bytes, more: int) -> FoundRow | None:
    """Returns the row of the method with this text in a tree."""
    parts = method_parts(method)
    holder, name, parameters, result = (method[slice(*part)] for part in parts)
    place = place_of(source, [b",%b,%b,%b,%b," % (name, holder, parameters.replace(b", ", b" ") or EMPTY, result)])
    found = _found(source, place, more)
    return found if found is not None and found.method.text == method else None


def facts_of(method: MethodRow, more: int) -> Iterator[SectionRow]:
    """Returns the facts of a row that a tree doesn't have."""
    if more:
        letters = method.flags.decode("utf-8", "replace")
        is_known = FLAGS.keys() >= set(letters)
        words = " ".join(FLAGS[letter] for letter in letters) if is_known else letters
        yield SectionRow("flags", words or "none: package-private")
    if method.is_entry:
        yield SectionRow("entry point", "true")
    yield SectionRow("display", method.display.decode("utf-8", "replace"))


def place_text(found: FoundRow) -> str:
    """Returns the place of a row in its file, as text."""
    return f"byte {found.offset:,}" if found.line is None else f"line {found.line:,}, byte {found.offset:,}"
