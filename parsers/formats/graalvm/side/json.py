"""JSON of native-image as rows, each number with its place: statistics of the analysis, and `build-output.json`.

Read by a small scanner, not by the library: a truncated file shows the values before its end, and the byte of that end.
Sources: `StatisticsPrinter`, and the schema of the build output (v0.9.0 to v0.9.4) in the GraalVM manual.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from parsers.formats.graalvm.side.report import OneViewReport
from parsers.io.source import Source
from parsers.model.report import Problem
from parsers.model.row import Badge, Column, Section, SectionRow, capitalized
from parsers.model.view import View
from parsers.views.list_view import ListRow, ListView

if TYPE_CHECKING:
    from parsers.reporting.comparison.lines import ComparableSubject

BUILD_OUTPUT = "graalvm-build-output"

VALUE = Column("value", "Value", badges=(("value", ""),), width=26, priority=3)

MOST_BYTES = 64 << 20
"""Most bytes that are examined; real files have a few KB."""

MOST_VALUES = 50_000

MOST_NAMES = 64 << 20
"""Most letters of the names of all values, each including the names of its groups."""

LONGEST = 1 << 16
"""Bytes of a text that are examined."""

DEEPEST = 1000

_TOKEN = re.compile(
    rb'\s*+(?:(?P<sign>[{}\[\],:])|(?P<text>"(?>[^"\\]++|\\.)*+")|'
    rb"(?P<number>-?[0-9]{1,400}(?:\.[0-9]{1,400})?(?:[eE][+-]?[0-9]{1,4})?)(?![0-9.eE])|"
    rb"(?P<word>true|false|null)\b)",
    re.DOTALL,
)


@dataclass(slots=True)
class JsonValues:
    """Data read from a file: its values in document order, groups before their members."""

    is_complete: bool = False
    lines: int = 0
    problems: list[Problem] = field(default_factory=list)
    problem_count: int = 0
    entries: list[ListRow] = field(default_factory=list)


class JsonReport(OneViewReport):
    """One JSON object."""

    recording: JsonValues

    def __init__(self, source: Source, format: str, view: str) -> None:
        self.format, self.view_name = format, view
        super().__init__(source)

    def read(
        self, pread: Callable[[int, int], bytes], stop: int, is_all: bool, report_progress: Callable[[int], None] | None
    ) -> JsonValues:
        """Reads all values up to an offset."""
        data = pread(min(stop, MOST_BYTES), 0)
        values = read_values(data, self.source.path if is_all else None)
        values.is_complete = is_all
        return values

    def make_view(self) -> View:
        """Returns the values."""
        return ValuesView(self, self.view_name)

    @property
    def comparable(self) -> Mapping[str, ComparableSubject]:
        """Comparable values by their names."""
        from parsers.formats.graalvm.side.comparable import comparable_values

        return comparable_values(self.recording.entries, self.view_name)

    def counts(self) -> dict[str, int]:
        """Returns the number of values of a build output."""
        if self.format != BUILD_OUTPUT:
            return {}
        return {"values": sum(entry.kind == "value" for entry in self.recording.entries)}


class ValuesView(ListView):
    """Groups and values."""

    description = "Values of the file by group"

    columns: tuple[Column, ...] = (VALUE,)
    orders: tuple[str, ...] = ("value", "name")

    def __init__(self, report: JsonReport, name: str) -> None:
        super().__init__()
        self.name = name
        self._report = report

    @property
    def state(self) -> int:
        """State that changes when more was read."""
        return id(self._report.recording)

    @property
    def is_complete(self) -> bool:
        """True if the whole file is read."""
        return self._report.is_complete

    def make(self) -> Sequence[ListRow]:
        """Builds the rows of the values in their order."""
        return self._report.recording.entries


class _Reader:
    """Position of the scanner, and its results."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 3 if data.startswith(b"\xef\xbb\xbf") else 0
        self.entries: list[ListRow] = []
        self.named = 0
        """Number of letters of all names."""
        self._line, self._counted = 1, 0

    def token(self) -> re.Match[bytes] | None:
        """Consumes and returns the next token; None if there is none."""
        found = _TOKEN.match(self.data, self.at)
        if found is not None:
            self.at = found.end()
        return found

    def add(self, kind: str, names: Sequence[str], value: Badge, offset: int) -> None:
        """Adds a value, or the start of a group."""
        self._line += self.data.count(b"\n", self._counted, offset)
        self._counted = offset
        path = ".".join(names)
        self.named += len(path)
        badges: dict[str, Badge] = {} if kind == "group" else {"value": value}
        shown = f"{value:,}" if isinstance(value, int | float) and not isinstance(value, bool) else str(value)
        rows = (SectionRow("name", path), *(() if kind == "group" else (SectionRow("value", shown),)))
        self.entries.append(
            ListRow(
                kind,
                names[-1],
                len(names) - 1,
                badges=badges,
                ref=f"name:{path}",
                offset=offset,
                line=self._line,
                key=("value", path),
                sections=(Section(capitalized(kind), rows),),
            )
        )


def read_values(data: bytes, path: str | None) -> JsonValues:
    """Reads the values of a JSON object, up to any damage. path None: the object continues after the data."""
    reader = _Reader(data)
    error = _scan(reader)
    lines = data.count(b"\n") + (not data.endswith(b"\n") and bool(data))
    values = JsonValues(lines=lines, entries=reader.entries)
    if error and path is not None:
        offset = min(reader.at, len(data))
        line = data.count(b"\n", 0, offset) + 1
        is_cut = not data[offset:].strip()
        what = f"cut at byte {offset:,}" if is_cut else f"{error} at byte {offset:,}"
        kind = "cut" if is_cut else "no JSON"
        values.problems.append(Problem(kind, what, "everything before it is shown", path, offset, line))
        values.problem_count = 1
    return values


def _scan(reader: _Reader) -> str:
    """Adds values until the object ends; returns the problem at which the scanner stopped, or an empty text."""
    first = reader.token()
    if first is None or first["sign"] != b"{":
        return "no object begins"
    names: list[str] = []
    counters: list[int] = [-1]
    """Next index of the array of each open level; -1 for an object."""
    while counters:
        if len(reader.entries) >= MOST_VALUES:
            return f"there are more than {MOST_VALUES:,} values"
        if reader.named > MOST_NAMES:
            return "names are too long"
        before = reader.at
        token = reader.token()
        if token is None:
            return "no value stands"
        sign = token["sign"]
        if sign in (b"}", b"]"):
            if (sign == b"]") != (counters[-1] >= 0):
                reader.at = before
                return "the wrong bracket stands"
            counters.pop()
            del names[len(counters) - 1 if counters else 0 :]
            continue
        if sign == b",":
            continue
        offset = token.end() - len(token[0].lstrip())
        if counters[-1] >= 0:
            name = f"[{counters[-1]}]"
            counters[-1] += 1
        else:
            if token["text"] is None:
                reader.at = before
                return "no name stands"
            name = _text(token["text"])
            colon = reader.token()
            token = reader.token() if colon is not None and colon["sign"] == b":" else None
            if token is None:
                return "no value stands"
        names = [*names[: len(counters) - 1], name]
        opened = {b"{": -1, b"[": 0}.get(token["sign"] or b"")
        if opened is not None:
            if len(counters) >= DEEPEST:
                return "nesting is too deep"
            reader.add("group", names, None, offset)
            counters.append(opened)
        elif token["sign"] is not None:
            return "no value stands"
        else:
            reader.add("value", names, _value(token), offset)
    return ""


def _value(token: re.Match[bytes]) -> Badge:
    """Returns a number, or a text; JSON literals are texts, too."""
    if token["text"] is not None:
        return _text(token["text"])
    if token["number"] is None:
        return token["word"].decode()
    text = token["number"].decode()
    if len(text) <= 18 and not set(text) & set(".eE"):
        return int(text)
    value = float(text)
    return value if math.isfinite(value) else text


def _text(raw: bytes) -> str:
    if len(raw) > LONGEST:
        return raw[1:LONGEST].decode("utf-8", "replace")
    try:
        return str(json.loads(raw, strict=False))
    except (ValueError, UnicodeDecodeError):
        return raw[1:-1].decode("utf-8", "replace")
