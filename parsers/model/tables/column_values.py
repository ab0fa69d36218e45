"""Values of the columns of tables: numbers, some unknown, and texts in UTF-8, as arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import field
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from parsers.model.late import numpy as np
from parsers.model.value import value_class

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray, BoolArray, I64Array, U8Array

DIGITS, TAKEN = 4, 1 << 12
"""Digits of a number that are written at once; texts that are copied at once, so that they fit into the cache."""
SqlType = Literal["BOOLEAN", "INTEGER", "BIGINT", "DOUBLE", "VARCHAR"]
"""Types of columns by their SQL names: bool, int32, int64, float64, text."""


@value_class
class TableColumn:
    """A documented column."""

    name: str
    type: SqlType
    about: str
    unit: str | None = None
    """As `Unit` of `report`."""
    is_nullable: bool = field(default=False, kw_only=True)
    key: str = field(default="", kw_only=True)
    """The table whose rows it names, by their `<table>_id`."""
    is_interned: bool = field(default=False, kw_only=True)
    """True for texts that are `Named`: few texts for many rows. Each batch refers to all of them."""


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
    texts = list(texts)
    known = [text is not None for text in texts]
    data = [utf8(text or "") for text in texts]
    starts = np.cumulative_sum([len(text) for text in data], dtype=np.int64, include_initial=True)
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
    if int(data.max(initial=0)) < 0x80 or (encoding == "utf-8" and _is_valid(starts, data)):
        return TextArrays(np.asarray(starts, np.int64), data)
    held = np.ascontiguousarray(data).tobytes()
    ends = np.asarray(starts).tolist()
    return text_arrays([decode(held[start:end]) for start, end in pairwise(ends)])


def _is_valid(starts: AnyArray, data: U8Array) -> bool:
    """True if each text is valid UTF-8."""
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
    starts, numbers = values.texts.starts, values.numbers
    if len(starts) < 2:
        return TextArrays(np.zeros(len(numbers) + 1, np.int64), values.texts.data[:0], np.zeros(len(numbers), bool))
    is_known = numbers >= 0
    places = np.where(is_known, numbers, 0)
    lengths = np.where(is_known, starts[places + 1] - starts[places], 0)
    return taken(values.texts.data, starts[places], lengths, None if is_known.all() else is_known)


def taken(data: U8Array, firsts: I64Array, lengths: I64Array, is_known: BoolArray | None = None) -> TextArrays:
    """Returns texts from any places of some bytes. lengths: 0 for unknown ones"""
    starts = np.cumulative_sum(lengths, dtype=np.int64, include_initial=True)
    found, distances = np.empty(starts[-1], np.uint8), firsts - starts[:-1]
    for first in range(0, len(lengths), TAKEN):
        some = slice(first, first + TAKEN)
        start, stop = starts[first], starts[min(some.stop, len(lengths))]
        found[start:stop] = data[np.arange(start, stop) + np.repeat(distances[some], lengths[some])]
    return TextArrays(starts, found, is_known)


def used(values: Values) -> Values:
    """Returns the same values; `Named` ones without texts that have no row, so that their numbers are small."""
    if not isinstance(values, Named):
        return values
    numbers, (starts, data, is_known) = values
    is_used = np.zeros(len(starts), bool)
    is_used[numbers] = True
    is_used[-1] = False
    places = np.flatnonzero(is_used)
    if len(places) == len(starts) - 1:
        return values
    new = np.full(len(starts), -1)
    new[places] = np.arange(len(places))
    known = None if is_known is None else is_known[places]
    return Named(new[numbers], taken(data, starts[places], starts[places + 1] - starts[places], known))


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


def numbered(prefix: str, numbers: Values, base: int = 10, suffix: str = "") -> TextArrays:
    """Returns texts that have a number between a prefix and a suffix, as those of REFs.

    numbers  not negative; `Known`: else NULL
    """
    is_known = None
    if isinstance(numbers, Known):
        numbers, is_known = np.where(numbers.is_known, numbers.numbers, 0), numbers.is_known
    left = all_numbers = np.asarray(numbers).astype(np.uint64)
    highest, places = int(left.max(initial=0)), 1
    while base**places <= highest:
        places += 1
    head, tail = utf8(prefix), utf8(suffix)
    first, end = len(head), len(head) + places
    texts = np.empty((len(left), end + len(tail)), np.uint8)

    def part(start: int, type: Any) -> Any:
        """The same bytes of each text: as one value, they are copied several times as fast."""
        layout: Any = {"names": ["part"], "formats": [type], "offsets": [start], "itemsize": texts.shape[1]}
        return texts.view(np.dtype(layout))["part"][:, 0]

    for stop in range(end, first, -DIGITS):
        start = max(stop - DIGITS, first)
        known = _digits(base, stop - start)
        # Shifting takes a fifth of the time of dividing.
        left, group = (
            (left >> np.uint64(4 * DIGITS), left & np.uint64(16**DIGITS - 1))
            if base == 16
            else np.divmod(left, np.uint64(base**DIGITS))
        )
        part(start, known.dtype)[:] = known[group.astype(np.intp)]
    for start, text in ((0, head), (end, tail)):
        if text:
            part(start, f"V{len(text)}")[:] = np.void(text)
    if int(all_numbers.min(initial=highest)) >= base ** (places - 1):
        return TextArrays(np.arange(len(texts) + 1) * texts.shape[1], texts.reshape(-1), is_known)
    is_shown = np.ones(texts.shape, bool)
    for place in range(1, places):
        is_shown[:, end - 1 - place] = all_numbers >= np.uint64(base**place)
    starts = np.cumulative_sum(is_shown.sum(axis=1), dtype=np.int64, include_initial=True)
    return TextArrays(starts, texts[is_shown], is_known)


@cache
def _digits(base: int, places: int) -> AnyArray:
    """By number its digits, with zeros before, as one value."""
    digits = np.frombuffer(b"0123456789abcdef", np.uint8)[:base]
    rows = np.stack(np.meshgrid(*[digits] * places, indexing="ij"), axis=-1).reshape(-1, places)
    return np.ascontiguousarray(rows).view("u4" if places == 4 else f"V{places}").ravel()


def joined(first: TextArrays, second: TextArrays) -> TextArrays:
    """Returns the texts of two tables without NULL, one after the other."""
    end, start = int(first.starts[-1]), int(second.starts[0])
    data = np.concatenate((first.data[:end], second.data[start : int(second.starts[-1])]))
    return TextArrays(np.concatenate((first.starts[:-1], second.starts + (end - start))), data)


def headed(prefix: str, texts: TextArrays) -> TextArrays:
    """Returns texts with a prefix, as those of REFs that name."""
    head = np.frombuffer(prefix.encode(), np.uint8)
    count = len(texts.starts) - 1
    data = texts.data[texts.starts[0] : texts.starts[-1]] if count else texts.data[:0]
    places = np.repeat(texts.starts[:-1] - texts.starts[0], len(head)) if count else np.zeros(0, np.int64)
    starts = texts.starts - texts.starts[0] + np.arange(count + 1) * len(head) if count else texts.starts
    return TextArrays(starts, np.insert(data, places, np.tile(head, count)), texts.is_known)


def constant(text: str | None, rows: int) -> Named:
    """Returns the same text, or NULL, for each row."""
    return Named(np.full(rows, 0 if text is not None else -1), text_arrays([text or ""]))
