"""Profiles for pprof: a gzip file with one protocol buffer.

Source: `profile.proto` of https://github.com/google/pprof, and the encoding of protocol buffers: a field is its number
and wire type, then a varint, or a length and bytes. Stacks begin with the innermost frame; strings are numbered, the
first is empty.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Iterator, Sequence

from parsers.model.row import Unit
from parsers.reporting.export.sample import Sample, whole

UNITS = {"ms": "microseconds", "ns": "nanoseconds", "bytes": "bytes", "s": "seconds"}
SAMPLE_TYPE, SAMPLE, LOCATION, FUNCTION, STRINGS, COMMENT = 1, 2, 4, 5, 6, 13
"""Fields of a Profile."""
TOP = 1 << 64


def pprof(name: str, values: Sequence[tuple[str, Unit]], samples: Iterable[Sample], exporter: str) -> Iterator[bytes]:
    """Yields the file. Equal input gives equal bytes.

    values  titles and units of the weights of samples; all of them are written
    """
    strings: dict[str, int] = {"": 0}
    locations: dict[int, int] = {}
    parts = bytearray()

    def text(value: str) -> int:
        return strings.setdefault(value, len(strings))

    for title, unit in values:
        parts += message(SAMPLE_TYPE, integer(1, text(title)) + integer(2, text(UNITS.get(unit, "count"))))
    for sample in samples:
        stack = []
        for frame in reversed(sample.frames):
            number = locations.get(frame.number)
            if number is None:
                number = locations[frame.number] = len(locations) + 1
                line = integer(1, number) + integer(2, frame.line or 0)
                parts += message(LOCATION, integer(1, number) + message(4, line))
                parts += message(FUNCTION, integer(1, number) + integer(2, text(frame.name)))
            stack.append(number)
        weights = [whole(weight, unit) for weight, (_, unit) in zip(sample.weights, values, strict=True)]
        parts += message(SAMPLE, packed(1, stack) + packed(2, weights))
    for comment in (name, exporter):
        parts += integer(COMMENT, text(comment))
    for value in strings:
        parts += message(STRINGS, value.encode("utf-8", "replace"))
    yield gzip.compress(bytes(parts), mtime=0)


def varint(number: int) -> bytes:
    """Encodes an integer; negative ones as 64 bits in two's complement."""
    number %= TOP
    found = bytearray()
    while number >= 0x80:
        found.append(number & 0x7F | 0x80)
        number >>= 7
    found.append(number)
    return bytes(found)


def integer(field: int, number: int) -> bytes:
    """Encodes a field with an integer; 0 is left out."""
    return varint(field << 3) + varint(number) if number else b""


def message(field: int, data: bytes) -> bytes:
    """Encodes a field with bytes: a text, or another message."""
    return varint(field << 3 | 2) + varint(len(data)) + data


def packed(field: int, numbers: Iterable[int]) -> bytes:
    """Encodes a field with many integers."""
    return message(field, b"".join(map(varint, numbers)))
