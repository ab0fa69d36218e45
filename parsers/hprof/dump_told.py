"""Objects that are told by their value: texts, boxes, constants of enums, atomics, big numbers, times, paths …

Source: fields of the classes in OpenJDK 6, 8, 17 and 25.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from parsers.hprof.columns import PLAIN_OBJECT
from parsers.hprof.dump_values import Field
from parsers.hprof.dump_words import CHAR, DOUBLE, FLOAT, OBJECT
from parsers.hprof.elements import NULL

if TYPE_CHECKING:
    from parsers.hprof.dump_graph import DumpGraph
    from parsers.hprof.dump_instance import DumpInstance

MOST_DIGITS = 64
"""Words of 32 bits of a big number that are read."""
MOST_INNER = 4
"""Objects that are told by an object in them, one in the other."""
Teller = Callable[["Told", "DumpInstance", int, int], str]
"""The value of an instance: how many characters at most, how many objects in each other may still be looked into."""


class Told:
    """Tells values of the objects of a graph."""

    def __init__(self, graph: DumpGraph) -> None:
        self.graph = graph
        self._tellers: dict[int, tuple[Teller, str] | None] = {}

    def value(self, object: int, most: int, inner: int = MOST_INNER) -> str:
        """The value of an object, texts in quotes; nothing for one that is not told by a value."""
        graph = self.graph
        if object < 0 or graph.kind(object) != PLAIN_OBJECT:
            return ""
        found = self.teller(graph.type(object))
        return found[0](self, graph.instance(object, found[1]), most, inner) if found is not None else ""

    def teller(self, type: int) -> tuple[Teller, str] | None:
        """What tells objects of a class by their values, and the class above it that it is known by."""
        if type not in self._tellers:
            name = next((name for name in self.graph.supers(type) if name in TELLERS), None)
            self._tellers[type] = None if name is None else (TELLERS[name], name)
        return self._tellers[type]

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


def _box(told: Told, instance: DumpInstance, most: int, inner: int) -> str:
    field = _field(instance, "value")
    return primitive(field.type, field.value) if field is not None and field.type != OBJECT else ""


def _field(instance: DumpInstance, name: str) -> Field | None:
    return next((field for field in instance.fields() if field.name == name.encode()), None)


def _named(name: str) -> Teller:
    """The text of a field, without quotes: a name."""

    def tell(told: Told, instance: DumpInstance, most: int, inner: int) -> str:
        text = told.graph.text_of(instance.reference(name), most)
        return text or ""

    return tell


def _quoted(*names: str) -> Teller:
    """The text of the first of some fields that has one; of JDK 7's threads an array of characters."""

    def tell(told: Told, instance: DumpInstance, most: int, inner: int) -> str:
        for name in names:
            text = told.graph.text_of(instance.reference(name), most + 1)
            if text is not None:
                return quoted(text, most)
        return ""

    return tell


def _holding(*names: str, empty: str = "null") -> Teller:
    """The object that a field refers to."""

    def tell(told: Told, instance: DumpInstance, most: int, inner: int) -> str:
        name = next((each for each in names if instance.has(each)), None)
        if name is None:
            return ""
        object = instance.reference(name)
        return empty if object == NULL else f"of {told.inside(object, most, inner)}"

    return tell


def _optional_number(told: Told, instance: DumpInstance, most: int, inner: int) -> str:
    return f"of {_box(told, instance, most, inner)}" if instance.number("isPresent") else "empty"


def _true_or_false(told: Told, instance: DumpInstance, most: int, inner: int) -> str:
    return "true" if instance.number("value") else "false"


def _adder(told: Told, instance: DumpInstance, most: int, inner: int) -> str:
    from parsers.hprof.contents_known import counted

    found = counted(told.graph, instance, "base", "cells", True)
    return "" if found is None else str(found)


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


def _uuid(told: Told, instance: DumpInstance, most: int, inner: int) -> str:
    high, low = instance.number("mostSigBits"), instance.number("leastSigBits")
    if high is None or low is None:
        return ""
    text = f"{high % (1 << 64):016x}{low % (1 << 64):016x}"
    return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))


def _time(seconds: int | None, nanos: int) -> str:
    """A time in universal time; nothing for one that no calendar has."""
    if seconds is None or not -62135596800 <= seconds < 253402300800:
        return ""
    time = datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=seconds)
    return f"{time.isoformat()}{f'.{nanos:09d}'.rstrip('0') if nanos else ''}Z"


def _date(told: Told, instance: DumpInstance, most: int, inner: int) -> str:
    millis = instance.number("fastTime")
    return "" if millis is None else _time(millis // 1000, millis % 1000 * 1_000_000)


def _instant(told: Told, instance: DumpInstance, most: int, inner: int) -> str:
    return _time(instance.number("seconds"), (instance.number("nanos") or 0) % 1_000_000_000)


def _numbers(instance: DumpInstance, *names: str) -> list[int]:
    """Values of some fields; none if one of them is not there."""
    found = [number for name in names if (number := instance.number(name)) is not None]
    return found if len(found) == len(names) else []


def _local_date(told: Told, instance: DumpInstance, most: int, inner: int) -> str:
    found = _numbers(instance, "year", "month", "day")
    return "{:04d}-{:02d}-{:02d}".format(*found) if found else ""


def _local_time(told: Told, instance: DumpInstance, most: int, inner: int) -> str:
    found = _numbers(instance, "hour", "minute", "second")
    nanos = (instance.number("nano") or 0) % 1_000_000_000
    rest = f".{nanos:09d}".rstrip("0") if nanos else ""
    return "{:02d}:{:02d}:{:02d}".format(*found) + rest if found else ""


def _local_date_time(told: Told, instance: DumpInstance, most: int, inner: int) -> str:
    found = [told.value(instance.reference(name), most, 1) for name in ("date", "time")]
    return "T".join(found) if all(found) else ""


def _seconds(told: Told, instance: DumpInstance, most: int, inner: int) -> str:
    seconds, nanos = instance.number("seconds"), (instance.number("nanos") or 0) % 1_000_000_000
    return "" if seconds is None else f"{seconds}{f'.{nanos:09d}'.rstrip('0') if nanos else ''} s"


_BOXES = ("Boolean", "Byte", "Character", "Short", "Integer", "Long", "Float", "Double")
_ATOMIC = "java.util.concurrent.atomic."
_REFERENCES = ("SoftReference", "WeakReference", "PhantomReference")

TELLERS: Mapping[str, Teller] = {
    "java.lang.String": _text,
    "java.lang.StringBuilder": _built_text,
    "java.lang.StringBuffer": _built_text,
    **{f"java.lang.{name}": _box for name in _BOXES},
    "java.lang.Enum": _named("name"),
    "java.lang.Thread": _quoted("name"),
    "java.lang.ThreadGroup": _quoted("name"),
    "java.lang.Module": _quoted("name"),
    f"{_ATOMIC}AtomicInteger": _box,
    f"{_ATOMIC}AtomicLong": _box,
    f"{_ATOMIC}AtomicBoolean": _true_or_false,
    f"{_ATOMIC}AtomicReference": _holding("value"),
    f"{_ATOMIC}LongAdder": _adder,
    **{f"java.lang.ref.{name}": _holding("referent", empty="cleared") for name in _REFERENCES},
    "java.util.Optional": _holding("value", empty="empty"),
    **{f"java.util.Optional{name}": _optional_number for name in ("Int", "Long", "Double")},
    "java.math.BigInteger": _big_integer,
    "java.math.BigDecimal": _big_decimal,
    "java.util.UUID": _uuid,
    "java.util.Date": _date,
    "java.time.Instant": _instant,
    "java.time.LocalDate": _local_date,
    "java.time.LocalTime": _local_time,
    "java.time.LocalDateTime": _local_date_time,
    "java.time.Duration": _seconds,
    "java.io.File": _quoted("path"),
    "java.net.URI": _quoted("string"),
    "java.util.regex.Pattern": _quoted("pattern"),
    "java.nio.charset.Charset": _quoted("name"),
}
"""By class; subclasses are told by it, too."""
