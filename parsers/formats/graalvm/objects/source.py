"""Matches many roots and fields with patterns by their lines: millions of short texts from all over a file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from parsers.formats.graalvm.objects.index.row import ROOT, VALUE_END
from parsers.io.charset import Boxes, boxes_of
from parsers.query.search.line_finder import places_of
from parsers.query.selection.texts_met import MatchedTexts, filter_by_bytes

if TYPE_CHECKING:
    from parsers.formats.graalvm.objects.label import ObjectText
    from parsers.formats.graalvm.objects.report import ObjectReport
    from parsers.model.arrays import BoolArray, I64Array, U8Array

RETURN, BLANK, COLON = 0x0D, 0x20, 0x3A
REFERENCE, TEXT = b" id-ref=", b" toString="
ID_DIGITS = 18
"""Most digits of ids that are read here; rows with longer ones are parsed fully."""

READ = 1 << 22
"""Bytes of the file that are read together; a longer line is parsed by itself."""


class SourceLines(NamedTuple):
    """Places of the lines of some rows, ascending."""

    rows: I64Array
    starts: I64Array
    ends: I64Array
    """Start of the line after each; 0 if lines that are no rows follow."""


Spans = Callable[["Boxes", "U8Array", "I64Array", "I64Array"], "tuple[I64Array, I64Array, I64Array]"]


class LinePart(NamedTuple):
    """A part of a row that patterns are matched with."""

    spans: Spans
    """From boxes, data, and the starts and ends of its lines: the places of the part, and the numbers of the lines in
    which it is found directly."""
    text: Callable[[ObjectText], str]
    """The part of a row that is parsed fully."""


class LinesOfRows:
    """Places of the lines of the rows of a range."""

    def __init__(self, report: ObjectReport, start: int, stop: int) -> None:
        self._first = start
        self._starts = np.append(report.indexed.offsets(start, stop + 1), 0)
        self._row_follows = report.bulk.row_follows(start, stop)

    def of(self, rows: I64Array) -> SourceLines:
        """Returns the lines of some rows, ascending."""
        places = rows - self._first
        ends = np.where(self._row_follows[places], self._starts[places + 1], 0)
        return SourceLines(rows, self._starts[places], ends)


def matching_lines(
    report: ObjectReport,
    lines: SourceLines,
    part: LinePart,
    match_texts: Callable[[MatchedTexts], BoolArray],
    matches: Callable[[str], bool],
) -> BoolArray:
    """Returns True for lines whose part matches.

    match_texts, matches  the pattern test for many texts and for one

    Most roots and fields end in ` value:` on their own line, after the part. All others are parsed fully.
    """
    boxes = boxes_of(report.encoding)
    rows, starts, ends = lines
    matching, is_simple = np.zeros(len(rows), np.bool_), np.zeros(len(rows), np.bool_)
    alone = np.flatnonzero(ends)
    for first, last in _together(starts[alone], ends[alone]):
        which = alone[first:last]
        base = int(starts[which[0]])
        data = np.frombuffer(report.source.pread(int(ends[which[-1]]) - base, base), np.uint8)
        which = which[ends[which] - base <= len(data)]
        begins, stops, simple = part.spans(boxes, data, starts[which] - base, ends[which] - base)
        is_simple[which[simple]] = True
        matching[which[simple]] = match_texts(MatchedTexts(begins, stops, data, report.encoding, report.text))
    for place in np.flatnonzero(~is_simple).tolist():
        matching[place] = matches(part.text(report.parsed(int(rows[place]))))
    return matching


def _together(starts: I64Array, ends: I64Array) -> Iterator[tuple[int, int]]:
    """Returns the ranges of lines near enough to each other to be read together, without very long ones."""
    first = 0
    while first < len(starts):
        last = max(int(np.searchsorted(ends, starts[first] + READ, "right")), first + 1)
        if ends[last - 1] - starts[first] <= READ:
            yield first, last
        first = last


def _sources(boxes: Boxes, data: U8Array, starts: I64Array, ends: I64Array) -> tuple[I64Array, I64Array, I64Array]:
    """Returns the sources of roots."""
    prefix = len(boxes.tee) + len(ROOT)
    which, stops = _before_value(data, starts, ends, prefix)
    begins = starts + prefix
    which = filter_by_bytes(data, ROOT, which, begins - len(ROOT))
    return begins[which], stops[which], which


def _sources_of_references(
    boxes: Boxes, data: U8Array, starts: I64Array, ends: I64Array
) -> tuple[I64Array, I64Array, I64Array]:
    """Returns the sources of roots that refer to an object: the text before the first ` id-ref=N toString=`."""
    lengths = ends - starts
    firsts = np.cumsum(lengths) - lengths
    # Only these lines, concatenated.
    lines = data[np.repeat(starts - firsts, lengths) + np.arange(int(lengths.sum()))]
    begins, stops = firsts + len(boxes.tee) + len(ROOT), firsts + lengths
    texts, references = (_first_places(lines, word, begins, stops) for word in (TEXT, REFERENCE))
    digits = references + len(REFERENCE)
    which = np.flatnonzero((begins < references) & (digits < texts) & (texts - digits <= ID_DIGITS))
    which = which[texts[which] < len(lines)]
    for place in range(ID_DIGITS):
        at = np.minimum(digits[which] + place, texts[which])
        which = which[(at == texts[which]) | (lines[at] - np.uint8(ord("0")) < 10)]
    which = filter_by_bytes(lines, ROOT, which, begins - len(ROOT))
    back = starts - firsts
    return (begins + back)[which], (references + back)[which], which


def _first_places(data: U8Array, text: bytes, begins: I64Array, ends: I64Array) -> I64Array:
    """Returns the first place of a text in each line; the end of the data where it is missing."""
    places = np.append(places_of(text, data), len(data))
    found = places[np.searchsorted(places, np.minimum(begins, len(data)))]
    return np.where(found < ends, found, len(data))


def _field_names(boxes: Boxes, data: U8Array, starts: I64Array, ends: I64Array) -> tuple[I64Array, I64Array, I64Array]:
    """Returns the names of fields, which are between the last blank and the last colon before ` value:`."""
    tees = boxes.tee, boxes.corner
    which, stops = _before_value(data, starts, ends, max(map(len, tees)))
    blanks, colons = (np.append(-1, np.flatnonzero(data == byte)) for byte in (BLANK, COLON))
    begins = blanks[np.searchsorted(blanks, stops) - 1] + 1
    colons = colons[np.searchsorted(colons, stops) - 1]
    which = which[(begins[which] > starts[which] + min(map(len, tees)) - 1) & (colons[which] >= begins[which])]
    found = [filter_by_bytes(data, tee, which, begins - len(tee)) for tee in tees]
    which = np.sort(np.concatenate(found))
    return begins[which], colons[which], which


def _before_value(data: U8Array, starts: I64Array, ends: I64Array, prefix: int) -> tuple[I64Array, I64Array]:
    """Returns True for lines that end in ` value:`, and the start of that."""
    which = np.flatnonzero(ends - starts > prefix + len(VALUE_END) + len(b"\r\n"))
    stops = ends - 1
    stops[which] -= data[stops[which] - 1] == RETURN
    stops -= len(VALUE_END)
    return filter_by_bytes(data, VALUE_END, which, stops), stops


SOURCE = LinePart(_sources, lambda text: text.source)
"""Source of a root."""
SOURCE_OF_REFERENCE = LinePart(_sources_of_references, lambda text: text.source)
"""Source of a root that refers to an object another one holds."""
FIELD_NAME = LinePart(_field_names, lambda text: text.field[0])
"""Name of a field with a value."""
