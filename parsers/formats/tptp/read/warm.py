"""Compiles the kernels of recordings by reading a tiny one."""

from __future__ import annotations

import tempfile
from typing import Any

import numpy as np

from parsers.formats.tptp.read.parts import DocumentPart
from parsers.formats.tptp.schema.columns import COLUMNS, PACKED
from parsers.formats.tptp.schema.vocabulary import PLAIN
from parsers.index.store import BUILDING
from parsers.io.concatenated import MemoryBytes

TINY = b"""\
<TRACE>
<threadStart threadId="1" time="1.000000000" threadName="main"/>
<classDef name="a.B" classId="2" time="1.000000000"/>
<methodDef name="m" signature="()V" methodId="3" classIdRef="2"/>
<methodEntry threadIdRef="1" time="2.000000000" methodIdRef="3" classIdRef="2" ticket="1" stackDepth="1"/>
<methodExit threadIdRef="1" methodIdRef="3" classIdRef="2" ticket="1" time="2.5" overhead="0.000000001"/>
<methodEntry threadIdRef="1" time="3.0" methodIdRef="3" classIdRef="2" ticket="2" stackDepth="1"/>
</TRACE>
"""


def warm() -> None:
    """Uses every kernel once."""
    with tempfile.TemporaryDirectory(prefix="coffeetree-") as folder:
        warm_trace(folder)
    warm_calls()


def warm_trace(folder: str) -> None:
    """Loads or compiles the kernels that read elements and join them. folder: for temporary files"""
    from parsers.formats.tptp.join.kernel_join import KernelJoin
    from parsers.formats.tptp.join.kernel_saving import save_packed
    from parsers.formats.tptp.read.kernel_reader import KernelReader
    from parsers.index.writer import Writer
    from parsers.io.identity import Identity

    writer = Writer(folder, "tptp-trace", Identity(0, 0, 0, 0, ""), f"{BUILDING}-first")
    try:
        join = KernelJoin(writer, PLAIN)
        KernelReader(MemoryBytes(TINY), [DocumentPart(None, 0, len(TINY))], PLAIN).read(join.take)
        join.tables.enlarge(is_whole=True)
        join.end()
        join.save()
        save_packed(writer, "packed", PACKED["object_id"], np.zeros(1, np.int64))
    finally:
        writer.abandon()


def warm_calls() -> None:
    """Kernels that fold the calls of threads, that merge call paths, and references of heap dumps."""
    from parsers.formats.tptp.calls.build import OUTERMOST, first_trees, flow_of, is_outermost, open_nodes
    from parsers.formats.tptp.calls.flow import COMPILED
    from parsers.formats.tptp.calls.merged_trees import compiled_tree
    from parsers.formats.tptp.heap import edge_kernel as heap_edge_kernel
    from parsers.formats.tptp.store.recording import TraceRecording, read_plainly
    from parsers.formats.tptp.views.negative_times import negative_nodes

    recording = TraceRecording(MemoryBytes(TINY))
    read_plainly(recording, [DocumentPart(None, 0, len(TINY))])

    class Typed:
        """The recording with columns of an index."""

        def column(self, name: str) -> Any:
            return np.asarray(recording.column(name)).astype(COLUMNS[name])

        def rows(self, table: str) -> int:
            return recording.rows(table)

        def word(self, number: int) -> bytes:
            return recording.word(number)

    loops, typed = COMPILED, Typed()
    for _ in flow_of(typed, loops):
        pass
    of_nodes = {OUTERMOST: is_outermost(typed, loops), **open_nodes(typed, loops), **negative_nodes(typed)}
    for _ in first_trees(typed, of_nodes, compiled_tree):
        pass
    heap_edge_kernel.different(np.zeros(1, np.uint64), *(np.zeros(2, np.uint32) for _ in range(3)))
