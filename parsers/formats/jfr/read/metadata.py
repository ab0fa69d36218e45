"""Metadata: the types that a chunk declares. Source: `MetadataReader` of the JDK."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from operator import itemgetter
from typing import NamedTuple

from parsers.formats.jfr.read.loops import number_at, skip_numbers
from parsers.model.names.java_method import decode

EVENT = "jdk.jfr.Event"
MOST_ELEMENTS = 1 << 16
"""Elements of metadata that are read: those of JDK 25 have 4,600."""
UTF_8 = 3
"""The encoding of most strings."""
METADATA_KEPT = 8
"""Metadata of the last chunks and recordings that are kept: about 1 MB each."""
DEEPEST = 16
"""Levels of elements: real ones are a class, its field, an annotation of that, and three above."""


class MetadataError(ValueError):
    """The metadata can't be read."""


@dataclass(frozen=True)
class Field:
    """A field of a type."""

    name: str
    type: int
    """Id of its type."""
    is_constant: bool
    """True if its value is a key of a constant."""
    is_array: bool
    annotations: Mapping[int, Mapping[str, str]] = field(default_factory=dict)
    """By id of an annotation's type: its values."""


@dataclass(frozen=True, eq=False)
class Type:
    """A class of the metadata: of events, of constants, of structs, or a primitive one."""

    id: int
    name: str
    parent: str
    """Name of the super type; empty: none."""
    is_simple: bool
    """True if it has one field, which is shown in its place."""
    fields: tuple[Field, ...]
    annotations: Mapping[int, Mapping[str, str]]

    @property
    def is_event(self) -> bool:
        """True if events have this type."""
        return self.parent == EVENT


@dataclass(frozen=True)
class Metadata:
    """All types of a chunk."""

    types: Mapping[int, Type]
    """By id."""
    region: Mapping[str, str]
    """`locale`, `gmtOffset` and `dst` (milliseconds)."""
    is_whole: bool = True
    """False if there are more elements than are read."""

    @cached_property
    def by_name(self) -> Mapping[str, Type]:
        """Types by name; of equal names the first."""
        found: dict[str, Type] = {}
        for type in self.types.values():
            found.setdefault(type.name, type)
        return found

    def id_of(self, name: str) -> int | None:
        """Returns the id of a type."""
        return self.by_name[name].id if name in self.by_name else None

    def annotation(self, of: Field | Type, name: str) -> Mapping[str, str] | None:
        """Returns the values of an annotation of a field or type: `jdk.jfr.Label`."""
        id = self.id_of(name)
        return None if id is None else of.annotations.get(id)

    def text(self, of: Field | Type, name: str) -> str:
        """Returns the value of an annotation with one value; empty: there is none."""
        return (self.annotation(of, f"jdk.jfr.{name}") or {}).get("value", "")

    def label(self, of: Field | Type) -> str:
        """Returns the label of a field or type, else its name."""
        return self.text(of, "Label") or of.name


def event_body(event: bytes) -> bytes:
    """Returns metadata without size, type, time, duration and id: equal bodies declare the same types."""
    return event[max(skip_numbers(event, 0, len(event), 5), 0) :]  # type: ignore[arg-type]


class MetadataParser:
    """Reads the metadata of several chunks. Types that are declared alike are one object."""

    def __init__(self) -> None:
        self._trees: dict[bytes, _Tree] = {}
        """By their bytes, in which strings are numbers: chunks often differ in a few strings."""

    def parse(self, body: bytes) -> Metadata:
        """Reads metadata from `event_body`. Raises `MetadataError`."""
        reader = _Reader(body)
        strings = reader.strings(reader.count())
        data = reader.rest()
        tree = self._trees.get(data)
        if tree is None or tree.strings > len(strings):
            elements, is_whole = reader.elements(len(strings))
            needed = max(elements[-1].numbers) + 1 if is_whole else len(strings)
            tree = self._trees[data] = _Tree(elements, is_whole, needed)
        return tree.metadata(strings)


@lru_cache(METADATA_KEPT)
def metadata_of(body: bytes) -> Metadata:
    """Returns the metadata of an `event_body`; recordings of one JVM often have equal ones. Raises `MetadataError`."""
    return MetadataParser().parse(body)


class _Element(NamedTuple):
    """An element, with the numbers of strings."""

    name: int
    values: list[int]
    """Name and value of each."""
    children: list[_Element]
    numbers: list[int]
    """Numbers of all its strings, and of those of its descendants."""

    def texts(self, strings: Sequence[str]) -> dict[str, str]:
        """Returns its values."""
        values = self.values
        return {strings[name]: strings[value] for name, value in zip(values[::2], values[1::2], strict=True)}


class _Tree:
    """Elements without their strings."""

    def __init__(self, elements: Sequence[_Element], is_whole: bool, strings: int) -> None:
        """
        elements  in the order in which they end
        strings   number of strings that they need
        """
        self._elements, self._is_whole, self.strings = elements, is_whole, strings
        self._names = _getter(sorted({element.name for element in elements}))
        self._classes: dict[tuple[str, ...], list[tuple[_Element, _Texts, dict[tuple[str, ...], Type]]]] = {}
        """By the names of its elements: the elements that are classes, each with a function that picks its texts of all
        strings, and its known types by these texts.
        """

    def metadata(self, strings: Sequence[str]) -> Metadata:
        """Returns the metadata with these strings."""
        names = self._names(strings)
        classes = self._classes.get(names)
        if classes is None:
            found = [element for element in self._elements if strings[element.name] == "class"]
            classes = self._classes[names] = [(element, _getter(element.numbers), {}) for element in found]
        types: dict[int, Type] = {}
        for element, texts_of, known in classes:
            texts = texts_of(strings)
            type = known.get(texts)
            if type is None:
                type = known[texts] = _type(element, strings)
            types[type.id] = type
        regions = (element for element in reversed(self._elements) if strings[element.name] == "region")
        region = next(regions, None)
        return Metadata(types, {} if region is None else region.texts(strings), self._is_whole)


_Texts = Callable[[Sequence[str]], tuple[str, ...]]


def _getter(numbers: Sequence[int]) -> _Texts:
    """Returns a function that picks the strings with some numbers."""
    # Of one number, `itemgetter` returns no tuple.
    return itemgetter(*numbers, numbers[0]) if numbers else lambda strings: ()


def _type(element: _Element, strings: Sequence[str]) -> Type:
    fields, values = [], element.texts(strings)
    for child in element.children:
        if strings[child.name] == "field":
            of_field = child.texts(strings)
            is_constant, is_array = of_field.get("constantPool") == "true", of_field.get("dimension", "0") != "0"
            annotations = _annotations(child, strings)
            made = Field(of_field.get("name", ""), _id(of_field, "class"), is_constant, is_array, annotations)
            fields.append(made)
    return Type(
        _id(values, "id"),
        values.get("name", ""),
        values.get("superType", ""),
        values.get("simpleType") == "true",
        tuple(fields),
        _annotations(element, strings),
    )


def _annotations(element: _Element, strings: Sequence[str]) -> dict[int, Mapping[str, str]]:
    found = (child.texts(strings) for child in element.children if strings[child.name] == "annotation")
    return {_id(values, "class"): values for values in found}


def _id(values: Mapping[str, str], name: str) -> int:
    """Returns a number of at most 63 bits; -1 if it is none."""
    text = values.get(name, "")
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 19 else -1


class _Reader:
    """Reads the parts of metadata one after the other. Raises `MetadataError` at the end of the bytes."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    def number(self) -> int:
        """Reads a compressed integer."""
        data, at = self._data, self._at
        if at + 1 < len(data):
            # Nearly all have one or two bytes.
            if data[at] < 128:
                self._at = at + 1
                return data[at]
            if data[at + 1] < 128:
                self._at = at + 2
                return data[at] & 127 | data[at + 1] << 7
        value, at = number_at(data, at, len(data))  # type: ignore[arg-type]
        if at < 0:
            raise MetadataError("it is cut")
        self._at = at
        return value

    def count(self) -> int:
        """Reads the number of elements, each of at least one byte, that follow."""
        found = self.number()
        if not 0 <= found <= len(self._data) - self._at:
            raise MetadataError("a count is larger than what follows")
        return found

    def strings(self, count: int) -> list[str]:
        """Reads strings."""
        data, at, size, found = self._data, self._at, len(self._data), list[str]()
        plain = data.decode("ascii") if data.isascii() else None
        for _ in range(count):
            if at >= size:
                raise MetadataError("it is cut")
            text: str | int | None
            if data[at] == UTF_8 and at + 1 < size and data[at + 1] < 128 and at + 2 + data[at + 1] <= size:
                start, at = at + 2, at + 2 + data[at + 1]
                text = decode(data[start:at]) if plain is None else plain[start:at]
            else:
                text, at = string_at(data, at, size)
                if at < 0 or isinstance(text, int):
                    raise MetadataError("a string has an unknown encoding")
            found.append(text or "")
        self._at = at
        return found

    def rest(self) -> bytes:
        """Returns the bytes that are not read yet."""
        return self._data[self._at :]

    def elements(self, strings: int) -> tuple[list[_Element], bool]:
        """Reads an element with its descendants, in the order in which they end; False if there are more than these."""
        found: list[_Element] = []
        # Elements that have not ended, and how many more children each has.
        open_elements: list[tuple[_Element, int]] = []
        for _ in range(MOST_ELEMENTS):
            if len(open_elements) > DEEPEST:
                raise MetadataError("elements are nested too deeply")
            name = self._string(strings)
            values = [self._string(strings) for _ in range(2 * self.count())]
            open_elements.append((_Element(name, values, [], [name, *values]), self.count()))
            while not open_elements[-1][1]:
                element, _ = open_elements.pop()
                found.append(element)
                if not open_elements:
                    return found, True
                above, more = open_elements[-1]
                above.children.append(element)
                above.numbers.extend(element.numbers)
                open_elements[-1] = above, more - 1
        return found, False

    def _string(self, strings: int) -> int:
        """Reads the number of a string."""
        number = self.number()
        if not 0 <= number < strings:
            raise MetadataError("a string is missing")
        return number


def string_at(data: bytes, at: int, stop: int) -> tuple[str | int | None, int]:
    """Reads a string: its text, None, or its key in the pool of strings; and the place behind it, -1 if damaged."""
    if at >= stop:
        return None, -1
    encoding, at = data[at], at + 1
    if encoding < 2:
        return (None, "")[encoding], at
    number, at = number_at(data, at, stop)  # type: ignore[arg-type]
    if at < 0 or encoding == 2:
        return number, at
    if encoding > 5 or not 0 <= number <= stop - at:
        return None, -1
    if encoding == 4:
        plain = bytes(data[at : at + number])
        if plain.isascii():
            # Units below 128 take a byte each.
            return plain.decode("ascii"), at + number
        units = []
        for _ in range(number):
            unit, at = number_at(data, at, stop)  # type: ignore[arg-type]
            if at < 0:
                return None, -1
            units.append(unit & 0xFFFF)
        packed = b"".join(unit.to_bytes(2, "little") for unit in units)
        return packed.decode("utf-16-le", "surrogatepass"), at
    text = bytes(data[at : at + number])
    return (text.decode("latin-1") if encoding == 5 else decode(text)), at + number
