"""Objects that are told by their value: texts, boxes, constants of enums, atomics, big numbers, times, paths …

Source: fields of the classes in OpenJDK 6, 8, 17 and 25.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from parsers.formats.hprof.dump.read.tags import CHAR, DOUBLE, FLOAT, INT
from parsers.heapdump.graph.columns import PLAIN_OBJECT
from parsers.heapdump.graph.elements import NULL
from parsers.model.value import value_class

if TYPE_CHECKING:
    from parsers.formats.hprof.dump.graph.graph import DumpGraph
    from parsers.formats.hprof.dump.read.instance import DumpInstance

MOST_DIGITS = 64
"""Words of 32 bits of a big number that are read."""
MOST_INNER = 4
"""Objects that are told by an object in them, one in the other."""
ProgressReporter = Callable[["Told", "DumpInstance", int, int], str]
"""The value of an instance: how many characters at most, how many objects in each other may still be looked into."""


class Told:
    """Tells values of the objects of a graph."""

    def __init__(self, graph: DumpGraph) -> None:
        self.graph = graph
        self._tellers: dict[int, tuple[ProgressReporter, str] | None] = {}

    def value(self, object: int, most: int, inner: int = MOST_INNER) -> str:
        """The value of an object, texts in quotes; nothing for one that is not told by a value."""
        graph = self.graph
        if object < 0 or graph.kind(object) != PLAIN_OBJECT:
            return ""
        found = self.teller(graph.type(object))
        return found[0](self, graph.instance(object, found[1]), most, inner) if found is not None else ""

    def teller(self, type: int) -> tuple[ProgressReporter, str] | None:
        """What tells objects of a class by their values, and the class above it that it is known by."""
        if type not in self._tellers:
            name = next((name for name in self.graph.supers(type) if name in TELLERS), None)
            self._tellers[type] = None if name is None else (TELLERS[name], name)
        return self._tellers[type]

    def by_numbers(self, type: int) -> tuple[ByNumbers, str] | None:
        """How objects of a class are told by numbers, and the class that they are known by; None: they are not."""
        found = self.teller(type)
        numbers = None if found is None else BY_NUMBERS.get(found[1])
        return None if found is None or numbers is None else (numbers, found[1])

    def inside(self, object: int, most: int, inner: int) -> str:
        """What an object shows of one that it holds."""
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
    """A text in quotes, its first characters."""
    return f'"{text[:most]}…"' if len(text) > most else f'"{text}"'


def primitive(type: int, value: int | float | bool) -> str:
    """A value of a primitive type as Java writes it."""
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
    """The shortest number that is read as this one; of a float as a float."""
    if type == DOUBLE:
        return repr(value)
    for digits in range(1, 10):
        text = f"{value:.{digits}g}"
        if as_float(float(text)) == value:
            return text if any(sign in text for sign in ".e") else f"{text}.0"
    return repr(value)


def as_float(value: float) -> float:
    """The nearest number of 32 bits."""
    import struct

    try:
        found: float = struct.unpack("f", struct.pack("f", value))[0]
    except OverflowError:
        return math.inf
    return found


# -- what tells of a class --------------------------------------------------------------------------------------------


def _text(told: Told, instance: DumpInstance, most: int, inner: int) -> str:
    text = told.graph.text_in(instance, most + 1)
    return "" if text is None else quoted(text, most)


def _built_text(told: Told, instance: DumpInstance, most: int, inner: int) -> str:
    count = instance.number("count")
    text = told.graph.text_in(instance, most + 1 if count is None else max(0, min(count, most + 1)))
    return "" if text is None else quoted(text, most)


def _named(name: str) -> ProgressReporter:
    """The text of a field, without quotes: a name."""

    def tell(told: Told, instance: DumpInstance, most: int, inner: int) -> str:
        text = told.graph.text_of(instance.reference(name), most)
        return text or ""

    return tell


def _quoted(*names: str) -> ProgressReporter:
    """The text of the first of some fields that has one; of JDK 7's threads an array of characters."""

    def tell(told: Told, instance: DumpInstance, most: int, inner: int) -> str:
        for name in names:
            text = told.graph.text_of(instance.reference(name), most + 1)
            if text is not None:
                return quoted(text, most)
        return ""

    return tell


def _holding(*names: str, empty: str = "null") -> ProgressReporter:
    """The object that a field refers to."""

    def tell(told: Told, instance: DumpInstance, most: int, inner: int) -> str:
        name = next((each for each in names if instance.has(each)), None)
        if name is None:
            return ""
        object = instance.reference(name)
        return empty if object == NULL else f"of {told.inside(object, most, inner)}"

    return tell


def _adder(told: Told, instance: DumpInstance, most: int, inner: int) -> str:
    from parsers.heapdump.collections.known import counted

    found = counted(told.graph, instance, "base", "cells", True)
    return "" if found is None else str(found)


def _character(told: Told, instance: DumpInstance, most: int, inner: int) -> str:
    value = instance.value("value")
    return "" if value is None else primitive(CHAR, value)


def _big_integer(told: Told, instance: DumpInstance, most: int, inner: int) -> str:
    sign, words = instance.number("signum"), told.graph.numbers_of(instance.reference("mag"))
    if sign is None or words is None or words.length > MOST_DIGITS:
        return ""
    return str(sign * int.from_bytes(told.graph.read(words.length * 4, words.offset), "big"))


def _big_decimal(told: Told, instance: DumpInstance, most: int, inner: int) -> str:
    scale, compact = instance.number("scale"), instance.number("intCompact")
    if scale is None or compact is None:
        return ""
    digits = str(compact)
    if compact == -(1 << 63):
        digits = told.value(instance.reference("intVal"), most, 1)
    if not digits or not 0 <= scale <= 100:
        return f"{digits}E{-scale}" if digits else ""
    sign, digits = ("-", digits[1:]) if digits.startswith("-") else ("", digits)
    digits = digits.rjust(scale + 1, "0")
    return f"{sign}{digits[: len(digits) - scale]}.{digits[len(digits) - scale :]}" if scale else sign + digits


def _local_date_time(told: Told, instance: DumpInstance, most: int, inner: int) -> str:
    found = [told.value(instance.reference(name), most, 1) for name in ("date", "time")]
    return "T".join(found) if all(found) else ""


# -- what is told by numbers alone ------------------------------------------------------------------------------------


@value_class
class ByNumbers:
    """How objects of a class are told by fields of primitive types."""

    names: tuple[str, ...]
    text: Callable[..., str]
    """Of the values of these fields."""
    signs: frozenset[str]
    """All that stand in such texts."""
    is_real: bool = False
    """Whether they may be numbers with a fraction."""

    def tell(self, told: Told, instance: DumpInstance, most: int, inner: int) -> str:
        """The value of one; nothing where it has no such fields."""
        found = [value for name in self.names if (value := instance.value(name)) is not None]
        is_known = len(found) == len(self.names) and (
            self.is_real or not any(isinstance(each, float) for each in found)
        )
        return self.text(*found) if is_known else ""

    def texts(self, graph: DumpGraph, objects: Any, known: str) -> tuple[Any, list[str]]:
        """Of many objects of one class, known by the class of that name: which of them have a value, and these."""
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
    """A time in universal time; nothing for one that no calendar has."""
    day, second = divmod(seconds, 86400)
    if not FIRST_DAY <= day <= LAST_DAY:
        return ""
    minute, second = divmod(second, 60)
    return f"{_day(day)}T{minute // 60:02d}:{minute % 60:02d}:{second:02d}{_fraction(nanos)}Z"


@lru_cache(maxsize=1 << 12)
def _day(day: int) -> str:
    """A day by its number from 1970 on."""
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


def _truth(value: int) -> str:
    return "true" if value else "false"


def _optional(type: int) -> Callable[..., str]:
    return lambda is_present, value: f"of {primitive(type, value)}" if is_present else "empty"


FIRST_DAY, LAST_DAY = -719_162, 2_932_896
"""The first and the last day that calendars have here: years 1 to 9999."""
_VALUE = ("value",)
_ATOMIC = "java.util.concurrent.atomic."
_INTEGER = frozenset("-0123456789")
_FLOAT = _INTEGER | frozenset(".e+NaInfity")
_TIME = _INTEGER | frozenset(".:TZ")
_OPTIONAL = _FLOAT | frozenset("of empty")
_WHOLE = ByNumbers(_VALUE, _boxed(INT), _INTEGER)
_TRUE_OR_FALSE = ByNumbers(_VALUE, _truth, frozenset("truefalse"))

BY_NUMBERS: Mapping[str, ByNumbers] = {
    **{f"java.lang.{name}": _WHOLE for name in ("Byte", "Short", "Integer", "Long")},
    **{f"{_ATOMIC}{name}": _WHOLE for name in ("AtomicInteger", "AtomicLong")},
    **dict.fromkeys(("java.lang.Boolean", f"{_ATOMIC}AtomicBoolean"), _TRUE_OR_FALSE),
    "java.lang.Float": ByNumbers(_VALUE, _boxed(FLOAT), _FLOAT, True),
    "java.lang.Double": ByNumbers(_VALUE, _boxed(DOUBLE), _FLOAT, True),
    "java.util.OptionalInt": ByNumbers(("isPresent", "value"), _optional(INT), _OPTIONAL),
    "java.util.OptionalLong": ByNumbers(("isPresent", "value"), _optional(INT), _OPTIONAL),
    "java.util.OptionalDouble": ByNumbers(("isPresent", "value"), _optional(DOUBLE), _OPTIONAL, True),
    "java.util.UUID": ByNumbers(("mostSigBits", "leastSigBits"), _uuid, frozenset("-0123456789abcdef")),
    "java.util.Date": ByNumbers(("fastTime",), _date, _TIME),
    "java.time.Instant": ByNumbers(("seconds", "nanos"), _instant, _TIME),
    "java.time.LocalDate": ByNumbers(("year", "month", "day"), _local_date, _TIME),
    "java.time.LocalTime": ByNumbers(("hour", "minute", "second", "nano"), _local_time, _TIME),
    "java.time.Duration": ByNumbers(("seconds", "nanos"), _seconds, _TIME | frozenset(" s")),
}
"""By class; subclasses are told by it, too."""

_REFERENCES = ("SoftReference", "WeakReference", "PhantomReference")

TELLERS: Mapping[str, ProgressReporter] = {
    **{name: numbers.tell for name, numbers in BY_NUMBERS.items()},
    "java.lang.Character": _character,
    "java.lang.String": _text,
    "java.lang.StringBuilder": _built_text,
    "java.lang.StringBuffer": _built_text,
    "java.lang.Enum": _named("name"),
    "java.lang.Thread": _quoted("name"),
    "java.lang.ThreadGroup": _quoted("name"),
    "java.lang.Module": _quoted("name"),
    f"{_ATOMIC}AtomicReference": _holding("value"),
    f"{_ATOMIC}LongAdder": _adder,
    **{f"java.lang.ref.{name}": _holding("referent", empty="cleared") for name in _REFERENCES},
    "java.util.Optional": _holding("value", empty="empty"),
    "java.math.BigInteger": _big_integer,
    "java.math.BigDecimal": _big_decimal,
    "java.time.LocalDateTime": _local_date_time,
    "java.io.File": _quoted("path"),
    "java.net.URI": _quoted("string"),
    "java.util.regex.Pattern": _quoted("pattern"),
    "java.nio.charset.Charset": _quoted("name"),
}
"""By class; subclasses are told by it, too."""
