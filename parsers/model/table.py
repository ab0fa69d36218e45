"""Tables of a report: documented columns, read by ranges of rows.

A table computes nothing until a column is read. Integers are signed, since SQL refuses to subtract unsigned ones below
zero. Texts are valid UTF-8, whatever the file contains.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from parsers.model.value import value_class

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray, BoolArray, I64Array, U8Array
    from parsers.model.report import Unit

SqlType = Literal["BOOLEAN", "INTEGER", "BIGINT", "DOUBLE", "VARCHAR"]
"""Types of columns by their SQL names: bool, int32, int64, float64, text."""

DTYPES: Mapping[SqlType, str] = {"BOOLEAN": "?", "INTEGER": "i4", "BIGINT": "i8", "DOUBLE": "f8"}
BATCH = 60 * 2048
"""Rows of a batch: those of a row group of DuckDB."""


@value_class
class TableColumn:
    """A documented column."""

    name: str
    type: SqlType
    about: str
    unit: Unit | None = None
    is_nullable: bool = False
    key: str = ""
    """The table whose rows it names, by their `<table>_id`."""
    is_interned: bool = False
    """True for texts that are `Named`: few texts for many rows. Each batch refers to all of them."""


@value_class
class TableType:
    """A documented table: its columns, the key first."""

    name: str
    about: str
    columns: tuple[TableColumn, ...]


@value_class
class SqlView:
    """A view over the tables of a report: a SELECT, with its meaning."""

    name: str
    about: str
    query: str


@value_class
class TableSet:
    """The tables that reports of a format have besides the common ones, for documents."""

    types: tuple[TableType, ...] = ()
    views: tuple[SqlView, ...] = ()
    questions: tuple[tuple[str, str], ...] = ()
    """Worked questions, each with its query."""


class Known(NamedTuple):
    """Numbers, of which some are unknown (NULL)."""

    numbers: AnyArray
    is_known: BoolArray


class TextArrays(NamedTuple):
    """Texts in UTF-8, one after the other."""

    starts: I64Array
    """int64, one more than texts."""
    data: U8Array
    is_known: BoolArray | None = None
    """False for NULL; None: all are known."""


class Named(NamedTuple):
    """Texts by their numbers in a table of texts; -1: NULL."""

    numbers: I64Array
    texts: TextArrays


Values = Any
"""An array of numbers, `Known`, `TextArrays` or `Named`."""
ReadColumn = Callable[[int, int], Values]
"""Returns the values of a range of rows."""


class Table:
    """One table of a report."""

    def __init__(
        self, type: TableType, rows: Callable[[], int], columns: Mapping[str, ReadColumn], *, is_counted: bool = True
    ) -> None:
        """
        columns     readers of the columns of the type; a first column without one, the key, is the number of the row
        is_counted  False if the number of rows is known only when they are made
        """
        self.is_counted = is_counted
        self.type = type
        self._rows = rows
        self.key = type.columns[0].name if type.columns[0].name not in columns else ""
        """Name of the column that is the number of the row; empty: there is none."""
        self._columns = {self.key: _row_numbers, **columns} if self.key else dict(columns)
        self._types = {column.name: column for column in type.columns}
        if missing := self._types.keys() ^ self._columns.keys():
            raise ValueError(f"columns of {type.name}: {', '.join(sorted(missing))}")

    @property
    def name(self) -> str:
        """Name of the table."""
        return self.type.name

    @property
    def columns(self) -> tuple[TableColumn, ...]:
        """The documented columns."""
        return self.type.columns

    @property
    def rows(self) -> int:
        """Number of rows."""
        return self._rows()

    def read(self, name: str, start: int = 0, stop: int | None = None) -> Values:
        """Returns the values of a column in a range of rows, in the type of the column. Raises `KeyError`."""
        import numpy as np

        stop = self.rows if stop is None else min(stop, self.rows)
        values = self._columns[name](start, stop)
        type = self._types[name].type
        if type == "VARCHAR":
            return values
        if isinstance(values, Known):
            return Known(np.asarray(values.numbers).astype(DTYPES[type], copy=False), values.is_known)
        return np.asarray(values).astype(DTYPES[type], copy=False)

    def numpy(self, name: str) -> Any:
        """Returns a whole column: an array, masked where unknown; texts as objects, None where unknown."""
        import numpy as np

        values = self.read(name)
        if isinstance(values, Known):
            return np.ma.masked_array(values.numbers, ~values.is_known)
        if self._types[name].type == "VARCHAR":
            return np.array(python_texts(values), object)
        return values

    def batches(
        self, names: Sequence[str], start: int = 0, stop: int | None = None
    ) -> Iterator[tuple[int, list[Values]]]:
        """Yields numbers of rows, and the values of these columns."""
        stop = self.rows if stop is None else min(stop, self.rows)
        for first in range(start, stop, BATCH):
            end = min(first + BATCH, stop)
            yield end - first, [self.read(name, first, end) for name in names]

    def arrow(self, *names: str) -> Any:
        """Returns some columns, or all, as an object with an Arrow C stream, for pandas, Polars, DuckDB and pyarrow."""
        from parsers.model.arrow_stream import ArrowColumns

        return ArrowColumns(self, names or tuple(self._types))

    def __arrow_c_schema__(self) -> Any:
        """Returns the names and types of all columns."""
        return self.arrow().__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Returns all columns, batch by batch."""
        return self.arrow().__arrow_c_stream__(requested_schema)


class Tables(Mapping[str, Table]):
    """Tables of a report by name, with views over them."""

    def __init__(self, tables: Iterable[Table] = (), views: Sequence[SqlView] = ()) -> None:
        self._tables = {table.name: table for table in tables}
        self.views = tuple(views)

    def __getitem__(self, name: str) -> Table:
        return self._tables[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tables)

    def __len__(self) -> int:
        return len(self._tables)

    def __or__(self, more: Tables) -> Tables:
        return Tables([*self.values(), *more.values()], (*self.views, *more.views))


def _row_numbers(start: int, stop: int) -> Values:
    import numpy as np

    return np.arange(start, stop)


def whole(make: Callable[[], Values]) -> ReadColumn:
    """Returns a reader of a column that is computed as a whole, on first use."""
    made: list[Values] = []

    def read(start: int, stop: int) -> Values:
        if not made:
            made.append(make())
        return part_of(made[0], start, stop)

    return read


def part_of(values: Values, start: int, stop: int) -> Values:
    """Returns a range of values."""
    if isinstance(values, TextArrays):
        known = None if values.is_known is None else values.is_known[start:stop]
        return TextArrays(values.starts[start : stop + 1], values.data, known)
    if isinstance(values, Named):
        return Named(values.numbers[start:stop], values.texts)
    if isinstance(values, Known):
        return Known(values.numbers[start:stop], values.is_known[start:stop])
    return values[start:stop]


def unless(numbers: AnyArray, none: int) -> Known:
    """Returns numbers that are unknown where they are `none`."""
    return Known(numbers, numbers != none)


# -- texts ------------------------------------------------------------------------------------------------------------


def text_arrays(texts: Iterable[str | bytes | None]) -> TextArrays:
    """Returns texts as arrays. Text that has no UTF-8, such as half of a surrogate pair, becomes U+FFFD."""
    import numpy as np

    texts = list(texts)
    known = [text is not None for text in texts]
    data = [utf8(text or "") for text in texts]
    starts = np.zeros(len(data) + 1, np.int64)
    np.cumsum([len(text) for text in data], out=starts[1:])
    return TextArrays(starts, np.frombuffer(b"".join(data), np.uint8), None if all(known) else np.array(known, bool))


def utf8(text: str | bytes) -> bytes:
    """Returns text as valid UTF-8."""
    if isinstance(text, bytes):
        text = text.decode("utf-8", "replace")
    try:
        return text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()


def interned(starts: AnyArray, data: U8Array, decode: Callable[[bytes], str], encoding: str = "utf-8") -> TextArrays:
    """Returns a table of texts of a file as UTF-8: the arrays as they are if they are valid, else decoded one by one.

    starts  one more than texts
    """
    import numpy as np

    if int(data.max(initial=0)) < 0x80 or (encoding == "utf-8" and _is_valid(starts, data)):
        return TextArrays(np.asarray(starts, np.int64), data)
    held = np.ascontiguousarray(data).tobytes()
    ends = np.asarray(starts).tolist()
    return text_arrays([decode(held[start:end]) for start, end in pairwise(ends)])


def _is_valid(starts: AnyArray, data: U8Array) -> bool:
    """True if each text is valid UTF-8."""
    import numpy as np

    first = np.asarray(starts[:-1])
    if (data[first[first < len(data)]] & 0xC0 == 0x80).any():
        return False
    try:
        bytes(data).decode()
    except UnicodeDecodeError:
        return False
    return True


def gathered(values: Named) -> TextArrays:
    """Returns the texts of the rows themselves."""
    import numpy as np

    starts, data, numbers = values.texts.starts, values.texts.data, values.numbers
    is_known = numbers >= 0
    places = np.where(is_known, numbers, 0)
    firsts = starts[places] if len(starts) > 1 else np.zeros(len(numbers), np.int64)
    lengths = np.where(is_known, starts[places + 1] - firsts, 0) if len(starts) > 1 else np.zeros_like(firsts)
    begins = np.zeros(len(numbers) + 1, np.int64)
    np.cumsum(lengths, out=begins[1:])
    taken = np.arange(begins[-1]) + np.repeat(firsts - begins[:-1], lengths)
    return TextArrays(begins, data[taken], None if is_known.all() else is_known)


def python_texts(values: Values) -> list[str | None]:
    """Returns texts as Python objects; None for NULL."""
    if isinstance(values, Named):
        values = gathered(values)
    starts = values.starts.tolist()
    first = starts[0] if starts else 0
    data = values.data[first : starts[-1]].tobytes() if starts else b""
    found: list[str | None] = [data[start - first : end - first].decode() for start, end in pairwise(starts)]
    if values.is_known is not None:
        found = [text if known else None for text, known in zip(found, values.is_known.tolist(), strict=True)]
    return found


def numbered(prefix: str, numbers: Values, base: int = 10) -> TextArrays:
    """Returns texts that are a prefix and a number, as those of REFs. numbers: not negative; `Known`: else NULL"""
    import numpy as np

    is_known = None
    if isinstance(numbers, Known):
        numbers, is_known = np.where(numbers.is_known, numbers.numbers, 0), numbers.is_known
    left = np.asarray(numbers).astype(np.uint64)
    highest, places = int(left.max(initial=0)), 1
    while base**places <= highest:
        places += 1
    head = np.frombuffer(prefix.encode(), np.uint8)
    matrix = np.empty((len(left), len(head) + places), np.uint8)
    is_shown = np.ones(matrix.shape, bool)
    matrix[:, : len(head)] = head
    digits = np.frombuffer(b"0123456789abcdef", np.uint8)
    for column in range(len(head) + places - 1, len(head) - 1, -1):
        if column < len(head) + places - 1:
            is_shown[:, column] = left > 0
        left, digit = np.divmod(left, np.uint64(base))
        matrix[:, column] = digits[digit.astype(np.intp)]
    starts = np.zeros(len(matrix) + 1, np.int64)
    np.cumsum(is_shown.sum(axis=1), out=starts[1:])
    return TextArrays(starts, matrix[is_shown], is_known)


def headed(prefix: str, texts: TextArrays) -> TextArrays:
    """Returns texts with a prefix, as those of REFs that name."""
    import numpy as np

    head = np.frombuffer(prefix.encode(), np.uint8)
    count = len(texts.starts) - 1
    data = texts.data[texts.starts[0] : texts.starts[-1]] if count else texts.data[:0]
    places = np.repeat(texts.starts[:-1] - texts.starts[0], len(head)) if count else np.zeros(0, np.int64)
    starts = texts.starts - texts.starts[0] + np.arange(count + 1) * len(head) if count else texts.starts
    return TextArrays(starts, np.insert(data, places, np.tile(head, count)), texts.is_known)


def constant(text: str | None, rows: int) -> Named:
    """Returns the same text, or NULL, for each row."""
    import numpy as np

    return Named(np.full(rows, 0 if text is not None else -1), text_arrays([text or ""]))
