"""How large objects are: dumps don't tell, so the layout is inferred and the rule of the JVM is replayed.

HotSpot writes the same bytes with and without compressed references. But addresses tell: the smallest distance from
objects of one class, or of arrays of one length, to their next neighbours is their size; the layout that explains most
of those distances is the one.

Source: format page of binary HPROF, section 3; checked there against `jcmd GC.class_histogram`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from parsers.hprof.columns import OBJECT_ARRAY, PLAIN_OBJECT
from parsers.hprof.dump_class import HeapClass, chain_of, width_of
from parsers.hprof.dump_words import OBJECT, WIDTHS

FEWEST_DISTANCES = 20
"""Distances of a group that are needed to trust the smallest one."""
FEWEST_GROUPS = 5
FEWEST_OBJECTS = 1000
"""From which on class objects are measured."""
CANDIDATES = (
    (4, 12, 16),
    (8, 16, 24),
    (8, 12, 16),
    (4, 16, 24),
    (4, 8, 12),
    (8, 8, 12),
    (4, 16, 20),
    (8, 16, 20),
)
"""Bytes of a reference, of an object's header, of an array's with its length; of equally good ones the first wins."""
BASES = ((21, 120), (15, 112), (0, 104))
"""Bytes of a class object without its statics, from a JDK on."""
CONTENDED_PADDING = 256

CONTENDED = frozenset(
    {
        "java.lang.Thread",
        "java.util.concurrent.ForkJoinPool",
        "java.util.concurrent.ForkJoinPool$WorkQueue",
        "java.util.concurrent.ConcurrentHashMap$CounterCell",
        "java.util.concurrent.atomic.Striped64$Cell",
        "java.util.concurrent.Exchanger$Slot",
        "java.util.concurrent.Exchanger$Node",
    }
)
REFERENCES_FIRST = frozenset(
    f"java.lang.{name}"
    for name in (
        "AssertionStatusDirectives",
        "Class",
        "ClassLoader",
        "ref.Reference",
        "ref.SoftReference",
        "StackTraceElement",
        "String",
        "Throwable",
        "Boolean",
        "Character",
        "Float",
        "Double",
        "Byte",
        "Short",
        "Integer",
        "Long",
    )
)
CALL_SITE = "java.lang.invoke.CallSite"
IN_CALL_SITE = (8, 8)
"""What is injected into that where it has no `context`: from 25 on, and where JDK-8347564 was taken over."""
REFERENCE = -1
"""In place of the bytes of an injected field that is a reference."""
_INJECTED_8: Mapping[str, tuple[int, ...]] = {
    "java.lang.ClassLoader": (8,),
    "java.lang.invoke.MemberName": (8, 8, REFERENCE),
}
_INJECTED_15: Mapping[str, tuple[int, ...]] = {
    "java.lang.ClassLoader": (8,),
    "java.lang.invoke.MemberName": (8,),
    "java.lang.invoke.ResolvedMethodName": (8, REFERENCE),
    "java.lang.Module": (8,),
    "java.lang.invoke.MethodHandleNatives$CallSiteContext": (8, 8),
    "java.lang.StackFrameInfo": (2,),
    "java.lang.String": (1,),
    "java.lang.InternalError": (1,),
}
_INJECTED_21: Mapping[str, tuple[int, ...]] = {
    **_INJECTED_15,
    "java.lang.invoke.ResolvedMethodName": (8,),
    "java.lang.Thread": (8, 4, 2, 1),
    "java.lang.VirtualThread": (8,),
}


@dataclass(frozen=True, slots=True)
class Layout:
    """Bytes of what every object has, and the rule by which fields are laid out."""

    reference: int
    object_header: int
    array_header: int
    alignment: int = 8
    fields: str = "jdk8"
    """"jdk8" for JDK 5 to 14, "jdk15" for later ones."""
    jdk: int = 0
    """0 if unknown."""
    class_object_base: int = 104
    takes_size: bool = False
    """Whether instances are as large as their class says: on Android."""
    matches: int = 0
    groups: int = 0
    next_best: int = 0
    """How many groups of distances it explains, how many there are, and how many the next best one explains."""

    def array(self, width: int, elements: int) -> int:
        """Bytes of an array of elements of so many bytes."""
        return up(up(self.array_header, width) + elements * width, self.alignment)

    def array_of(self, type: int, elements: int) -> int:
        """The same by the type of the elements."""
        return self.array(self.reference if type == OBJECT else WIDTHS[type], elements)


Group = tuple[int, int, int]
"""PLAIN_OBJECT, its class, 0; OBJECT_ARRAY, 0, its length; PRIMITIVE_ARRAY, its type, its length."""


def up(number: int, multiple: int) -> int:
    """Rounded up."""
    return -(-number // multiple) * multiple


def jdk_of(version: str) -> int:
    """The JDK of a `java.version`: 8 of 1.8.0_504, 17 of 17.0.15; 0 if it is none."""
    parts = version.split(".")
    number = parts[1] if parts[0] == "1" and len(parts) > 1 else parts[0]
    digits = number[: len(number) - len(number.lstrip("0123456789"))] or "0"
    return int(digits[:4])


class Sizes:
    """Sizes of the instances of all classes in one layout. `names` are as Java writes them."""

    def __init__(self, layout: Layout, classes: Mapping[int, HeapClass], names: Mapping[int, str]) -> None:
        self.layout = layout
        self._classes = classes
        self._names = names
        injected = ((21, _INJECTED_21), (15, _INJECTED_15), (0, _INJECTED_8))
        self._injected = next(table for jdk, table in injected if layout.jdk >= jdk)
        self._known: dict[int, _LaidOut | None] = {}
        """By id; None of those that lead into a circle."""
        self._owned: dict[int, _Own] = {}
        self._contended = CONTENDED - {"java.lang.Thread"} if layout.jdk >= 21 else CONTENDED

    def instance(self, id: int) -> int | None:
        """Bytes of an instance of a class; None if the dump has no such class."""
        declared = self._classes.get(id)
        if declared is None:
            return None
        layout = self.layout
        if layout.takes_size and declared.size > 0:
            return up(declared.size, layout.alignment)
        return up(self._laid_out(id).end, layout.alignment)

    def _laid_out(self, id: int) -> _LaidOut:
        """A class with those above it. What is above is laid out once, unless classes go in a circle."""
        below, at = dict[int, HeapClass](), id
        while at in self._classes and at not in self._known and at not in below:
            below[at] = self._classes[at]
            at = self._classes[at].super_id
        found = self._known.get(at, _LaidOut(self.layout.object_header, ())) if at not in below else None
        if found is None:
            self._known |= dict.fromkeys(below)
            return self._from_top(chain_of(id, self._classes)[::-1])
        for each, declared in reversed(below.items()):
            found = self._known[each] = self._add(found, declared)
        return found

    def _from_top(self, chain: Iterable[HeapClass]) -> _LaidOut:
        found = _LaidOut(self.layout.object_header, ())
        for declared in chain:
            found = self._add(found, declared)
        return found

    def _add(self, above: _LaidOut, declared: HeapClass) -> _LaidOut:
        own = self._owned.get(declared.id)
        if own is None:
            own = self._owned[declared.id] = self._own(declared)
        return (_lay_out_15 if self.layout.fields == "jdk15" else _lay_out_8)(above, own, self.layout)

    def _own(self, declared: HeapClass) -> _Own:
        """The fields that one class adds."""
        name, reference = self._names.get(declared.id, ""), self.layout.reference
        widths = [WIDTHS[type] for _, type in declared.fields if type != OBJECT]
        references = len(declared.fields) - len(widths)
        injected = self._injected.get(name, ())
        if name == CALL_SITE and self.layout.jdk >= 15 and references == 1:
            injected = IN_CALL_SITE
        for width in injected:
            if width == REFERENCE:
                references += 1
            else:
                widths.append(width)
        return _Own(
            {width: widths.count(width) for width in (8, 4, 2, 1)},
            references,
            reference,
            name in self._contended,
            name in REFERENCES_FIRST,
        )


@dataclass(frozen=True, slots=True)
class _Own:
    """What one class adds: primitives by width, references."""

    primitives: Mapping[int, int]
    references: int
    reference: int
    is_contended: bool
    has_references_first: bool

    @property
    def is_empty(self) -> bool:
        return not self.references and not any(self.primitives.values())


class _LaidOut(NamedTuple):
    """The fields of a class and of those above it."""

    end: int
    gaps: tuple[tuple[int, int], ...]
    """From, to: where further fields may go."""


def _lay_out_8(above: _LaidOut, own: _Own, layout: Layout) -> _LaidOut:
    """With one more class: `ClassFileParser::layout_fields` of JDK 5 to 14."""
    end = above.end
    if not own.is_empty:
        end = _references_first(end, own) if own.has_references_first else _primitives_first(end, own)
        end = up(end, own.reference)
    return _LaidOut(end + CONTENDED_PADDING if own.is_contended else end, ())


def _references_first(end: int, own: _Own) -> int:
    end = up(end, own.reference) + own.references * own.reference
    largest = max((width for width, count in own.primitives.items() if count), default=1)
    return up(end, largest) + sum(width * count for width, count in own.primitives.items())


def _primitives_first(end: int, own: _Own) -> int:
    left, references = dict(own.primitives), own.references
    if left[8] and end % 8:
        room, end = 8 - end % 8, up(end, 8)
        if left[4] and room >= 4:
            left[4] -= 1
            room -= 4
        for width in (2, 1):
            filled = min(left[width], room // width)
            left[width] -= filled
            room -= filled * width
        if own.reference == 4 and room >= 4 and references:
            references -= 1
    end += sum(width * count for width, count in left.items())
    return up(end, own.reference) + references * own.reference if references else end


def _lay_out_15(above: _LaidOut, own: _Own, layout: Layout) -> _LaidOut:
    """With one more class: `FieldLayoutBuilder` of JDK 15 and later, which fills the gaps of classes above."""
    end, gaps = above.end, list(above.gaps)
    widths = [width for width, count in own.primitives.items() for _ in range(count)]
    for width in (*widths, *[own.reference] * own.references):
        for number, (start, stop) in enumerate(gaps):
            at = up(start, width)
            if at + width <= stop:
                gaps[number : number + 1] = [gap for gap in ((start, at), (at + width, stop)) if gap[0] < gap[1]]
                break
        else:
            at = up(end, width)
            if at > end:
                gaps.append((end, at))
            end = at + width
    if own.is_contended:
        return _LaidOut(up(end, layout.alignment) + CONTENDED_PADDING, ())
    return _LaidOut(end, tuple(gaps))


def infer(
    *,
    version: bytes,
    id_size: int,
    jdk: int,
    alignment: int,
    are_addresses: bool,
    groups: Mapping[Group, int],
    classes: Mapping[int, HeapClass],
    names: Mapping[int, str],
) -> Layout:
    """The layout of a dump.

    jdk            its number, 0 if unknown
    alignment      16 if all ids of objects are multiples of that, else 8
    are_addresses  whether all ids are multiples of 8
    groups         the smallest distance of each group that has enough of them
    """
    base = next(size for number, size in BASES if jdk >= number)
    if id_size == 4:
        is_32_bit = version == b"1.0.3" or are_addresses
        header, array_header = (8, 12) if is_32_bit else (12, 16)
        is_android = version == b"1.0.3"
        return Layout(4, header, array_header, jdk=jdk, class_object_base=base, takes_size=is_android)
    rules = ("jdk15",) if jdk >= 15 else ("jdk8",) if jdk else ("jdk8", "jdk15")
    if len(groups) < FEWEST_GROUPS:
        return Layout(
            4, 12, 16, fields="jdk15" if jdk >= 15 else "jdk8", jdk=jdk, class_object_base=base,
            takes_size=version == b"1.0.3",
        )  # fmt: skip
    layouts = [
        Layout(*sizes, alignment=alignment, fields=rule, jdk=jdk, class_object_base=base)
        for sizes in CANDIDATES
        for rule in rules
    ]
    scores = [_score(layout, groups, classes, names) for layout in layouts]
    best = max(scores)
    chosen = layouts[scores.index(best)]
    others = (score for layout, score in zip(layouts, scores, strict=True) if layout is not chosen)
    return replace(chosen, matches=best, groups=len(groups), next_best=max(others))


def _score(
    layout: Layout, groups: Mapping[Group, int], classes: Mapping[int, HeapClass], names: Mapping[int, str]
) -> int:
    """How many groups a layout explains."""
    sizes, found = Sizes(layout, classes, names), 0
    for (kind, of, length), distance in groups.items():
        if kind == PLAIN_OBJECT:
            found += sizes.instance(of) == distance
        else:
            found += layout.array_of(OBJECT if kind == OBJECT_ARRAY else of, length) == distance
    return found


def class_object_size(layout: Layout, declared: HeapClass, names: Mapping[int, bytes], id_size: int) -> int:
    """Bytes of a class object with its statics; `names` are the texts of the file."""
    return up(layout.class_object_base + statics_size(declared, names, layout.reference, id_size), layout.alignment)


def statics_size(declared: HeapClass, names: Mapping[int, bytes], reference: int, id_size: int) -> int:
    """Bytes of the statics; those that HotSpot itself adds, whose names begin with `<`, take none."""
    return sum(
        reference if type == OBJECT else width_of(type, id_size)
        for name, type, _ in declared.statics
        if not names.get(name, b"").startswith(b"<")
    )
