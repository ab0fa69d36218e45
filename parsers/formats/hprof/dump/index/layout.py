"""Layout of objects: dumps lack sizes, so the layout is inferred and the JVM's rule is replayed.

HotSpot writes the same bytes with and without compressed references, but addresses differ. The smallest distance from
objects of one class, or arrays of one length, to their next neighbours is their size. The layout that explains most of
these distances is chosen.

Sizes were checked against `jcmd GC.class_histogram` of the dumped JVMs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from parsers.formats.hprof.dump.index.field_rules import WIDTHS as FIELD_WIDTHS
from parsers.formats.hprof.dump.index.field_rules import OwnField, OwnFields, PlacedFields, lay_out_8, lay_out_15, up
from parsers.formats.hprof.dump.index.vm_fields import ADDRESS, CALL_SITE, IN_CALL_SITE, REFERENCE, contended, injected
from parsers.formats.hprof.dump.read.class_columns import STATICS
from parsers.formats.hprof.dump.read.class_record import HeapClass, chain_of
from parsers.formats.hprof.dump.records.tags import OBJECT, WIDTHS
from parsers.heapdump.graph.columns import OBJECT_ARRAY, PLAIN_OBJECT
from parsers.model.distinct import distinct

if TYPE_CHECKING:
    from parsers.formats.hprof.dump.read.classes import HeapClasses
    from parsers.model.arrays import I64Array

FEWEST_DISTANCES = 20
"""Number of distances in a group that make the smallest one trustworthy."""
FEWEST_GROUPS = 5
FEWEST_OBJECTS = 1000
"""Number of class objects from which they are measured."""
COMPRESSED, WIDE, OF_32_BITS = (4, 12, 16), (8, 16, 24), (4, 8, 12)
CANDIDATES = (COMPRESSED, WIDE, (8, 12, 16), (4, 16, 24), (4, 8, 12), (8, 8, 12), (4, 16, 20), (8, 16, 20))
"""Layouts of 64 bits: bytes of a reference, of an object's header, of an array's with length. The first wins a tie."""
FIRST_COMPRESSED = 7
"""The first JDK with compressed references by default, except the last updates of 6."""
REFERENCES_FOLLOW = 22
"""The first JDK that places references next to those of the superclass."""
STATICS_IN_CLASS = 7
"""The first JDK whose class objects contain the static fields."""
LAST_WITH_LOCK = 8
"""The last JDK in whose dumps the lock of a class has a name that a field may have."""
BASES = ((21, 120), (15, 112), (0, 104))
"""Bytes of a class object without its statics, from a JDK on, if the dump lacks the class java.lang.Class."""
NO_TEXTS: Mapping[int, bytes] = {}
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


@dataclass(frozen=True, slots=True)
class JvmLayout:
    """Sizes common to all objects, and the layout rule of fields."""

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
    """True if instances are as large as their class states: on Android."""
    matches: int = 0
    groups: int = 0
    next_best: int = 0
    """Number of groups whose sizes it explains, number of all groups, and number that the next best layout explains."""
    word: int = 8
    """Bytes of a machine address."""
    estimated: str = ""
    """Reason why sizes are estimates; empty if they are measured, or only one layout is possible."""

    def width(self, type: int) -> int:
        """Returns the bytes of a field."""
        return self.reference if type == OBJECT else WIDTHS[type]

    def array(self, type: int, elements: int) -> int:
        """Returns the bytes of an array, by the type of its elements."""
        width = self.width(type)
        return up(up(self.array_header, width) + elements * width, self.alignment)


Group = tuple[int, int, int]
"""PLAIN_OBJECT, its class, 0; OBJECT_ARRAY, 0, its length; PRIMITIVE_ARRAY, its type, its length."""


def jdk_of(version: str) -> int:
    """Returns the JDK of a `java.version`: 8 for 1.8.0_504, 17 for 17.0.15; 0 if it is invalid."""
    parts = version.split(".")
    number = parts[1] if parts[0] == "1" and len(parts) > 1 else parts[0]
    digits = number[: len(number) - len(number.lstrip("0123456789"))] or "0"
    return int(digits[:4])


class InstanceSizes:
    """Sizes of the instances of all classes in one layout.

    names  of classes by id, in Java notation
    texts  of fields by the ids of their names
    """

    def __init__(
        self,
        layout: JvmLayout,
        classes: Mapping[int, HeapClass],
        names: Mapping[int, str],
        texts: Mapping[int, bytes] = NO_TEXTS,
    ) -> None:
        self.layout = layout
        self._classes = classes
        self._names = names
        self._texts = texts
        self._injected, self._contended = injected(layout.jdk), contended(layout.jdk)
        self._known: dict[int, PlacedFields | None] = {}
        """By id; None for classes with a cycle in their superclasses."""
        self._owned: dict[int, OwnFields] = {}
        self._owned_by_types: dict[tuple[int, ...], OwnFields] = {}
        """Of classes without rules of their own, by the types of their fields."""
        self._special = {*self._injected, *self._contended, *REFERENCES_FIRST, CALL_SITE}
        """Names of classes with rules of their own."""

    def instance(self, id: int) -> int | None:
        """Returns the bytes of an instance of a class; None if the dump has no such class."""
        declared = self._classes.get(id)
        if declared is None:
            return None
        layout = self.layout
        if layout.takes_size and declared.size > 0:
            return up(declared.size, layout.alignment)
        return up(self._laid_out(id).end, layout.alignment)

    def _laid_out(self, id: int) -> PlacedFields:
        """Returns a class laid out with its superclasses. These are laid out once, except in cycles."""
        below: dict[int, HeapClass] = {}
        at = id
        while at in self._classes and at not in self._known and at not in below:
            below[at] = self._classes[at]
            at = self._classes[at].super_id
        found = self._known.get(at, self._empty) if at not in below else None
        if found is None:
            self._known |= dict.fromkeys(below)
            return self._from_top(chain_of(id, self._classes)[::-1])
        for each, declared in reversed(below.items()):
            found = self._known[each] = self._add(found, declared)
        return found

    @property
    def _empty(self) -> PlacedFields:
        """The fields of every object."""
        header = self.layout.object_header
        return PlacedFields(header, (), header)

    def _from_top(self, chain: Iterable[HeapClass]) -> PlacedFields:
        found = self._empty
        for declared in chain:
            found = self._add(found, declared)
        return found

    def _add(self, above: PlacedFields, declared: HeapClass) -> PlacedFields:
        own = self._owned.get(declared.id)
        if own is None:
            own = self._owned[declared.id] = self._own_of(declared)
        return (lay_out_15 if self.layout.fields == "jdk15" else lay_out_8)(above, own)

    def _own_of(self, declared: HeapClass) -> OwnFields:
        """Returns the fields that one class adds: the same for most classes with fields of the same types."""
        if self._names.get(declared.id) in self._special:
            return self._own(declared)
        types = tuple([type for _, type in declared.fields])
        found = self._owned_by_types.get(types)
        if found is None:
            found = self._owned_by_types[types] = self._own(declared)
        return found

    def _own(self, declared: HeapClass) -> OwnFields:
        """Computes the fields that one class adds."""
        name, layout = self._names.get(declared.id, ""), self.layout
        contended = self._contended.get(name)
        apart: list[OwnField] = []
        widths: list[int] = []
        references = 0
        for text, type in declared.fields:
            if contended is not None and self._texts.get(text) in contended.names:
                apart.append(OwnField(layout.width(type), type == OBJECT))
            elif type == OBJECT:
                references += 1
            else:
                widths.append(WIDTHS[type])
        injected = self._injected.get(name, ())
        if name == CALL_SITE and layout.jdk >= 15 and references == 1:
            injected = IN_CALL_SITE
        references += injected.count(REFERENCE)
        widths += [layout.word if width == ADDRESS else width for width in injected if width != REFERENCE]
        return OwnFields(
            {width: widths.count(width) for width in (8, 4, 2, 1)},
            references,
            layout.reference,
            apart,
            contended is not None and contended.is_whole,
            name in REFERENCES_FIRST,
            layout.jdk >= REFERENCES_FOLLOW,
        )


@dataclass(frozen=True, slots=True)
class Witness:
    """Facts of a dump about the JVM that wrote it."""

    version: bytes
    """Version of the format."""
    id_size: int
    jdk: int
    """Number of the JDK, 0 if unknown."""
    data_model: int
    """Bits of an address from the property `sun.arch.data.model`; 0 if unknown."""
    alignment: int
    """The largest power of two that divides all ids of objects, 8 at least."""
    are_addresses: bool
    """True if all ids are multiples of 8."""
    groups: Mapping[Group, int]
    """Bytes of an object of each group: the smallest distance between addresses, or from allocation sites."""

    @property
    def is_of_android(self) -> bool:
        """True if classes state the sizes of their instances."""
        return self.version == b"1.0.3"

    def candidates(self) -> list[tuple[tuple[int, int, int], int]]:
        """Returns possible layouts, with the bytes of a word, the most likely one first.

        Ids of 8 bytes are from a 64-bit JVM. Ids of 4 bytes are addresses of a 32-bit JVM, or numbers assigned by the
        agent of JDK 5 to 8, with any address size.
        """
        if self.id_size == 8:
            return [(each, 8) for each in CANDIDATES]
        if self.is_of_android or self.are_addresses or self.data_model == 32:
            return [(OF_32_BITS, 4)]
        of_64_bits = [(COMPRESSED, 8), (WIDE, 8)]
        if 0 < self.jdk < FIRST_COMPRESSED:
            of_64_bits.reverse()
        return of_64_bits if self.data_model == 64 else [*of_64_bits, (OF_32_BITS, 4)]

    def rules(self) -> tuple[str, ...]:
        """Returns possible layout rules for fields."""
        return ("jdk15",) if self.jdk >= 15 else ("jdk8",) if self.jdk else ("jdk8", "jdk15")

    def layouts(self) -> list[JvmLayout]:
        """Returns all possible layouts."""
        is_measured = len(self.groups) >= FEWEST_GROUPS
        base = next(size for number, size in BASES if self.jdk >= number)
        return [
            JvmLayout(
                *sizes, alignment=self.alignment if is_measured else 8, fields=rule, jdk=self.jdk,
                class_object_base=base, takes_size=self.is_of_android, word=word,
            )
            for sizes, word in self.candidates()
            for rule in self.rules()
        ]  # fmt: skip


def infer(
    witness: Witness, classes: Mapping[int, HeapClass], names: Mapping[int, str], texts: Mapping[int, bytes] = NO_TEXTS
) -> JvmLayout:
    """Returns the layout that explains the sizes of most groups of a dump. Other arguments as for `InstanceSizes`."""
    layouts, groups = witness.layouts(), witness.groups
    if witness.is_of_android or len(groups) < FEWEST_GROUPS:
        return replace(layouts[0], estimated=_assumed(witness, len(witness.candidates())))
    scores = [_score(layout, groups, classes, names, texts) for layout in layouts]
    best = max(scores)
    chosen = layouts[scores.index(best)]
    others = [score for layout, score in zip(layouts, scores, strict=True) if layout is not chosen]
    same = (chosen.reference, chosen.object_header, chosen.array_header)
    is_doubtful = any(
        score == best and (layout.reference, layout.object_header, layout.array_header) != same
        for layout, score in zip(layouts, scores, strict=True)
    )
    found = replace(chosen, matches=best, groups=len(groups), next_best=max(others, default=0))
    if is_doubtful:
        return replace(found, estimated=f"two layouts explain {best:,} of {len(groups):,} measured sizes")
    if 2 * best < len(groups) and best < 2 * found.next_best:
        return replace(found, estimated=f"the best layout explains {best:,} of {len(groups):,} measured sizes")
    return found


def _assumed(witness: Witness, candidates: int) -> str:
    """Returns the reason why a layout that was not measured is an estimate; empty if it is the only one."""
    if witness.is_of_android:
        return ""
    if candidates == 1:
        return "" if witness.jdk else "the version of the JDK is unknown"
    measured = "its ids are no addresses" if witness.id_size == 4 else "it has too few objects to measure them"
    width = "" if witness.id_size == 8 or witness.data_model else ", and whether the JVM has 32 or 64 bits is unknown"
    return f"the dump does not hold sizes, {measured}{width}"


def _score(
    layout: JvmLayout,
    groups: Mapping[Group, int],
    classes: Mapping[int, HeapClass],
    names: Mapping[int, str],
    texts: Mapping[int, bytes],
) -> int:
    """Returns the number of groups that a layout explains."""
    sizes, found = InstanceSizes(layout, classes, names, texts), 0
    for (kind, of, length), distance in groups.items():
        if kind == PLAIN_OBJECT:
            found += sizes.instance(of) == distance
        else:
            found += layout.array(OBJECT if kind == OBJECT_ARRAY else of, length) == distance
    return found


def class_object_sizes(layout: JvmLayout, classes: HeapClasses, names: Mapping[int, bytes]) -> I64Array:
    """Returns the bytes of class objects with their statics: int64. JDK 6: without statics.

    names  texts of the file
    """
    sizes = np.full(len(classes), layout.class_object_base, np.int64)
    if 0 < layout.jdk < STATICS_IN_CLASS and not layout.takes_size:
        return sizes
    own = own_statics(classes, names, layout.jdk)
    owners, types = classes.owners[own], classes.columns.types[own]
    for width, is_of_width in (
        (layout.reference, types == OBJECT),
        *((width, (types != OBJECT) & (np.array(WIDTHS)[types] == width)) for width in FIELD_WIDTHS),
    ):
        counts = np.bincount(owners[is_of_width], minlength=len(classes))
        # The base is a multiple of 8, so references, which are first, need no rounding.
        sizes = np.where(counts > 0, up(sizes, width) + counts * width, sizes)
    return up(sizes, layout.alignment)


def own_statics(classes: HeapClasses, names: Mapping[int, bytes], jdk: int) -> I64Array:
    """Returns the rows of the statics that are fields of classes, among all constants, statics and fields: int64.

    HotSpot adds others, whose names begin with `<`. That of JDK 8 is called `init_lock` and is the last.
    """
    rows = np.flatnonzero(classes.kinds == STATICS)
    ids = classes.columns.names[rows]
    texts = {id: names.get(id, b"") for id in distinct(ids).tolist()}
    added = np.array([id for id, text in texts.items() if text.startswith(b"<")], np.uint64)
    rows = rows[~np.isin(ids, added)]
    if jdk > LAST_WITH_LOCK:
        return rows
    locks = np.array([id for id, text in texts.items() if text == b"init_lock"], np.uint64)
    owners = classes.owners[rows]
    is_lock = np.append(owners[1:] != owners[:-1], True)[: len(rows)] & (classes.columns.types[rows] == OBJECT)
    is_lock &= np.isin(classes.columns.names[rows], locks)
    own: I64Array = rows[~is_lock]
    return own
