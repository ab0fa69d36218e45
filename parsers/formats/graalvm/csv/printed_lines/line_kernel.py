"""Rows of a CSV call tree written as lines, compiled. Twin: `ComposedRows.line`, one row at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parsers.formats.graalvm.calls.index.row import VIRTUAL
from parsers.formats.graalvm.csv.indexed import NO_BCI, STRANGE
from parsers.formats.graalvm.csv.printed_lines.line_columns import BARS, BCI, ID, ID_REF, STEP, TEE
from parsers.formats.graalvm.text.indexed_tree import DECLARES, KIND
from parsers.kernels.decorators import int64, kernel, part
from parsers.kernels.vector import copy64, prefetch

if TYPE_CHECKING:
    from parsers.formats.graalvm.csv.printed_lines.line_columns import LineColumns
    from parsers.model.arrays import I64Array, U8Array

AHEAD = 8
"""Distance in rows of each of three prefetch steps."""


@part
def put(text: U8Array, begin: int, end: int, lines: U8Array, filled: int) -> int:
    """Copies a piece of text; returns the place of the next one."""
    done = int64(0)
    while done < end - begin and begin + done + STEP <= len(text):
        copy64(lines, int64(filled + done), text, int64(begin + done))
        done += STEP
    for each in range(done, end - begin):
        lines[filled + each] = text[begin + each]
    return filled + end - begin


@part
def put_number(number: int, lines: U8Array, filled: int) -> int:
    """Writes a number in digits; returns the place of the next text."""
    length, rest = 1, number // 10
    while rest:
        length += 1
        rest //= 10
    for place in range(length - 1, -1, -1):
        lines[filled + place] = 0x30 + number % 10
        number //= 10
    return filled + length


@kernel
def write_rows(rows: I64Array, tree: LineColumns, lines: U8Array, starts: I64Array) -> int:
    """Writes rows as lines with line ends; returns the number of bytes.

    rows    int64[n], ascending
    tree    `line_columns.LineColumns`
    lines   uint8, filled; `STEP` more than its lines need
    starts  int64[n], filled: start of each line
    """
    filled = int64(0)
    texts, text_start = tree.texts, tree.text_start
    strange = int64(0)
    for number in range(len(rows)):
        row = rows[number]
        starts[number] = filled
        if number + 3 * AHEAD < len(rows):
            prefetch(tree.name_of, tree.vertex[rows[number + 3 * AHEAD]])
            prefetch(tree.id_of, tree.vertex[rows[number + 3 * AHEAD]])
            prefetch(tree.name_start, tree.name_of[tree.vertex[rows[number + 2 * AHEAD]]])
            soon = int64(tree.name_start[tree.name_of[tree.vertex[rows[number + AHEAD]]]])
            if soon + STEP < len(tree.name_bytes):
                prefetch(tree.name_bytes, soon)
                prefetch(tree.name_bytes, soon + STEP)
        deep = int64(tree.depth[row])
        while deep:
            level = min(deep, BARS)
            filled = put(texts, int64(0), level * tree.bar, lines, filled)
            deep -= level
        filled = put(texts, text_start[TEE], text_start[TEE + 1], lines, filled)
        kind = int64(tree.kind[row] & KIND)
        filled = put(texts, text_start[kind], text_start[kind + 1], lines, filled)
        vertex = tree.vertex[row]
        name = int64(tree.name_of[vertex])
        begin, end = int64(tree.name_start[name]), int64(tree.name_start[name + 1])
        filled = put(tree.name_bytes, begin, end, lines, filled)
        lines[filled] = 0x20
        filled += 1
        if kind != VIRTUAL:
            text = ID if tree.kind[row] & DECLARES else ID_REF
            filled = put(texts, text_start[text], text_start[text + 1], lines, filled)
            filled = put_number(tree.id_of[vertex], lines, filled)
            lines[filled] = 0x20
            filled += 1
        bci = int64(tree.bci[row])
        if bci != NO_BCI:
            filled = put(texts, text_start[BCI], text_start[BCI + 1], lines, filled)
            if bci == STRANGE:
                while tree.strange_row[strange] < row:
                    strange += 1
                begin, end = int64(tree.strange_start[strange]), int64(tree.strange_start[strange + 1])
                filled = put(tree.strange_bytes, begin, end, lines, filled)
            else:
                filled = put_number(bci, lines, filled)
            if kind != VIRTUAL:
                lines[filled] = 0x20
                filled += 1
        lines[filled] = 0x0A
        filled += 1
    return int(filled)
