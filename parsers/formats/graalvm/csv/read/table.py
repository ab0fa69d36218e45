"""Parsers of the rows of the tables of a CSV call tree in plain Python: the readable twins of the kernels.

Lines end at LF; a CR before it is no part of the row. The first line is the header, perhaps after a byte order mark;
empty lines are skipped. `CallTreePrinter` joins fields by commas without quotes, and names may contain commas.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import accumulate
from typing import NamedTuple

from parsers.formats.graalvm.calls.index.row import BCIS, ID_DIGITS
from parsers.formats.graalvm.csv.format import METHODS_HEADER
from parsers.formats.graalvm.text.read.line import LONGEST

LEAST_FIELDS = 6
"""Fewest fields of a method: id, name, type, parameters, result, display."""
TOO_LONG = b","
"""Text of rows too long to be parsed: it fits no form."""
DOT = ord(".")
EMPTY = b"empty"
"""Parameters field of a method without parameters."""


class CsvRow(NamedTuple):
    """One row of a table."""

    number: int
    """From 1; the header is line 1."""
    offset: int
    text: bytes
    """Without its end."""


class MethodRow(NamedTuple):
    """A row of `methods` or `virtual_methods`."""

    id: int
    name: bytes
    type: bytes
    parameters: bytes
    result: bytes
    flags: bytes
    is_entry: bool
    is_repaired: bool
    """True if it has more fields than its table has columns."""
    display: bytes = b""
    """First letters of packages, capitals of the class, and the name."""

    @property
    def text(self) -> bytes:
        """The method as a call tree prints it: `holder.name(types):type`."""
        parameters = b"" if self.parameters == EMPTY else self.parameters.replace(b" ", b", ")
        return b"%s.%s(%s):%s" % (self.type, self.name, parameters, self.result)


def lines_of(data: bytes) -> Iterator[CsvRow]:
    """Returns all rows of a table, without header and empty lines."""
    start, number = 0, 0
    while start < len(data):
        end = data.find(b"\n", start)
        stop = len(data) if end < 0 else end
        number += 1
        text = data[start:stop].removesuffix(b"\r")
        if number > 1 and text:
            yield CsvRow(number, start, text if len(text) <= LONGEST else TOO_LONG)
        start = stop + 1


def more_columns(header: bytes) -> int:
    """Number of columns of a table of methods after `Display`: none, `Flags`, `Flags` and `IsEntryPoint`."""
    return min(header[len(METHODS_HEADER) :].count(b","), 2)


def more_columns_of(headers: Mapping[str, bytes]) -> int:
    """Columns of methods after `Display`, by the headers of a set's tables.

    In 22.1 and 22.2 the header of `virtual_methods` has one less than its rows.
    """
    return more_columns(headers.get("methods", headers.get("virtual_methods", b"")))


def number_of(field: bytes) -> int:
    """Returns the value of a numeric field; -1 if it is none."""
    return int(field) if field.isdigit() and len(field) <= ID_DIGITS else -1


def numbers_of(text: bytes, count: int) -> list[int] | None:
    """Returns the fields of a row of so many numbers; None for another row."""
    numbers = [number_of(field) for field in text.split(b",")]
    return numbers if len(numbers) == count and min(numbers) >= 0 else None


class Edge(NamedTuple):
    """A row of `direct_edges` or `virtual_edges`."""

    start: int
    end: int
    bci: bytes


def edge_of(text: bytes) -> Edge | None:
    """Parses an edge with bytecode indexes; None if the row isn't one."""
    start, _, rest = text.partition(b",")
    end, _, bci = rest.partition(b",")
    found = Edge(number_of(start), number_of(end), bci)
    return found if found.start >= 0 and found.end >= 0 and BCIS.fullmatch(bci) else None


class Invoke(NamedTuple):
    """A row of `invokes`."""

    id: int
    method: int
    bci: bytes
    target: int
    is_direct: bool


def invoke_of(text: bytes) -> Invoke | None:
    """Parses an invoke; None if the row isn't one."""
    fields = text.split(b",")
    if len(fields) != 5 or fields[4] not in (b"true", b"false") or not BCIS.fullmatch(fields[2]):
        return None
    id, method, target = number_of(fields[0]), number_of(fields[1]), number_of(fields[3])
    return Invoke(id, method, fields[2], target, fields[4] == b"true") if min(id, method, target) >= 0 else None


def method_of(text: bytes, more: int) -> MethodRow | None:
    """Parses a method; None if the row has too few fields or no id.

    more: columns after `Display`. The display ends in `.` and the name again, commas included, so the number of commas
    in a name is the highest for which this holds. Of the fields between, the last two are parameters and result, and
    the rest is the type.
    """
    fields = text.split(b",")
    columns = LEAST_FIELDS + more
    id = number_of(fields[0])
    if len(fields) < columns or id < 0:
        return None
    last = len(fields) - more
    commas = _commas_in_name(fields[:last], (len(fields) - columns) // 2)
    behind = last - 1 - commas
    name, type = b",".join(fields[1 : 2 + commas]), b",".join(fields[2 + commas : behind - 2])
    flags = fields[last] if more else b""
    is_entry, display = more > 1 and fields[last + 1] == b"true", b",".join(fields[behind:last])
    is_long = len(fields) > columns
    return MethodRow(id, name, type, fields[behind - 2], fields[behind - 1], flags, is_entry, is_long, display)


def _commas_in_name(fields: list[bytes], most: int) -> int:
    """Returns the highest number of commas, up to `most`, for which the fields end in `.` and the name."""
    whole = b",".join(fields)
    start = len(fields[0]) + 1
    ends = list(
        accumulate(map(len, fields[2 : 2 + most]), lambda end, more: end + 1 + more, initial=start + len(fields[1]))
    )
    for commas in range(most, 0, -1):
        end = ends[commas]
        if whole[start - end - 1] == DOT and whole.endswith(whole[start:end]):
            return commas
    return 0
