"""Rows for the lines of an allocation profile, shared by two views."""

from __future__ import annotations

from parsers.formats.jdkprofilers.array_view import share
from parsers.formats.jdkprofilers.texts import text_of
from parsers.formats.jdkprofilers.xprof.recording import AllocationTable, OutputRecording, RowKind
from parsers.model.names.java_method import type_name
from parsers.model.names.java_name import class_spans
from parsers.model.row import Span


def class_of(text: bytes) -> str:
    """Returns a class as Java writes it: most are printed so, arrays as `[Ljava.lang.String;`."""
    name = text_of(text)
    return type_name(name) if name.startswith("[") else name


def bytes_of(table: AllocationTable) -> int:
    """Returns the bytes of a table: its total, unless that has overflowed."""
    return max(table.size, table.total[0]) if table.total is not None else table.size


def class_row(recording: OutputRecording, kind: int, item: int) -> tuple[str, dict[str, float], tuple[Span, ...]]:
    """Returns label, badges and spans of a table, of a class, of the unlisted rest, or of the total."""
    if kind == RowKind.CLASS:
        name = class_of(recording.texts.texts[recording.class_texts[item]])
        badges: dict[str, float] = {
            "bytes": recording.sizes[item],
            "instances": recording.instances[item],
            "average": recording.averages[item],
            "share": share(recording.sizes[item], bytes_of(recording.tables[recording.class_tables[item]])),
        }
        return name, badges, tuple(class_spans(name))
    table = recording.tables[item]
    size, instances, average = table.total or (table.size, table.instances, 0)
    if kind == RowKind.UNLISTED:
        missing = size - table.size
        return (
            "not listed",
            {"bytes": missing, "instances": max(0, instances - table.instances), "share": share(missing, size)},
            (),
        )
    badges = {"bytes": size, "instances": instances}
    if kind == RowKind.TABLE:
        cutoff = {} if table.cutoff is None else {"cutoff": table.cutoff}
        return text_of(table.title).rstrip(":").partition(" (")[0], {**badges, **cutoff, "rows": table.rows}, ()
    return "--total--", {**badges, "average": average}, ()
