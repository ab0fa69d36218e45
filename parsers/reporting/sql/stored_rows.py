"""Rows of a query in files, a few for each column: one process appends rows, others map those that are there.

Numbers are int64 or float64, texts are UTF-8 with the offsets of their ends; a byte a value says whether it is known.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import astuple
from typing import TYPE_CHECKING, Any, Literal

from parsers.model.late import numpy as np
from parsers.model.tables.column_values import Known, Named, TextArrays, Values, python_texts, text_arrays, utf8
from parsers.model.value import value_class

if TYPE_CHECKING:
    from types import TracebackType

    from parsers.model.arrays import AnyArray, I64Array
    from parsers.model.row import Badge

Form = Literal["integer", "real", "exact", "text"]
"""Form of stored values. "exact": numbers as texts, as they may not fit in 64 bits."""

INTEGERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER")
REALS = ("FLOAT", "DOUBLE")
EXACT = ("HUGEINT", "UHUGEINT", "UBIGINT", "BIGNUM", "DECIMAL")
MOST_TEXT = 100_000
"""Maximum characters of a text; a longer one is cut and marked."""
CUT = "… ({:,} characters)"


@value_class
class StoredColumn:
    """A column of a result: its name, unique in the result, its SQL type and the form of its values."""

    name: str
    type: str
    form: Form


def form_of(type: str) -> Form:
    """Returns the form in which values of an SQL type are stored."""
    plain = type.partition("(")[0]
    if type.endswith("]"):
        return "text"
    return "integer" if plain in INTEGERS else "real" if plain in REALS else "exact" if plain in EXACT else "text"


def unique(names: Sequence[str]) -> list[str]:
    """Returns names of columns, each once: the second `n` is `n_2`."""
    found: dict[str, None] = {}
    for name in names:
        each, number = name, 2
        while each in found:
            each, number = f"{name}_{number}", number + 1
        found[each] = None
    return list(found)


def _path(prefix: str, part: str) -> str:
    return f"{prefix}.{part}"


class RowWriter:
    """Appends rows to new files. Raises `OSError` if the disk is full."""

    def __init__(self, prefix: str, columns: Sequence[StoredColumn]) -> None:
        """prefix: beginning of the paths of all files"""
        from parsers.io.cache import create_private, write_all

        self._write, self._create = write_all, create_private
        self._columns, self._prefix = columns, prefix
        self._descriptors: dict[str, int] = {}
        self._ends = [0] * len(columns)
        """Bytes of the texts so far, by column."""
        self.rows = self.bytes = 0
        for place, column in enumerate(columns):
            self._append(f"{place}.known", b"")
            self._append(f"{place}.values", b"" if column.form in ("integer", "real") else bytes(8))
        self._append("columns", json.dumps([astuple(column) for column in columns]).encode())

    def append(self, rows: Sequence[Sequence[object]]) -> None:
        """Appends rows; values of texts and exact numbers may be other objects. None: NULL."""
        for place, (column, values) in enumerate(zip(self._columns, zip(*rows, strict=True), strict=True)):
            self._append(f"{place}.known", bytes(value is not None for value in values))
            if column.form in ("text", "exact"):
                self._append_texts(place, values)
            else:
                self._append_numbers(place, column.form, values)
        self.rows += len(rows)

    def _append_numbers(self, place: int, form: Form, values: Sequence[Any]) -> None:
        type = np.int64 if form == "integer" else np.float64
        self._append(f"{place}.values", np.array([0 if each is None else each for each in values], type).tobytes())

    def _append_texts(self, place: int, values: Sequence[object]) -> None:
        texts = text_arrays([None if each is None else _text(each) for each in values])
        self._append(f"{place}.data", texts.data.tobytes())
        self._append(f"{place}.values", (texts.starts[1:] + self._ends[place]).tobytes())
        self._ends[place] += int(texts.starts[-1])

    def _append(self, part: str, data: bytes) -> None:
        if part not in self._descriptors:
            self._descriptors[part] = self._create(_path(self._prefix, part))
        self._write(self._descriptors[part], data)
        self.bytes += len(data)

    def close(self) -> None:
        """Closes the files."""
        for descriptor in self._descriptors.values():
            os.close(descriptor)
        self._descriptors.clear()

    def __enter__(self) -> RowWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


def _text(value: object) -> str:
    """A value as text, truth values as SQL writes them."""
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return text if len(text) <= MOST_TEXT else text[:MOST_TEXT] + CUT.format(len(text))


class StoredRows:
    """The rows that were there at the last call of `follow`."""

    def __init__(self, prefix: str) -> None:
        """Raises `OSError`, or `ValueError` if the file of the columns is damaged."""
        self.prefix = prefix
        with open(_path(prefix, "columns"), "rb") as file:
            self.columns = tuple(StoredColumn(*fields) for fields in json.load(file))
        self.rows = 0
        self._parts: dict[str, tuple[int, AnyArray]] = {}
        """By part of a file: the rows for which it was mapped, and its array."""

    def follow(self, rows: int) -> None:
        """Has the first `rows` rows, which must be written."""
        self.rows = rows

    def values(self, place: int, start: int, stop: int) -> Values:
        """Returns the values of a column by its place: `Known`, or `TextArrays` of exact numbers and texts."""
        column, rows = self.columns[place], self.rows
        is_known = self._part(f"{place}.known", "u1", rows)[start:stop].astype(bool)
        if column.form in ("integer", "real"):
            numbers = self._part(f"{place}.values", "i8" if column.form == "integer" else "f8", rows)
            return Known(numbers[start:stop], is_known)
        starts = self._part(f"{place}.values", "i8", rows + 1)
        return TextArrays(starts[start : stop + 1], self._part(f"{place}.data", "u1", int(starts[-1])), is_known)

    def _part(self, part: str, type: str, length: int) -> AnyArray:
        """The first entries of a file."""
        from parsers.index.mapping import mapped

        mapped_length, array = self._parts.get(part, (-1, np.empty(0, type)))
        if mapped_length < length:
            array = np.empty(0, type)
            if length:
                descriptor = os.open(_path(self.prefix, part), os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
                try:
                    array = np.frombuffer(mapped(descriptor, length * array.itemsize), type)
                finally:
                    os.close(descriptor)
            self._parts[part] = length, array
        return array[:length]

    def rows_of(self, place: int, text: str) -> I64Array:
        """Returns the rows with a text in a column of texts: int64[n]."""
        values, wanted = self.values(place, 0, self.rows), utf8(text)
        found = np.flatnonzero((np.diff(values.starts) == len(wanted)) & values.is_known)
        for offset, byte in enumerate(wanted):
            found = found[values.data[values.starts[found] + offset] == byte]
        return found

    def python(self, start: int, stop: int) -> list[list[Badge]]:
        """Returns the values of a range of rows as Python objects, a list a column; exact numbers are texts."""
        return [_python(self.values(place, start, stop)) for place in range(len(self.columns))]

    def python_of(self, rows: Sequence[int]) -> list[list[Badge]]:
        """Returns the values of scattered rows, as `python` does."""
        wanted = np.asarray(rows, np.int64)
        found: list[list[Badge]] = []
        for place in range(len(self.columns)):
            values = self.values(place, 0, self.rows)
            is_known = values.is_known[wanted]
            if isinstance(values, TextArrays):
                found.append(list(python_texts(Named(np.where(is_known, wanted, -1), values))))
            else:
                found.append(_python(Known(values.numbers[wanted], is_known)))
        return found


def _python(values: Known | TextArrays) -> list[Badge]:
    if isinstance(values, TextArrays):
        return list(python_texts(values))
    pairs = zip(values.numbers.tolist(), values.is_known.tolist(), strict=True)
    return [number if is_known else None for number, is_known in pairs]
