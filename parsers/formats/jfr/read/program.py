"""Field programs: what the loops over bytes do for each type, made from the metadata of a chunk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from parsers.formats.jfr.read.loops import (
    DURATION,
    END,
    FIXED,
    LOOP,
    MOST_LOOPS,
    NEXT,
    NO_SLOT,
    SLOTS,
    STACK,
    START,
    STRING,
    THREAD,
    VARS,
    WORDS,
)
from parsers.formats.jfr.read.metadata import Field, Metadata, Type
from parsers.formats.jfr.read.stack_loops import AFTER, BCI, BEFORE, FRAME, IS_CUT, KIND, LAYOUT, LINE, METHOD, WIDTH

SIZES: Mapping[str, int] = {"boolean": 1, "byte": 1, "float": 4, "double": 8}
"""Primitive types of a fixed number of bytes."""
INTEGERS = frozenset({"short", "char", "int", "long"})
"""Primitive types that are compressed integers."""
STRING_TYPE = "java.lang.String"
THREAD_TYPE = "java.lang.Thread"
STACK_TYPE = "jdk.types.StackTrace"
FRAME_TYPE = "jdk.types.StackFrame"
MOST_INSTRUCTIONS = 1 << 14
"""Instructions of one program: types that contain themselves would need any number."""
DEEPEST = 24
"""Levels of structs in structs."""
MOST_VISITS = 1 << 17
"""Fields of all programs of a chunk, once for each place: real ones have some thousands. Later types can't be read."""
THREAD_FIELDS = ("eventThread", "sampledThread", "thread")
"""Names of the field with the thread of an event; the first one that it has."""
FRAME_FIELDS = ("method", "lineNumber", "bytecodeIndex", "type")
TYPE_NAMES = frozenset({*SIZES, *INTEGERS, STRING_TYPE, THREAD_TYPE, STACK_TYPE, FRAME_TYPE})
"""Names of types that programs depend on."""
FIELD_NAMES = frozenset({"startTime", "duration", "stackTrace", *THREAD_FIELDS, "truncated", *FRAME_FIELDS})
"""Names of fields that programs depend on."""

Slots = Mapping[tuple[str, ...], int]
"""The slots of wanted fields by their paths of names."""
NONE_WANTED: Slots = {}


class UnreadableType(ValueError):
    """Values of a type can't be read: it contains itself, or names an unknown type."""


class Programs:
    """The programs of a chunk's types in one array."""

    def __init__(self, metadata: Metadata) -> None:
        self.metadata = metadata
        self._words: list[int] = []
        self._visits = 0

    @property
    def array(self) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        """All instructions."""
        return np.array(self._words or [END, NO_SLOT, 0], np.int64)

    def add(self, type: Type, slots: Slots = NONE_WANTED, is_short: bool = False) -> int:
        """Adds a program for the fields of a type; returns its first instruction. Raises `UnreadableType`.

        is_short  True if it may end behind the last wanted field
        """
        return self._append(self._body(type, (), slots, 0), is_short)

    def add_fields(self, fields: Sequence[Field], slots: Slots) -> int:
        """Adds a program for some fields, one after the other."""
        found: list[_Step] = []
        for field in fields:
            found += self._field(field, (), slots, 0)
        return self._append(found, False)

    def add_string(self) -> int:
        """Adds a program for a string."""
        return self._append([(STRING, NO_SLOT, 0)], False)

    def _append(self, steps: list[_Step], is_short: bool) -> int:
        if is_short:
            wanted = [place for place, step in enumerate(steps) if step[1] != NO_SLOT]
            # A wanted array is its place: what follows inside it need not be read, but the loop must be whole.
            steps = steps[: wanted[-1] + 1] if wanted else []
            if any(operation in (LOOP, NEXT) for operation, _, _ in steps):
                steps = _closed(steps)
        if len(steps) > MOST_INSTRUCTIONS:
            raise UnreadableType("too many fields")
        first = len(self._words)
        loops: list[int] = []
        merged = _merged(steps)
        for operation, slot, argument in merged:
            at = len(self._words)
            if operation == LOOP:
                loops.append(at)
            elif operation == NEXT:
                start = loops.pop()
                argument = start + WORDS
                self._words[start + 2] = at + WORDS
            self._words += [operation, slot, argument]
        self._words += [END, NO_SLOT, 0]
        return first

    def _body(self, type: Type, path: tuple[str, ...], slots: Slots, loops: int) -> list[_Step]:
        if len(path) > DEEPEST:
            raise UnreadableType(f"{type.name} contains itself")
        found: list[_Step] = []
        for field in type.fields:
            found += self._field(field, path, slots, loops)
            if len(found) > MOST_INSTRUCTIONS:
                raise UnreadableType(f"{type.name} has too many fields")
        return found

    def _field(self, field: Field, above: tuple[str, ...], slots: Slots, loops: int) -> list[_Step]:
        self._visits += 1
        if self._visits > MOST_VISITS:
            raise UnreadableType("too many fields of all types")
        path = (*above, field.name)
        slot = slots.get(path, NO_SLOT)
        if field.is_array:
            if loops == MOST_LOOPS:
                raise UnreadableType("arrays are nested too deeply")
            element = self._value(field, path, NO_SLOT, NONE_WANTED, loops + 1)
            if not element:
                raise UnreadableType("an array has elements without fields")
            return [(LOOP, slot, 0), *element, (NEXT, NO_SLOT, 0)]
        return self._value(field, path, slot, slots, loops)

    def _value(
        self, field: Field, path: tuple[str, ...], slot: int, slots: Slots, loops: int
    ) -> list[_Step]:  # fmt: skip
        type = self.metadata.types.get(field.type)
        if type is None:
            raise UnreadableType(f"the type of {field.name} is not declared")
        if field.is_constant or type.name in INTEGERS:
            return [(VARS, slot, 1)]
        if type.name in SIZES:
            return [(FIXED, slot, SIZES[type.name])]
        if type.name == STRING_TYPE:
            return [(STRING, slot, 0)]
        return self._body(type, path, slots, loops)


_Step = tuple[int, int, int]
"""Operation, slot, argument."""


def _closed(steps: list[_Step]) -> list[_Step]:
    """Returns steps that may end inside a loop: a loop that would not end is read as its count alone."""
    depth, last = 0, len(steps)
    for place, (operation, _, _) in enumerate(steps):
        if operation == LOOP:
            if depth == 0:
                last = place
            depth += 1
        elif operation == NEXT:
            depth -= 1
    return steps if depth == 0 else [*steps[:last], (VARS, NO_SLOT, 1)]


def _merged(steps: Sequence[_Step]) -> list[_Step]:
    """Returns steps in which compressed integers that are not wanted are skipped together."""
    found: list[_Step] = []
    for operation, slot, argument in steps:
        if operation in (VARS, FIXED) and found and found[-1][:2] == (operation, NO_SLOT) and (
            operation == VARS or slot == NO_SLOT
        ):  # fmt: skip
            found[-1] = (operation, slot, found[-1][2] + argument)
        else:
            found.append((operation, slot, argument))
    return found


def wanted_fields(names: Sequence[tuple[str, ...]]) -> Slots:
    """Returns slots for paths of names, in their order. Raises `ValueError` for too many."""
    if len(names) > SLOTS:
        raise ValueError("too many fields")
    return {name: slot for slot, name in enumerate(names)}


def index_program(programs: Programs, type: Type) -> int:
    """Adds the program of an event type for the index: time, thread and stack. NO_SLOT: it can't be read."""
    names = {field.name: field for field in type.fields}
    slots: dict[tuple[str, ...], int] = {("startTime",): START, ("duration",): DURATION}
    of_thread = next((name for name in THREAD_FIELDS if _is(programs.metadata, names.get(name), THREAD_TYPE)), None)
    if of_thread is not None:
        slots[of_thread,] = THREAD
    if _is(programs.metadata, names.get("stackTrace"), STACK_TYPE):
        slots["stackTrace",] = STACK
    try:
        return programs.add(type, slots, is_short=True)
    except UnreadableType:
        return NO_SLOT


def _is(metadata: Metadata, field: Field | None, type: str) -> bool:
    """True if a field is a constant of a type."""
    if field is None or not field.is_constant or field.is_array:
        return False
    declared = metadata.types.get(field.type)
    return declared is not None and declared.name == type


def constant_program(programs: Programs, type: Type) -> int:
    """Adds the program of a type's constants; NO_SLOT: they can't be read."""
    try:
        return programs.add_string() if type.name == STRING_TYPE else programs.add(type)
    except UnreadableType:
        return NO_SLOT


def trace_layout(programs: Programs) -> np.ndarray[tuple[int], np.dtype[np.int64]] | None:
    """Adds the programs of stack traces; returns their layout, None if the chunk declares none that can be read."""
    metadata = programs.metadata
    trace, frame = (metadata.by_name.get(name) for name in (STACK_TYPE, FRAME_TYPE))
    if trace is None or frame is None:
        return None
    place = next((at for at, each in enumerate(trace.fields) if each.is_array and each.type == frame.id), None)
    if place is None or trace.fields[place].is_constant:
        return None
    layout = np.zeros(LAYOUT, np.int64)
    cut, of_frame = len(FRAME_FIELDS), wanted_fields([(name,) for name in FRAME_FIELDS])
    slots: Slots = {("truncated",): cut}
    try:
        layout[BEFORE] = programs.add_fields(trace.fields[:place], slots)
        layout[AFTER] = programs.add_fields(trace.fields[place + 1 :], slots)
        layout[FRAME] = programs.add(frame, of_frame)
    except UnreadableType:
        return None
    layout[IS_CUT] = cut
    layout[[METHOD, LINE, BCI, KIND]] = range(4)
    kinds = [metadata.types.get(each.type) for each in frame.fields]
    if all(
        not each.is_array and (each.is_constant or (kind is not None and kind.name in INTEGERS))
        for each, kind in zip(frame.fields, kinds, strict=True)
    ):
        names = [each.name for each in frame.fields]
        layout[WIDTH] = len(names)
        layout[[METHOD, LINE, BCI, KIND]] = [names.index(name) if name in names else -1 for name in FRAME_FIELDS]
    return layout
