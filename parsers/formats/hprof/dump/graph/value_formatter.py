"""Formatting of objects by value: texts, boxes, constants of enums, atomics, big numbers, times, paths …

Source: fields of the classes in OpenJDK 6, 8, 17 and 25.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

from parsers.formats.hprof.dump.records.tags import CHAR, DOUBLE, FLOAT, INT
from parsers.heapdump.graph.columns import PLAIN_OBJECT
from parsers.heapdump.graph.elements import NULL
from parsers.model.value import value_class

if TYPE_CHECKING:
    from parsers.formats.hprof.dump.graph.graph import DumpGraph
    from parsers.formats.hprof.dump.read.instance import DumpInstance
    from parsers.model.arrays import I64Array

MOST_DIGITS = 64
"""Most 32-bit words of a big number that are read."""
MOST_INNER = 4
"""Most levels of objects formatted by an object inside them."""
ValueFormatter = Callable[["ObjectFormatter", "DumpInstance", int, int], str]
"""Returns the value of an instance. Arguments: most characters, most further levels of inner objects."""


class ObjectFormatter:
    """Formats values of the objects of a graph."""

    def __init__(self, graph: DumpGraph) -> None:
        self.graph = graph
        self._formatters: dict[int, tuple[ValueFormatter, str] | None] = {}

    def value(self, object: int, most: int, inner: int = MOST_INNER) -> str:
        """Returns the value of an object, texts in quotes; empty for classes without a formatter."""
        graph = self.graph
        if object < 0 or graph.kind(object) != PLAIN_OBJECT:
            return ""
        found = self.formatter_of(graph.type(object))
        return found[0](self, graph.instance(object, found[1]), most, inner) if found is not None else ""

    def formatter_of(self, type: int) -> tuple[ValueFormatter, str] | None:
        """Returns the formatter for objects of a class, and the superclass that it belongs to."""
        if type not in self._formatters:
            name = next((name for name in self.graph.supers(type) if name in FORMATTERS), None)
            self._formatters[type] = None if name is None else (FORMATTERS[name], name)
        return self._formatters[type]

    def number_format(self, type: int) -> tuple[NumberFormat, str] | None:
        """Returns the number format for objects of a class, and the superclass it belongs to; None if there is none."""
        found = self.formatter_of(type)
        numbers = None if found is None else NUMBER_FORMATS.get(found[1])
        return None if found is None or numbers is None else (numbers, found[1])

    def inner_value(self, object: int, most: int, inner: int) -> str:
        """Returns the value of an object inside another one."""
        if object == NULL:
            return "null"
        if object < 0:
            return "an object that the dump lacks"
        if inner:
            value = self.value(object, most, inner - 1)
            if value:
                return value
        return f"{self.graph.type_name(self.graph.type(object))} 0x{self.graph.id(object):x}"


def quoted(text: str, most: int) -> str:
    """Returns the first characters of a text in quotes."""
    return f'"{text[:most]}…"' if len(text) > most else f'"{text}"'


def primitive(type: int, value: int | float | bool) -> str:
    """Formats a value of a primitive type in Java notation."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if type == CHAR:
        return f"'{chr(int(value))}'"
    if type in (FLOAT, DOUBLE):
        if math.isnan(value) or math.isinf(value):
            return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
        return shortest(value, type)
    return str(value)


def shortest(value: float, type: int) -> str:
    """Returns the shortest decimal that parses to this number; for a float, to the same float."""
    if type == DOUBLE:
        return repr(value)
    for digits in range(1, 10):
        text = f"{value:.{digits}g}"
        if as_float(float(text)) == value:
            return text if any(sign in text for sign in ".e") else f"{text}.0"
    return repr(value)


def as_float(value: float) -> float:
    """Returns the nearest 32-bit number."""
    import struct

    try:
        found: float = struct.unpack("f", struct.pack("f", value))[0]
    except OverflowError:
        return math.inf
    return found


# -- formatters by class ----------------------------------------------------------------------------------------------


def _text(formatter: ObjectFormatter, instance: DumpInstance, most: int, inner: int) -> str:
    text = formatter.graph.text_in(instance, most + 1)
    return "" if text is None else quoted(text, most)


def _built_text(formatter: ObjectFormatter, instance: DumpInstance, most: int, inner: int) -> str:
    count = instance.number("count")
    text = formatter.graph.text_in(instance, most + 1 if count is None else max(0, min(count, most + 1)))
    return "" if text is None else quoted(text, most)


def _named(name: str) -> ValueFormatter:
    """Returns a formatter: the text of a field, without quotes, for names."""

    def format_value(formatter: ObjectFormatter, instance: DumpInstance, most: int, inner: int) -> str:
        text = formatter.graph.text_of(instance.reference(name), most)
        return text or ""

    return format_value


def _quoted(name: str) -> ValueFormatter:
    """Returns a formatter: the text of a field; in JDK 7, names of threads are character arrays."""

    def format_value(formatter: ObjectFormatter, instance: DumpInstance, most: int, inner: int) -> str:
        text = formatter.graph.text_of(instance.reference(name), most + 1)
        return "" if text is None else quoted(text, most)

    return format_value


def _referenced(name: str, empty: str = "null") -> ValueFormatter:
    """Returns a formatter: the object that a field refers to."""

    def format_value(formatter: ObjectFormatter, instance: DumpInstance, most: int, inner: int) -> str:
        if not instance.has(name):
            return ""
        object = instance.reference(name)
        return empty if object == NULL else f"of {formatter.inner_value(object, most, inner)}"

    return format_value


def _adder(formatter: ObjectFormatter, instance: DumpInstance, most: int, inner: int) -> str:
    from parsers.heapdump.collections.known import counted

    found = counted(formatter.graph, instance, "base", "cells", True)
    return "" if found is None else str(found)


def _character(formatter: ObjectFormatter, instance: DumpInstance, most: int, inner: int) -> str:
    value = instance.value("value")
    return "" if value is None else primitive(CHAR, value)


def _big_integer(formatter: ObjectFormatter, instance: DumpInstance, most: int, inner: int) -> str:
    sign, words = instance.number("signum"), formatter.graph.numbers_of(instance.reference("mag"))
    if sign is None or words is None or words.length > MOST_DIGITS:
        return ""
    return str(sign * int.from_bytes(formatter.graph.read(words.length * 4, words.offset), "big"))


def _big_decimal(formatter: ObjectFormatter, instance: DumpInstance, most: int, inner: int) -> str:
    scale, compact = instance.number("scale"), instance.number("intCompact")
    if scale is None or compact is None:
        return ""
    digits = str(compact)
    if compact == -(1 << 63):
        digits = formatter.value(instance.reference("intVal"), most, 1)
    if not digits or not 0 <= scale <= 100:
        return f"{digits}E{-scale}" if digits else ""
    sign, digits = ("-", digits[1:]) if digits.startswith("-") else ("", digits)
    digits = digits.rjust(scale + 1, "0")
    return f"{sign}{digits[: len(digits) - scale]}.{digits[len(digits) - scale :]}" if scale else sign + digits


def _local_date_time(formatter: ObjectFormatter, instance: DumpInstance, most: int, inner: int) -> str:
    found = [formatter.value(instance.reference(name), most, 1) for name in ("date", "time")]
    return "T".join(found) if all(found) else ""


# -- values made of numbers alone -------------------------------------------------------------------------------------


@value_class
class NumberFormat:
    """Format of objects by their fields of primitive types."""

    names: tuple[str, ...]
    text: Callable[..., str]
    """Formats the values of these fields."""
    signs: frozenset[str]
    """All characters in such texts."""
    is_real: bool = False
    """True if they may be numbers with a fraction."""

    def format_value(self, formatter: ObjectFormatter, instance: DumpInstance, most: int, inner: int) -> str:
        """Returns the value of an instance; empty if it lacks these fields."""
        found = [value for name in self.names if (value := instance.value(name)) is not None]
        is_known = len(found) == len(self.names) and (
            self.is_real or not any(isinstance(each, float) for each in found)
        )
        return self.text(*found) if is_known else ""

    def texts(self, graph: DumpGraph, objects: I64Array, known: str) -> tuple[I64Array, list[str]]:
        """Returns which of many objects of a class, based on the class `known`, have a value, and the values."""
        from parsers.formats.hprof.dump.graph.bulk import values_by_name

        which, columns = values_by_name(graph, objects, known, self.names)
        if not self.is_real and any(column.dtype.kind == "f" for column in columns):
            return which[:0], []
        return which, [self.text(*values) for values in zip(*(column.tolist() for column in columns), strict=True)]


def _boxed(type: int) -> Callable[..., str]:
    return lambda value: primitive(type, value)


def _uuid(high: int, low: int) -> str:
    text = f"{high % (1 << 64):016x}{low % (1 << 64):016x}"
    return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))


def _instant(seconds: int, nanos: int) -> str:
    """Formats a time in UTC; empty if out of the calendar's range."""
    day, second = divmod(seconds, 86400)
    if not FIRST_DAY <= day <= LAST_DAY:
        return ""
    minute, second = divmod(second, 60)
    return f"{_day(day)}T{minute // 60:02d}:{minute % 60:02d}:{second:02d}{_fraction(nanos)}Z"


@lru_cache(maxsize=1 << 12)
def _day(day: int) -> str:
    """Formats a day, given as number from 1970 on."""
    return (datetime.date(1970, 1, 1) + datetime.timedelta(day)).isoformat()


def _fraction(nanos: int) -> str:
    return f".{nanos % 1_000_000_000:09d}".rstrip("0") if nanos % 1_000_000_000 else ""


def _date(millis: int) -> str:
    return _instant(millis // 1000, millis % 1000 * 1_000_000)


def _local_date(year: int, month: int, day: int) -> str:
    return f"{year:04d}-{month:02d}-{day:02d}"


def _local_time(hour: int, minute: int, second: int, nanos: int) -> str:
    return f"{hour:02d}:{minute:02d}:{second:02d}{_fraction(nanos)}"


def _seconds(seconds: int, nanos: int) -> str:
    return f"{seconds}{_fraction(nanos)} s"


def _boolean(value: int) -> str:
    return "true" if value else "false"


def _optional(type: int) -> Callable[..., str]:
    return lambda is_present, value: f"of {primitive(type, value)}" if is_present else "empty"


FIRST_DAY, LAST_DAY = -719_162, 2_932_896
"""The first and the last day supported by the calendar: years 1 to 9999."""
_VALUE = ("value",)
_ATOMIC = "java.util.concurrent.atomic."
_INTEGER = frozenset("-0123456789")
_FLOAT = _INTEGER | frozenset(".e+NaInfity")
_TIME = _INTEGER | frozenset(".:TZ")
_OPTIONAL = _FLOAT | frozenset("of empty")
_WHOLE = NumberFormat(_VALUE, _boxed(INT), _INTEGER)
_TRUE_OR_FALSE = NumberFormat(_VALUE, _boolean, frozenset("truefalse"))

NUMBER_FORMATS: Mapping[str, NumberFormat] = {
    **{f"java.lang.{name}": _WHOLE for name in ("Byte", "Short", "Integer", "Long")},
    **{f"{_ATOMIC}{name}": _WHOLE for name in ("AtomicInteger", "AtomicLong")},
    **dict.fromkeys(("java.lang.Boolean", f"{_ATOMIC}AtomicBoolean"), _TRUE_OR_FALSE),
    "java.lang.Float": NumberFormat(_VALUE, _boxed(FLOAT), _FLOAT, True),
    "java.lang.Double": NumberFormat(_VALUE, _boxed(DOUBLE), _FLOAT, True),
    "java.util.OptionalInt": NumberFormat(("isPresent", "value"), _optional(INT), _OPTIONAL),
    "java.util.OptionalLong": NumberFormat(("isPresent", "value"), _optional(INT), _OPTIONAL),
    "java.util.OptionalDouble": NumberFormat(("isPresent", "value"), _optional(DOUBLE), _OPTIONAL, True),
    "java.util.UUID": NumberFormat(("mostSigBits", "leastSigBits"), _uuid, frozenset("-0123456789abcdef")),
    "java.util.Date": NumberFormat(("fastTime",), _date, _TIME),
    "java.time.Instant": NumberFormat(("seconds", "nanos"), _instant, _TIME),
    "java.time.LocalDate": NumberFormat(("year", "month", "day"), _local_date, _TIME),
    "java.time.LocalTime": NumberFormat(("hour", "minute", "second", "nano"), _local_time, _TIME),
    "java.time.Duration": NumberFormat(("seconds", "nanos"), _seconds, _TIME | frozenset(" s")),
}
"""Number formats by class; they apply to subclasses, too."""

_REFERENCES = ("SoftReference", "WeakReference", "PhantomReference")

FORMATTERS: Mapping[str, ValueFormatter] = {
    **{name: numbers.format_value for name, numbers in NUMBER_FORMATS.items()},
    "java.lang.Character": _character,
    "java.lang.String": _text,
    "java.lang.StringBuilder": _built_text,
    "java.lang.StringBuffer": _built_text,
    "java.lang.Enum": _named("name"),
    "java.lang.Thread": _quoted("name"),
    "java.lang.ThreadGroup": _quoted("name"),
    "java.lang.Module": _quoted("name"),
    f"{_ATOMIC}AtomicReference": _referenced("value"),
    f"{_ATOMIC}LongAdder": _adder,
    **{f"java.lang.ref.{name}": _referenced("referent", empty="cleared") for name in _REFERENCES},
    "java.util.Optional": _referenced("value", empty="empty"),
    "java.math.BigInteger": _big_integer,
    "java.math.BigDecimal": _big_decimal,
    "java.time.LocalDateTime": _local_date_time,
    "java.io.File": _quoted("path"),
    "java.net.URI": _quoted("string"),
    "java.util.regex.Pattern": _quoted("pattern"),
    "java.nio.charset.Charset": _quoted("name"),
}
"""Formatters by class; they apply to subclasses, too."""
