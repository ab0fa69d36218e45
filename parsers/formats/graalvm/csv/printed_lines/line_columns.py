"""Arrays from which the lines of a CSV call tree are composed."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from parsers.formats.graalvm.calls.index.row import KINDS

if TYPE_CHECKING:
    from parsers.model.arrays import I64Array, U8Array, U16Array, U32Array, U64Array

TEE, ID, ID_REF, BCI = range(len(KINDS), len(KINDS) + 4)
"""Numbers of the other texts, after those of the words that rows begin with, which are numbered by kind."""
BARS = 64
"""Levels whose boxes are stored before all texts."""
STEP = 64
"""Bytes copied at once; up to this many are written beyond a text."""


class LineColumns(NamedTuple):
    """Data from which lines are composed."""

    depth: U16Array
    kind: U8Array
    vertex: U32Array
    bci: U16Array
    """Columns of an index, by row."""
    strange_row: U32Array
    strange_start: U32Array
    strange_bytes: U8Array
    """Bytecode indexes that are no small numbers, as in an index."""
    name_of: U32Array
    """uint32 by vertex: its name"""
    id_of: I64Array
    """int64 by vertex, -1 without one"""
    name_start: U64Array
    name_bytes: U8Array
    texts: U8Array
    text_start: I64Array
    """Texts around names: by kind the starts of rows, then `TEE` and so on; all stored after the boxes."""
    bar: int
    """Bytes of the boxes of a level."""
