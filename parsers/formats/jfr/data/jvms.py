"""The JVMs that wrote a file: joined recordings have several. Source: events `jdk.JVMInformation`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from parsers.model.time_text import time_text

if TYPE_CHECKING:
    from parsers.formats.jfr.data.recorded_data import RecordedData
    from parsers.model.arrays import I64Array

TYPE = "jdk.JVMInformation"


def jvms_of(data: RecordedData) -> Sequence[Mapping[str, Any]]:
    """Returns process, start, name, version, chunks, events and bytes of each JVM; empty if there is only one."""
    found = data.computed("JVMs", lambda: _find(data))[0]
    return found if len(found) > 1 else ()


def jvm_of_chunks(data: RecordedData) -> I64Array:
    """Returns the number of the JVM that wrote each chunk. Ids of collections, compilations … mean the same in one."""
    return data.computed("JVMs", lambda: _find(data))[1]


def jvm_of_events(data: RecordedData, rows: I64Array) -> I64Array:
    """Returns the number of the JVM of some events."""
    of_chunks = jvm_of_chunks(data)
    return of_chunks[data.chunks_of(rows)] if len(of_chunks) else np.zeros(len(rows), np.int64)


def _find(data: RecordedData) -> tuple[Sequence[dict[str, Any]], I64Array]:
    """Chunks that name no JVM belong to that of the chunk before, the first ones to the first."""
    rows = data.rows_of(TYPE)
    of_chunks = dict(zip(data.chunks_of(rows).tolist(), rows.tolist(), strict=True))
    firsts = [*data.column("chunk_first").tolist(), data.rows]
    sizes = data.column("chunk_size").tolist()
    jvms: dict[tuple[Any, ...], int] = {}
    facts: list[dict[str, Any]] = []
    numbers: list[int] = []
    for chunk in range(len(sizes)):
        if chunk in of_chunks:
            identity = _identity(data, of_chunks[chunk])
            if identity not in jvms:
                pid, start, name, version = identity
                moment = f"{time_text(start * 1_000_000)} UTC" if isinstance(start, int) else None
                facts.append({"pid": pid, "start": moment, "jvm": name, "version": version})
                facts[-1] |= {"chunks": 0, "events": 0, "bytes": 0}
            number = jvms.setdefault(identity, len(jvms))
        else:
            number = numbers[-1] if numbers else 0
        numbers.append(number)
    for chunk, number in enumerate(numbers if facts else ()):
        facts[number]["chunks"] += 1
        facts[number]["events"] += firsts[chunk + 1] - firsts[chunk]
        facts[number]["bytes"] += sizes[chunk]
    return facts, np.array(numbers, np.int64)


def _identity(data: RecordedData, row: int) -> tuple[Any, ...]:
    chunk, _, values, _ = data.values(row)
    texts = (chunk.text(values.get(name)) or None for name in ("jvmName", "jvmVersion"))
    return (values.get("pid"), values.get("jvmStartTime"), *texts)
