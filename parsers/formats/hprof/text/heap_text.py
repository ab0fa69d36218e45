"""Lines of a heap dump: ROOT, OBJ, ARR, CLS, and their references."""

from __future__ import annotations

import re

from parsers.formats.hprof.data.columns import IS_CUT, NOWHERE
from parsers.formats.hprof.data.tables import AN_OBJECT, NOTHING, ReadingState
from parsers.formats.hprof.text import lines
from parsers.heapdump.graph.columns import (
    CLASS_OBJECT,
    CONSTANT,
    DOMAIN,
    ELEMENT,
    FIELD,
    LABEL_BITS,
    LOADER,
    MOST_LABELLED,
    OBJECT_ARRAY,
    PLAIN_OBJECT,
    PRIMITIVE_ARRAY,
    ROOT_KINDS,
    SIGNERS,
    STATIC,
    SUPER,
)
from parsers.model.none import NONE

OF_CLASS = {b"super": SUPER, b"loader": LOADER, b"signers": SIGNERS, b"domain": DOMAIN}
KIND_NUMBERS = {kind.encode(): number for number, kind in enumerate(ROOT_KINDS)}
UNKNOWN_ROOT = len(ROOT_KINDS) - 1


class HeapLines:
    """Reads the lines of the open section."""

    def __init__(self, text: ReadingState) -> None:
        self._text = text

    def record(self, line: bytes, offset: int, is_cut: bool) -> bool:
        """Reads an OBJ, ARR, CLS or ROOT, perhaps a cut one; False for any other line."""
        start = line[:4]
        if start == b"OBJ ":
            found = (lines.CUT_OBJECT if is_cut else lines.OBJECT).fullmatch(line)
            if found is not None:
                self._add(found[1], offset, found[2], found[3], found[4], b"0", PLAIN_OBJECT, is_cut)
        elif start == b"ARR ":
            found = (lines.CUT_ARRAY if is_cut else lines.ARRAY).fullmatch(line)
            if found is not None:
                kind = PRIMITIVE_ARRAY if lines.CLASS_ID.fullmatch(found[5]) is None and not is_cut else OBJECT_ARRAY
                self._add(found[1], offset, found[2], found[3], found[5], found[4], kind, is_cut)
        elif start == b"CLS ":
            found = (lines.CUT_CLASS if is_cut else lines.CLASS).fullmatch(line)
            if found is not None:
                serial = b"" if is_cut else found[3]
                self._add(found[1], offset, b"0", serial, found[2] + b"@" + found[1], b"0", CLASS_OBJECT, is_cut)
        elif start == b"ROOT":
            found = (lines.CUT_ROOT if is_cut else lines.ROOT).fullmatch(line)
            if found is not None:
                self._root(found[1], found[2], found[3], offset, is_cut)
        else:
            return False
        return found is not None

    def _add(
        self,
        id: bytes,
        offset: int,
        size: bytes,
        serial: bytes,
        class_text: bytes,
        elements: bytes,
        kind: int,
        is_cut: bool,
    ) -> None:
        text = self._text
        number = int(serial) if serial else NONE
        text.tables.add_object(int(id, 16), offset, int(size), number, class_text, int(elements), kind, is_cut)
        text.open = AN_OBJECT

    def reference(self, line: bytes) -> bool:
        """Reads a reference of the last object; False for any other line."""
        found = lines.REFERENCE.fullmatch(line)
        if found is None:
            return False
        tables, name = self._text.tables, found[1]
        kind = tables.get("object_kind", tables.length("object") - 1)
        if kind != CLASS_OBJECT:
            label = index_label(lines.INDEX.fullmatch(name), ELEMENT)
        elif name in OF_CLASS:
            label = OF_CLASS[name]
        elif name.startswith(b"static "):
            label = tables.number("word", name[len(b"static ") :]) << LABEL_BITS | STATIC
        else:
            label = index_label(lines.CONSTANT.fullmatch(name), CONSTANT)
        if label is None:
            label = tables.number("word", name) << LABEL_BITS | FIELD
        tables.add_reference(int(found[2], 16), label)
        return True

    def _root(self, id: bytes, kind: bytes, rest: bytes, offset: int, is_cut: bool) -> None:
        text, tables = self._text, self._text.tables
        text.open = NOTHING
        fields = dict(lines.ROOT_FIELD.findall(rest))
        number = KIND_NUMBERS.get(kind, UNKNOWN_ROOT)
        named = lines.ROOT_NAME.fullmatch(rest)
        name, value, thread = NONE, NOWHERE, NONE
        if named is not None:
            name, fields = tables.number("word", named[1]), {}
        elif kind not in KIND_NUMBERS:
            name = tables.number("word", kind + rest)
        if b"id" in fields:
            value = int(fields[b"id"], 16 if kind.startswith(b"JNI") else 10) if number != UNKNOWN_ROOT else NOWHERE
        if kind == b"thread":
            thread = min(value, NONE)
        elif b"thread" in fields:
            thread = decimal(fields[b"thread"])
        trace = tables.trace(decimal(fields[b"trace"])) if b"trace" in fields else NONE
        frame = decimal(fields[b"frame"]) if b"frame" in fields else NONE
        tables.add(
            "root",
            offset,
            int(id, 16),
            value,
            NONE,
            thread,
            frame,
            trace,
            name,
            number,
            IS_CUT if is_cut else 0,
        )


def decimal(text: bytes) -> int:
    """Parses a decimal number; NONE for hexadecimal digits."""
    return int(text) if text.isdigit() else NONE


def index_label(found: re.Match[bytes] | None, kind: int) -> int | None:
    """Returns a label of an index that was found; None if none was."""
    return None if found is None else min(int(found[1]), MOST_LABELLED) << LABEL_BITS | kind
