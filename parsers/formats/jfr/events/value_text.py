"""Values of events as text, in the units that annotations of `jdk.jfr` (Timespan, DataAmount …) give their fields."""

from __future__ import annotations

from collections.abc import Mapping

from parsers.formats.jfr.data.recorded_data import ChunkData
from parsers.formats.jfr.read.interning import ChunkConstants, thread_of
from parsers.formats.jfr.read.loops import nanoseconds
from parsers.formats.jfr.read.metadata import Field, Metadata
from parsers.formats.jfr.read.program import STACK_TYPE, THREAD_TYPE
from parsers.formats.jfr.read.values import Fields, Key
from parsers.model.names.ref_number import is_number_of
from parsers.model.time_text import nanos_text, time_text

LEAST, MOST = -(1 << 63), (1 << 63) - 1
NANOS = {"NANOSECONDS": 1, "MICROSECONDS": 1_000, "MILLISECONDS": 1_000_000, "SECONDS": 1_000_000_000}
MOST_SHOWN = 8
"""Elements of an array, and fields of a constant, that are shown."""
DEEPEST = 3
"""Constants in constants that are shown."""
DAY = 86_400_000
MOST_DIGITS = 12


def zone_of(metadata: Metadata) -> int:
    """Returns the milliseconds that the zone of a chunk is ahead of UTC; 0 if it is unknown."""
    numbers = [metadata.region.get(name, "") for name in ("gmtOffset", "dst")]
    found = sum(int(text) for text in numbers if text.lstrip("-").isdecimal() and len(text) < MOST_DIGITS)
    return found if abs(found) < DAY else 0


def value_text(values: ChunkData, field: Field, value: object) -> str:
    """Formats the value of a field of a chunk in its unit."""
    if isinstance(value, list):
        shown = [value_text(values, field, each) for each in value[:MOST_SHOWN]]
        more = f", {len(value) - MOST_SHOWN:,} more" if len(value) > MOST_SHOWN else ""
        return f"[{', '.join(shown)}{more}]"
    metadata = values.metadata
    if isinstance(value, int) and not isinstance(value, bool):
        span, moment = (metadata.annotation(field, f"jdk.jfr.{name}") for name in ("Timespan", "Timestamp"))
        if span is not None:
            return _span_text(value, span.get("value", "NANOSECONDS"), values)
        if moment is not None:
            return _moment_text(value, moment.get("value", "TICKS"), values)
        if metadata.annotation(field, "jdk.jfr.MemoryAddress") is not None:
            return f"0x{value & 0xFFFF_FFFF_FFFF_FFFF:x}"
        if metadata.annotation(field, "jdk.jfr.Unsigned") is not None and value < 0:
            value &= 0xFFFF_FFFF_FFFF_FFFF
        amount = metadata.annotation(field, "jdk.jfr.DataAmount")
        frequency = metadata.annotation(field, "jdk.jfr.Frequency") is not None
        unit = "" if amount is None else " bits" if amount.get("value") == "BITS" else " bytes"
        per = ("/s" if unit else " Hz") if frequency else ""
        return f"{value:{grouping(field.name)}}{unit}{per}"
    if isinstance(value, float):
        if metadata.annotation(field, "jdk.jfr.Percentage") is not None:
            return f"{100 * value:.2f} %"
        return f"{value:g}"
    return plain_text(values, value)


def grouping(name: str) -> str:
    """Returns the format of numbers of a field: amounts are grouped in thousands, ids are not."""
    return "" if is_number_of(name) else ","


def _span_text(value: int, unit: str, chunk: ChunkData) -> str:
    if value in (LEAST, MOST):
        return "not available" if value == LEAST else "for ever"
    if unit == "TICKS":
        return nanos_text(int(value / chunk.ticks_per_ns))
    return nanos_text(value * NANOS.get(unit, 1))


def _moment_text(value: int, unit: str, chunk: ChunkData) -> str:
    if value == LEAST:
        return "not available"
    is_ticks, start = unit == "TICKS", (chunk.start_ns, chunk.start_ticks, chunk.ticks_per_ns)
    return time_text(nanoseconds(value, *start) if is_ticks else value * 1_000_000, zone_of(chunk.metadata))


def plain_text(values: ChunkConstants, value: object, depth: int = 0) -> str:
    """Formats a value without a unit: a name for threads, classes and methods, else the fields of a constant."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Key):
        return _key_text(values, value, depth)
    if isinstance(value, Mapping):
        return _fields_text(values, value, depth)
    if isinstance(value, list):
        return f"[{', '.join(plain_text(values, each, depth + 1) for each in value[:MOST_SHOWN])}]"
    return str(value)


def _key_text(values: ChunkConstants, key: Key, depth: int) -> str:
    declared = values.metadata.types.get(key.type)
    name = "" if declared is None else declared.name
    found = values.of(key)
    if found is None:
        return f"unknown #{key.key}" if key.key and name != STACK_TYPE else "null"
    if name == THREAD_TYPE:
        return thread_of(values, key)[0] or "(no name)"
    if name == "java.lang.Class":
        return values.class_name(key)
    if isinstance(found, Mapping) and name == "jdk.types.Method":
        holder, method = values.class_name(found.get("type")), values.text(found.get("name"))
        return f"{holder}.{method}{values.text(found.get('descriptor'))}"
    if isinstance(found, Mapping):
        return _fields_text(values, found, depth)
    return plain_text(values, found, depth + 1) if depth < DEEPEST else "…"


def _fields_text(values: ChunkConstants, fields: Fields, depth: int) -> str:
    name = fields.get("name")
    if depth >= DEEPEST:
        return values.text(name) or "…"
    shown = [f"{key}: {plain_text(values, value, depth + 1)}" for key, value in list(fields.items())[:MOST_SHOWN]]
    return f"{{{', '.join(shown)}}}"
