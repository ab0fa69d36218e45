"""Columns of a table as an Arrow C stream: batches are made when they are pulled. Uses ctypes only; copies no buffer.

Source: "The Arrow C data interface", "C stream interface" and "PyCapsule interface" of Apache Arrow.
Whoever made a structure keeps its parts until `release` is called, so they are kept here by a number in the structure.
"""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Callable, Iterator, Sequence
from ctypes import CFUNCTYPE, Structure, c_char_p, c_int, c_int64, c_void_p
from typing import TYPE_CHECKING, Any

import numpy as np

from parsers.model.tables.column_values import Known, Named, TextArrays, gathered, text_arrays

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray, BoolArray, U8Array
    from parsers.model.tables.column_values import TableColumn, Values

TABLE, NULLABLE, IO_ERROR = b"+s", 2, 5
FORMATS = {"INTEGER": b"i", "BIGINT": b"l", "DOUBLE": b"g", "BOOLEAN": b"b", "VARCHAR": b"U"}
"""By SQL type; texts have offsets of 8 bytes."""
INDEX = b"i"
"""Format of the numbers of texts in a dictionary."""

RELEASE, GET = CFUNCTYPE(None, c_void_p), CFUNCTYPE(c_int, c_void_p, c_void_p)
_TAIL = [("children", c_void_p), ("dictionary", c_void_p), ("release", c_void_p), ("key", c_void_p)]


class ArrowSchema(Structure):
    """`ArrowSchema`."""

    _fields_ = [
        ("format", c_char_p),
        ("name", c_char_p),
        ("metadata", c_char_p),
        ("flags", c_int64),
        ("count", c_int64),
        *_TAIL,
    ]


class ArrowArray(Structure):
    """`ArrowArray`."""

    _fields_ = [
        ("length", c_int64),
        ("nulls", c_int64),
        ("offset", c_int64),
        ("buffer_count", c_int64),
        ("count", c_int64),
        ("buffers", c_void_p),
        *_TAIL,
    ]


class Stream(Structure):
    """`ArrowArrayStream`."""

    _fields_ = [
        ("get_schema", GET),
        ("get_next", GET),
        ("last_error", CFUNCTYPE(c_void_p, c_void_p)),
        *_TAIL[2:],
    ]


_kept: dict[int, tuple[Any, ...]] = {}
"""By key: parts of a structure that its user still holds, and what must live as long."""
_keys = itertools.count(1)


def _keep(each: Any, *kept: Any) -> None:
    each.key = next(_keys)
    _kept[each.key] = kept
    each.release = ctypes.cast(_release[type(each)], c_void_p)


def _releaser(type: Any) -> Any:
    def release(address: int) -> None:
        each = type.from_address(address)
        each.release = None
        for part in _kept.pop(each.key)[0]:
            if part.release:
                _release[type](ctypes.addressof(part))

    return RELEASE(release)


_release: dict[Any, Any] = {type: _releaser(type) for type in (ArrowSchema, ArrowArray, Stream)}


def _fill(each: Any, parts: Sequence[Any], *kept: Any, dictionary: Any = None) -> None:
    places = (c_void_p * max(len(parts), 1))(*map(ctypes.addressof, parts))
    each.count, each.children = len(parts), ctypes.cast(places, c_void_p)
    if dictionary is not None:
        each.dictionary = ctypes.addressof(dictionary)
        parts = (*parts, dictionary)
    _keep(each, parts, places, *kept)


def _fill_schema(each: ArrowSchema, columns: Sequence[TableColumn]) -> None:
    parts = [ArrowSchema() for _ in columns]
    for part, column in zip(parts, columns, strict=True):
        texts = None
        if column.is_interned:
            texts = ArrowSchema(format=FORMATS[column.type], name=b"", flags=0)
            _fill(texts, ())
        part.format = INDEX if column.is_interned else FORMATS[column.type]
        part.name, part.flags = column.name.encode(), NULLABLE
        _fill(part, (), dictionary=texts)
    each.format, each.name, each.flags = TABLE, b"", NULLABLE
    _fill(each, parts)


def _bits(values: BoolArray | None) -> U8Array | None:
    return None if values is None else np.packbits(values, bitorder="little")


def _fill_column(each: ArrowArray, length: int, values: Values, is_interned: bool) -> None:
    texts = valid = None
    if isinstance(values, Named) and is_interned:
        texts = ArrowArray()
        dictionary = values.texts if len(values.texts.starts) > 1 else text_arrays([""])
        _fill_column(texts, len(dictionary.starts) - 1, dictionary, False)
        is_known = values.numbers >= 0
        values = values.numbers if is_known.all() else Known(np.maximum(values.numbers, 0), is_known)
    elif isinstance(values, Named):
        values = gathered(values)
    if isinstance(values, TextArrays):
        valid = _bits(values.is_known)
        buffers = [valid, np.ascontiguousarray(values.starts, np.int64), np.ascontiguousarray(values.data)]
    else:
        if isinstance(values, Known):
            values, valid = values.numbers, _bits(values.is_known)
        if is_interned:
            values = values.astype(np.int32)
        buffers = [valid, _bits(values) if values.dtype == bool else np.ascontiguousarray(values)]
    _fill_array(each, length, buffers, (), texts)


def _fill_array(
    each: ArrowArray,
    length: int,
    buffers: Sequence[AnyArray | None],
    parts: Sequence[Any],
    texts: ArrowArray | None = None,
) -> None:
    places = (c_void_p * len(buffers))(*(None if one is None else one.ctypes.data for one in buffers))
    each.length, each.nulls, each.buffer_count = length, 0 if buffers[0] is None else -1, len(buffers)
    each.buffers = ctypes.cast(places, c_void_p)
    _fill(each, parts, places, buffers, dictionary=texts)


def _fill_batch(each: ArrowArray, length: int, columns: Sequence[TableColumn], batch: Sequence[Values]) -> None:
    parts = [ArrowArray() for _ in columns]
    for part, column, values in zip(parts, columns, batch, strict=True):
        _fill_column(part, length, values, column.is_interned)
    _fill_array(each, length, [None], parts)


def _guarded(stream: int, work: Any) -> int:
    _, _, columns, batches, error = _kept[Stream.from_address(stream).key]
    try:
        work(columns, batches)
    except BaseException as raised:  # It would be lost in C.
        error.value = (str(raised) or type(raised).__name__).encode("utf-8", "replace")[:250]
        return IO_ERROR
    return 0


def _get_schema(stream: int, out: int) -> int:
    return _guarded(stream, lambda columns, _: _fill_schema(ArrowSchema.from_address(out), columns))


def _get_next(stream: int, out: int) -> int:
    def next_batch(columns: Sequence[TableColumn], batches: Iterator[tuple[int, list[Values]]]) -> None:
        ctypes.memset(out, 0, ctypes.sizeof(ArrowArray))
        for length, batch in itertools.islice(batches, 1):
            _fill_batch(ArrowArray.from_address(out), length, columns, batch)

    return _guarded(stream, next_batch)


_CALLS = GET(_get_schema), GET(_get_next)
_last_error = CFUNCTYPE(c_void_p, c_void_p)(lambda at: ctypes.addressof(_kept[Stream.from_address(at).key][4]))
_new = ctypes.pythonapi.PyCapsule_New
_new.restype, _new.argtypes = ctypes.py_object, (c_void_p, c_char_p, c_void_p)
_capsules: dict[int, Any] = {}
"""Structures in capsules, by the address of the capsule."""


def _drop(capsule: int) -> None:
    each = _capsules.pop(capsule)
    if each.release:
        _release[type(each)](ctypes.addressof(each))


_DROP = ctypes.PYFUNCTYPE(None, c_void_p)(_drop)


def _capsule(each: Any, name: bytes) -> Any:
    capsule = _new(ctypes.addressof(each), name, ctypes.cast(_DROP, c_void_p))
    _capsules[id(capsule)] = each
    return capsule


class ArrowColumns:
    """Columns with an Arrow C stream."""

    def __init__(
        self, columns: Sequence[TableColumn], batches: Callable[[], Iterator[tuple[int, list[Values]]]]
    ) -> None:
        """batches: returns numbers of rows, and the values of the columns; called for each stream"""
        self._columns, self._batches = columns, batches

    def __arrow_c_schema__(self) -> Any:
        """Returns the names and types of the columns."""
        each = ArrowSchema()
        _fill_schema(each, self._columns)
        return _capsule(each, b"arrow_schema")

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Returns the batches; another schema can't be requested."""
        each = Stream(*_CALLS, _last_error)
        _keep(each, (), (), self._columns, self._batches(), ctypes.create_string_buffer(256))
        return _capsule(each, b"arrow_array_stream")
