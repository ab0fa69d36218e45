"""The types of a chunk, and the programs by which loops read their values. Chunks that declare the same share them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from parsers.formats.jfr.read.loops import NO_SLOT
from parsers.formats.jfr.read.metadata import Metadata, MetadataParser, Type
from parsers.formats.jfr.read.program import (
    FIELD_NAMES,
    STACK_TYPE,
    TYPE_NAMES,
    Programs,
    constant_program,
    index_program,
    trace_layout,
)
from parsers.formats.jfr.read.stack_loops import LAYOUT

if TYPE_CHECKING:
    from parsers.model.arrays import I64Array

MOST_UNKNOWN = 64
"""Undeclared types that are counted one by one; the rest counts as the last of them."""
STABLE = (
    "jdk.types.Method",
    "java.lang.Class",
    "jdk.types.Symbol",
    "jdk.types.FrameType",
    "jdk.types.ClassLoader",
    "jdk.types.Package",
    "jdk.types.Module",
)
"""Types whose constants decide the names of frames."""
Form = tuple[object, ...]
"""The parts of a type that programs depend on, with only those names that they look for."""


@dataclass(frozen=True)
class TypePrograms:
    """The types of some metadata as loops need them."""

    ids: I64Array
    """Ascending ids of all types."""
    stable: I64Array
    """By place in `ids`: its place in STABLE, -1: it is none of these."""
    program: I64Array
    indexed: I64Array
    """By place: its program for the index, NO_SLOT: none. One more for each undeclared type."""
    constants: I64Array
    """By place: its program for constants."""
    layout: I64Array
    trace_type: int
    """Place of the type of stack traces; -2: there is none that can be read."""


@dataclass(frozen=True)
class Types:
    """The types of some metadata, with their programs."""

    metadata: Metadata
    body: bytes
    programs: TypePrograms


class TypeReader:
    """Reads the types of several chunks."""

    def __init__(self) -> None:
        self._parser = MetadataParser()
        self._forms: dict[Type, Form] = {}
        self._programs: dict[tuple[Form, ...], TypePrograms] = {}

    def types_of(self, body: bytes) -> Types:
        """Reads metadata from `event_body`. Raises `MetadataError`."""
        metadata = self._parser.parse(body)
        forms = tuple([self._forms.get(type) or self._form(type) for type in metadata.types.values()])
        programs = self._programs.get(forms)
        if programs is None:
            programs = self._programs[forms] = programs_of(metadata)
        return Types(metadata, body, programs)

    def _form(self, type: Type) -> Form:
        fields = [
            (field.name if field.name in FIELD_NAMES else None, field.type, field.is_constant, field.is_array)
            for field in type.fields
        ]
        name = type.name if type.name in TYPE_NAMES or type.name in STABLE else None
        self._forms[type] = found = type.id, name, type.is_event, *fields
        return found


def programs_of(metadata: Metadata) -> TypePrograms:
    """Makes the programs of metadata."""
    programs = Programs(metadata)
    ordered = sorted((id, type) for id, type in metadata.types.items() if id >= 0)
    layout = trace_layout(programs)
    trace_id = metadata.id_of(STACK_TYPE)
    ids = np.array([id for id, _ in ordered], np.int64)
    has_traces = layout is not None and trace_id is not None
    indexed = [index_program(programs, type) if type.is_event else NO_SLOT for _, type in ordered]
    constants = [NO_SLOT if type.is_event else constant_program(programs, type) for _, type in ordered]
    stable = [STABLE.index(type.name) if type.name in STABLE else -1 for _, type in ordered]
    return TypePrograms(
        ids,
        np.array(stable, np.int64),
        programs.array,
        np.array([*indexed, *[NO_SLOT] * MOST_UNKNOWN], np.int64),
        np.array(constants, np.int64),
        layout if layout is not None else np.zeros(LAYOUT, np.int64),
        int(np.searchsorted(ids, trace_id)) if has_traces and trace_id is not None else -2,
    )


NO_TYPES = TypeReader().types_of(b"\1\1\0\0\0")
"""The types of a chunk without metadata: an element without name, values and children."""
