"""Compiles the kernels of binary heap dumps by reading a tiny one."""

from __future__ import annotations

import os
import struct
import tempfile

import numpy as np

from parsers.formats.hprof.dump.index.heap_engine import KernelSteps
from parsers.formats.hprof.dump.index.sizes import MeasuredHeap
from parsers.formats.hprof.dump.index.tables import add_heap, class_objects
from parsers.formats.hprof.dump.read.file import DumpFile
from parsers.heapdump.graph.columns import DUMP_PACKED
from parsers.index.writer import Writer
from parsers.io.plain import PlainFile
from parsers.io.source import Identity
from parsers.kernels.compiled import compiled


def tiny_dump() -> bytes:
    """Returns a dump with a class, an instance of it, which is a String, an array of each kind and a root."""
    name = struct.pack(">Q", 1) + b"java/lang/String"
    field = struct.pack(">Q", 2) + b"value"
    loaded = struct.pack(">IQIQ", 1, 16, 0, 1)
    declared = struct.pack(">BQI6QIHHH", 0x20, 16, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 1) + struct.pack(">QB", 2, 2)
    heap = declared + struct.pack(">BQIQIQ", 0x21, 24, 0, 16, 8, 40)
    heap += struct.pack(">BQIIQQ", 0x22, 32, 0, 1, 16, 24) + struct.pack(">BQIIBb", 0x23, 40, 0, 1, 8, 0)
    heap += struct.pack(">BQ", 0x05, 16)
    records = ((0x01, name), (0x01, field), (0x02, loaded), (0x1C, heap), (0x2C, b""))
    header = b"JAVA PROFILE 1.0.2\0" + struct.pack(">IQ", 8, 0)
    return header + b"".join(struct.pack(">BII", tag, 0, len(body)) + body for tag, body in records)


def warm() -> None:
    """Calls every kernel once."""
    from parsers.formats.hprof.dump.read.kernel import refer_elements
    from parsers.heapdump.dominators.dominated import add_groups, sort_by_dominator
    from parsers.heapdump.dominators.suspects import mark_dominated
    from parsers.heapdump.paths.merged import group_by_next_step, read_path_steps, sort_by_group
    from parsers.heapdump.paths.sources import find_sources

    marks, numbers = np.ones(1, np.uint8), np.zeros(1, np.uint32)
    compiled(mark_dominated)(numbers, marks)
    compiled(find_sources)(np.zeros(2, np.uint32), numbers[:0], numbers, marks, numbers, numbers, numbers)
    data = tiny_dump()
    with tempfile.TemporaryDirectory(prefix="coffeetree-") as folder:
        path = os.path.join(folder, "dump")
        with open(path, "wb") as file:
            file.write(data)
        descriptor = os.open(path, os.O_RDONLY)
        plain = PlainFile(descriptor)
        writer = Writer(folder, "dump", Identity(0, 0, 0, 0, ""))
        steps = KernelSteps(plain.pread, plain, writer, lambda share: None, len(data))
        dump = DumpFile(plain.pread, len(data), steps)
        dump.read()
        assert dump.heap is not None
        heap = dump.heap
        measured = MeasuredHeap(heap, dump.profile, dump.version, plain.pread, steps.addresses(heap))
        roots = add_heap(dump.profile, heap, measured)
        units = steps.sizes(heap, measured).units
        references = steps.references(heap, lambda share: None)
        steps.transpose(references, heap.objects)
        steps.strings(heap, measured, references, units)
        steps.dominate(heap, references, class_objects(heap), roots, units, lambda share: None)
        none, sums, starts, stack = (np.zeros(*each) for each in ((0, "u4"), (0, "i8"), (3, "u4"), (1, "u4")))
        compiled(sort_by_dominator)(none, starts, none)
        compiled(add_groups)(starts, none, sums, none, none, 1, none, sums, stack, stack.copy())
        bytes, mapped = np.zeros(0, np.uint8), np.zeros(0, np.uint32)
        mapped.flags.writeable = False
        pieces = np.frombuffer(data, np.uint8)
        compiled(read_path_steps)(pieces, sums, 0, bytes, none, 8, stack, mapped, none, none, none, none, none, none)
        compiled(group_by_next_step)(none, sums, none, none, none, none, none, none, none, none, sums, sums)
        compiled(sort_by_group)(none, sums, none, sums, none, sums)
        numbers = np.zeros(2, np.uint32)
        refer_elements(np.zeros(80, np.uint8), 8, 1, steps.numbered, np.zeros(2, np.uint64), numbers)
        for name, packing in DUMP_PACKED.items():
            steps.save(writer, name, packing, np.zeros(1, np.dtype(packing.wide)))
        writer.abandon()
        os.close(descriptor)
