"""Heap dumps of recordings for tests: a sample, or elements as text, as a graph of objects."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from tptp_events import open_recording

from parsers.formats.registry import place_in_zip
from parsers.formats.tptp.build import TraceBuild
from parsers.formats.tptp.heap.build import save_heap
from parsers.formats.tptp.heap.graph import TraceGraph
from parsers.formats.tptp.heap.objects import TraceObjects
from parsers.formats.tptp.store.names import TraceNames
from parsers.formats.tptp.store.recording import TraceRecording
from parsers.index.store import READY, IndexReader
from parsers.io.cache import Cache
from parsers.io.group import SourceGroup
from parsers.io.open_source import open_source

CORPUS = Path(__file__).parents[2] / "corpus" / "tptp"
TRUTHS: dict[str, Any] = {
    path.name[: -len(".truth.json")]: json.loads(path.read_text()) for path in sorted(CORPUS.glob("*.truth.json"))
}
WITH_DUMPS = [
    name for name, truth in TRUTHS.items() if any(each["dumps"] for each in truth["sessions"] if "dumps" in each)
]


def sample_path(name: str) -> str:
    """The file of a sample."""
    return str(next(CORPUS.glob(f"{name}.trcxml*")))


class Kept:
    """Fake of the folder of an index."""

    def __init__(self) -> None:
        self.arrays: dict[str, Any] = {}

    def save(self, name: str, values: Any) -> None:
        self.arrays[name] = np.ascontiguousarray(values)


class _WithHeap(TraceRecording):
    """A recording with the arrays of its heap dumps."""

    kept: dict[str, Any]

    def column(self, name: str) -> Any:
        return memoryview(self.kept[name]) if name in self.kept else super().column(name)


class Heaps:
    """All dumps of a recording that has their arrays, with their totals."""

    def __init__(self, recording: TraceRecording, totals: Sequence[Mapping[str, Any]]) -> None:
        self.recording, self.totals, self.names = recording, totals, TraceNames(recording)
        self.graph = TraceGraph(recording, self.names)
        self.objects = TraceObjects(self.graph, recording, self.names)


def heaps_of(path: str) -> Heaps:
    """The dumps of a file read by plain code."""
    recording, kept = open_recording(path), Kept()
    totals = save_heap(kept, recording)  # type: ignore[arg-type]  # only `save` is called
    recording.__class__ = _WithHeap
    recording.kept = kept.arrays  # type: ignore[attr-defined]  # it is one now
    return Heaps(recording, totals)


def indexed_heaps(path: str, folder: Path) -> Heaps:
    """The dumps of a file as its index has them."""
    source = SourceGroup([open_source(path, Cache(keep=False), place=place_in_zip)])
    source.unpack()
    header = TraceBuild(source, str(folder), "tptp-trace", id).run()
    recording = TraceRecording(source)
    recording.take_index(IndexReader(str(folder / READY), header))
    return Heaps(recording, [dump for run in header.facts["runs"] for dump in run["totals"].get("dumps", ())])


def written(folder: Path, *elements: str) -> str:
    """A recording of some elements."""
    path = folder / "made.trcxml"
    path.write_text('<?xml version="1.0"?>\n<TRACE>\n' + "\n".join(elements) + "\n</TRACE>\n")
    return str(path)


def dumped(folder: Path, sizes: list[int], edges: list[tuple[int, int]], roots: list[int]) -> Heaps:
    """One dump: objects by their sizes, with ids from 100."""
    elements = [
        '<threadStart threadId="1" time="1.000000000" threadName="main" groupName="main" parentName="" objIdRef="0"/>'
    ]
    elements.append('<classDef name="A" classId="2" time="1.000000001"/>')
    for number, size in enumerate(sizes):
        about = f'time="2.{number:09}" isArray="false" objId="{100 + number}" size="{size}"'
        elements.append(f'<objAlloc threadIdRef="1" {about} classIdRef="2"/>')
    elements.append('<heapDumpDef heapDumpId="7" name="made" time="3.000000000"/>')
    elements += [f'<gcRoot heapDumpIdRef="7" objIdRef="{100 + root}" type="OTHER"/>' for root in roots]
    for source, target in edges:
        elements.append(f'<objectReference heapDumpIdRef="7" srcIdRef="{100 + source}" targetIdRef="{100 + target}"/>')
    return heaps_of(written(folder, *elements))
