"""HotSpot's layout of instance fields: class by class from java.lang.Object down, by one of two rules.

Source: `ClassFileParser::layout_fields` of JDK 6, 7, 8 and 11, `FieldLayoutBuilder` of JDK 17, 21 and 25.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeVar

if TYPE_CHECKING:
    from parsers.model.arrays import I64Array

Size = TypeVar("Size", int, "I64Array")
PADDING = 128
"""Bytes before and after contended fields: `ContendedPaddingWidth`."""
MOST_GAPS = 256
"""Most gaps of one class that subclasses fill; no program has so many."""
WIDTHS = (8, 4, 2, 1)
"""Widths of primitive types, in the order of placement."""


class OwnField(NamedTuple):
    """One field of a class."""

    width: int
    is_reference: bool = False


@dataclass(frozen=True, slots=True)
class OwnFields:
    """Fields that one class adds."""

    primitives: Mapping[int, int]
    """Number of primitive fields by width."""
    references: int
    reference: int
    """Bytes of a reference."""
    apart: Sequence[OwnField] = ()
    """Contended groups, each with cache lines of its own, in the order of the class."""
    is_contended: bool = False
    """True if all fields together have cache lines of their own."""
    has_references_first: bool = False
    """True if references are placed first, under the rule of JDK 14 and before."""
    follows_references: bool = False
    """True if references are placed first when those of the superclass are last: JDK 22 and later."""

    @property
    def is_empty(self) -> bool:
        """True if it adds nothing."""
        return not self.references and not any(self.primitives.values()) and not self.apart


class PlacedFields(NamedTuple):
    """The fields of a class and of its superclasses."""

    end: int
    """Offset after the last byte of an instance, padding included."""
    gaps: tuple[tuple[int, int], ...] = ()
    """From, to: free gaps for fields of subclasses."""
    last: int = 0
    """Offset after the last field."""
    ends_with_reference: bool = False
    """True if the last field is a reference."""
    is_contended: bool = False
    """True if it or a superclass has contended fields."""


def lay_out_8(above: PlacedFields, own: OwnFields) -> PlacedFields:
    """Adds a class by the rule of JDK 5 to 14. Every class ends at a multiple of a reference."""
    end = above.end
    if own.is_empty and not own.is_contended:
        return above
    if own.is_contended:
        end += PADDING
    end = _references_first(end, own) if own.has_references_first else _primitives_first(end, own)
    if own.apart:
        end += PADDING
        for field in own.apart:
            end = up(end, field.width) + field.width
        end += PADDING
    return PlacedFields(up(end + PADDING if own.is_contended else end, own.reference))


def _references_first(end: int, own: OwnFields) -> int:
    end = up(end, own.reference) + own.references * own.reference
    largest = max((width for width, count in own.primitives.items() if count), default=1)
    return up(end, largest) + sum(width * count for width, count in own.primitives.items())


def _primitives_first(end: int, own: OwnFields) -> int:
    left, references = own.primitives, own.references
    if left[8] and end % 8:
        left = dict(left)
        free, end = 8 - end % 8, up(end, 8)
        if left[4] and free >= 4:
            left[4] -= 1
            free -= 4
        for width in (2, 1):
            filled = min(left[width], free // width)
            left[width] -= filled
            free -= filled * width
        if own.reference == 4 and free >= 4 and references:
            references -= 1
    end += 8 * left[8] + 4 * left[4] + 2 * left[2] + left[1]
    return up(end, own.reference) + references * own.reference if references else end


def lay_out_15(above: PlacedFields, own: OwnFields) -> PlacedFields:
    """Adds a class by the rule of JDK 15 and later: gaps of superclasses are filled, unless these are contended."""
    start = above.last + PADDING if above.is_contended else above.last
    placed = _Placed(start, above, fills_gaps=not (above.is_contended or own.is_contended))
    if own.is_contended:
        placed.end += PADDING
    primitives = [OwnField(width) for width in WIDTHS for _ in range(own.primitives[width])]
    references = [OwnField(own.reference, True)] * own.references
    leads = own.follows_references and above.ends_with_reference
    placed.add((*references, *primitives) if leads else (*primitives, *references))
    if own.apart:
        placed.end += PADDING
        placed.fills_gaps = False
        placed.add(sorted(own.apart, key=lambda field: (field.is_reference, -field.width)))
    is_apart = bool(own.apart) or own.is_contended
    return PlacedFields(
        placed.end + PADDING if is_apart else placed.end,
        () if is_apart or above.is_contended else tuple(placed.gaps[-MOST_GAPS:]),
        placed.last,
        placed.ends_with_reference,
        is_apart or above.is_contended,
    )


class _Placed:
    """Places fields: each into the smallest gap it fits into, else after all others."""

    def __init__(self, start: int, above: PlacedFields, fills_gaps: bool) -> None:
        self.end = start
        self.gaps = list(above.gaps)
        self.last = above.last
        self.ends_with_reference = above.ends_with_reference
        self.fills_gaps = fills_gaps

    def add(self, fields: Sequence[OwnField]) -> None:
        """Places some fields."""
        for width, is_reference in fields:
            gap = self._gap(width) if self.fills_gaps else None
            if gap is None:
                at = up(self.end, width)
                self.gaps += [(self.end, at)] if at > self.end else []
                self.end = self.last = at + width
                self.ends_with_reference = is_reference
            else:
                start, stop = self.gaps[gap]
                at = up(start, width)
                self.gaps[gap : gap + 1] = [each for each in ((start, at), (at + width, stop)) if each[0] < each[1]]

    def _gap(self, width: int) -> int | None:
        """Returns the smallest gap for a field, the last one if there are several."""
        fitting = [
            (stop - start, -start, number)
            for number, (start, stop) in enumerate(self.gaps)
            if up(start, width) + width <= stop
        ]
        return min(fitting)[2] if fitting else None


def up(number: Size, multiple: int) -> Size:
    """Rounds a number, or each of an array, up to a multiple."""
    return -(-number // multiple) * multiple
