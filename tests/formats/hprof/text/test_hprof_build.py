"""Indexes of profiles: by kernels they are what they are by plain code, with the totals of the truth."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from conftest import TESTS, plain_bytes
from text_samples import recording_of

from parsers.formats.hprof import build
from parsers.formats.hprof.data.recording import ProfileRecording
from parsers.heapdump.graph.columns import HEAP_DUMP
from parsers.index.build import FileBuild
from parsers.index.store import READY, Header, IndexReader
from parsers.io.cache import Cache
from parsers.io.group import SourceGroup
from parsers.io.open_source import open_source
from parsers.kernels import library

CORPUS = TESTS / "corpus" / "hprof"
TRUTH: dict[str, Any] = json.loads((CORPUS / "truth.json").read_text("utf-8"))
NAMES = [
    "text/longnames-dump.txt",
    "text/quit-everything.txt",
    "text/javac-samples-depth30.txt",
    "text/quit-monitors.txt",
]


ONE_OBJECT = """JAVA PROFILE 1.0.1, created Sat Nov 21 10:00:00 2026

HEAP DUMP BEGIN (1 objects, 16 bytes) Sat Nov 21 10:00:01 2026
ROOT 1 (kind=<thread>, id=1, trace=1)
CLS 9 (name=a.A, trace=1)
OBJ 1 (sz=16, trace=1, class=a.A@9)
HEAP DUMP END
"""


def index(name: str, folder: Path, with_kernels: bool, monkeypatch: pytest.MonkeyPatch, cache: Cache) -> Header:
    return index_of(CORPUS / f"{name}.xz", folder, with_kernels, monkeypatch, cache)


def index_of(path: Path, folder: Path, with_kernels: bool, monkeypatch: pytest.MonkeyPatch, cache: Cache) -> Header:
    monkeypatch.setattr(FileBuild, "uses_kernels", with_kernels)
    source = SourceGroup([open_source(str(path), cache)])
    source.unpack()
    folder.mkdir()
    header = build.ProfileBuild(source, str(folder), "hprof-text", lambda news: None).run()
    source.close()
    return header


@pytest.mark.skipif(library.load() is None, reason="the library was not built (make kernels)")
@pytest.mark.parametrize("with_kernels", [True, False])
def test_a_dump_without_references_is_indexed_without_a_compiler(
    with_kernels: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cache: Cache
) -> None:
    monkeypatch.setattr(library, "has_compiler", lambda: False)
    path = tmp_path / "java.hprof.txt"
    path.write_text(ONE_OBJECT, "utf-8")
    assert index_of(path, tmp_path / "index", with_kernels, monkeypatch, cache).totals["heap_dump_rows"] == 1


@pytest.mark.parametrize("name", NAMES)
def test_kernels_make_the_same_index(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cache: Cache) -> None:
    plain = index(name, tmp_path / "plain", False, monkeypatch, cache)
    quick = index(name, tmp_path / "quick", True, monkeypatch, cache)
    known = {key: value for key, value in TRUTH[name]["totals"].items() if value}
    assert {key: value for key, value in quick.totals.items() if value} == known
    assert (quick.totals, quick.facts, quick.rows) == (plain.totals, plain.facts, plain.rows)
    left, right = (
        IndexReader(str(tmp_path / "plain" / READY), plain),
        IndexReader(str(tmp_path / "quick" / READY), quick),
    )
    assert left.names == right.names
    for array in left.names:
        assert left.view(array) == right.view(array), array


def news(path: Path, folder: Path, with_kernels: bool, monkeypatch: pytest.MonkeyPatch, cache: Cache) -> list[Any]:
    """Builds an index in small steps; at each of them what a reader sees of classes and traces."""
    seen: list[Any] = []
    monkeypatch.setattr(FileBuild, "small", 0)
    monkeypatch.setattr(build, "BLOCK", 1 << 18)
    monkeypatch.setattr(FileBuild, "uses_kernels", with_kernels)
    source = SourceGroup([open_source(str(path), cache)])
    reader = IndexReader(str(folder))
    recording = ProfileRecording(source)

    def report_progress(news: Any) -> None:
        reader.advance(news["rows"], news["lengths"], news["types"], news["folder"])
        recording.take_index(reader)
        classes = dict(zip(map(bytes, recording.texts("class")), recording.column("known_objects"), strict=True))
        traces = [
            bytes(recording.frame(frame)) for row in range(recording.rows("trace")) for frame in recording.stack(row)
        ]
        seen.append(({name: count for name, count in classes.items() if count}, traces))

    folder.mkdir()
    build.ProfileBuild(source, str(folder), "hprof-text", report_progress).run()
    source.close()
    return seen


@pytest.mark.parametrize("with_kernels", [True, False])
def test_classes_and_traces_are_seen_while_a_file_is_read(
    with_kernels: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cache: Cache
) -> None:
    path = tmp_path / "dump.txt"
    path.write_bytes(plain_bytes(CORPUS / "text" / "longnames-dump.txt.xz"))
    recording = recording_of("text/longnames-dump.txt")
    rows = recording.section_range(recording.sections(HEAP_DUMP)[-1])
    classes = Counter(
        recording.texts("class")[type] for type in recording.packed("object_class")[rows.start : rows.stop]
    )
    frames = [recording.frame(frame) for row in range(recording.rows("trace")) for frame in recording.stack(row)]
    seen = news(path, tmp_path / "index", with_kernels, monkeypatch, cache)
    assert len(seen) > 1
    assert seen[-1] == (classes, frames)
    for (before, fewer), (after, more) in itertools.pairwise(seen):
        assert Counter(before) <= Counter(after)
        assert more[: len(fewer)] == fewer
