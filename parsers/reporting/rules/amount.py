"""Amounts with units: `10 MB`, `2.5 ms`, `5 %`, `60_000`; exact, convertible to the unit of a column."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

BYTES, TIME, PERCENT, PLAIN = "bytes", "time", "percent", ""

_UNITS: dict[str, tuple[str, Fraction]] = {
    "": (PLAIN, Fraction(1)),
    "%": (PERCENT, Fraction(1)),
    "b": (BYTES, Fraction(1)),
    **{f"{letter}b": (BYTES, Fraction(1000**power)) for power, letter in enumerate("kmgt", 1)},
    **{f"{letter}ib": (BYTES, Fraction(1024**power)) for power, letter in enumerate("kmgt", 1)},
    "ns": (TIME, Fraction(1, 10**9)),
    "us": (TIME, Fraction(1, 10**6)),
    "µs": (TIME, Fraction(1, 10**6)),
    "ms": (TIME, Fraction(1, 1000)),
    "s": (TIME, Fraction(1)),
    "min": (TIME, Fraction(60)),
    "h": (TIME, Fraction(3600)),
}
"""By unit in lower case: its dimension, and its factor to bytes, seconds or percent."""

_OF_COLUMNS = {
    "bytes": (BYTES, Fraction(1)),
    "percent": (PERCENT, Fraction(1)),
    "ns": (TIME, Fraction(1, 10**9)),
    "ms": (TIME, Fraction(1, 1000)),
    "s": (TIME, Fraction(1)),
}
"""By unit of a column the same; all others accept plain numbers only."""

_EXAMPLES = {BYTES: '"10 MB"', TIME: '"2.5 ms"', PERCENT: '"5 %"', PLAIN: "10_000"}

_WRITTEN = re.compile(r"(\d[\d_,]*(?:\.\d+)?|\.\d+)\s*([a-zA-Zµ]*|%)", re.ASCII)

MOST_DIGITS = 30


@dataclass(frozen=True, slots=True)
class Amount:
    """A number with its dimension. `written` is the original text."""

    number: Fraction
    """In bytes, seconds or percent; plain numbers as given."""
    of: str
    written: str

    @property
    def is_percent(self) -> bool:
        """True if it is a percentage."""
        return self.of == PERCENT

    def fits(self, unit: str) -> bool:
        """True if it can limit a column of a unit."""
        return self.of in (PLAIN, _OF_COLUMNS.get(unit, (PLAIN, Fraction(1)))[0])

    def in_unit(self, unit: str) -> Fraction:
        """Returns the number in the unit of a column; a plain number is in that unit already. Raises `ValueError`."""
        of, factor = _OF_COLUMNS.get(unit, (PLAIN, Fraction(1)))
        if self.of == PLAIN:
            return self.number
        if of != self.of:
            raise ValueError(f"is in {unit}: expected a number or such as {_EXAMPLES[of]}, not {self.written!r}")
        return self.number / factor


def amount_of(value: object) -> Amount:
    """Parses a number or text. Raises `ValueError` with the expected form."""
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 10**MOST_DIGITS:
        return Amount(exact(value), PLAIN, f"{value:,}")
    written = _WRITTEN.fullmatch(value.strip()) if isinstance(value, str) and len(value) < 2 * MOST_DIGITS else None
    known = _UNITS.get(written[2].lower()) if written else None
    if written is None or known is None:
        raise ValueError(f'expected a number, or one with a unit such as "10 MB", "2.5 ms" or "5 %", not {value!r}')
    of, factor = known
    return Amount(Fraction(written[1].replace("_", "").replace(",", "")) * factor, of, str(value))


def exact(number: int | float) -> Fraction:
    """Returns the decimal value of a number: a tenth is exactly a tenth, not the nearest binary fraction."""
    return Fraction(repr(number)) if isinstance(number, float) else Fraction(number)


def plain_number(number: Fraction | int | float) -> int | float:
    """Returns the number as an integer if possible, else as a decimal."""
    if isinstance(number, float):
        return int(number) if number.is_integer() else number
    return int(number) if Fraction(number).denominator == 1 else float(number)


def amount_text(number: Fraction | int | float, unit: str = "count") -> str:
    """Formats a number with its unit: `12,345`, `10.5 MB`, `3 ms`."""
    of, factor = _OF_COLUMNS.get(unit, (PLAIN, Fraction(1)))
    if of == BYTES:
        return _scaled(number, 1, _BYTES)
    if of == TIME:
        return _scaled(number, factor, _TIMES)
    plain = plain_number(number)
    text = f"{plain:,}" if isinstance(plain, int) else f"{plain:,.4g}"
    if of == PERCENT:
        return f"{text} %"
    return text if unit in ("count", "text") else f"{text} {unit}"


_BYTES = (
    ("TB", Fraction(10**12)),
    ("GB", Fraction(10**9)),
    ("MB", Fraction(10**6)),
    ("KB", Fraction(1000)),
    ("B", Fraction(1)),
)
_TIMES = (("s", Fraction(1)), ("ms", Fraction(1, 1000)), ("µs", Fraction(1, 10**6)), ("ns", Fraction(1, 10**9)))


def _scaled(number: Fraction | int | float, factor: Fraction | int, units: tuple[tuple[str, Fraction], ...]) -> str:
    """Formats a number in the largest unit of which it is at least one."""
    amount = Fraction(number) * factor
    name, size = next((each for each in units if abs(amount) >= each[1]), units[-1])
    value = float(amount / size)
    text = f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
    return f"{text} {name}"
