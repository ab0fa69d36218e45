"""Indexes of recordings: by kernels they are what they are by plain code, with each number of the samples' truth files.

The truth was counted by programs that share nothing with this project.
"""

from __future__ import annotations

import json
import lzma
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_tptp_join import readable
from tptp_events import CORPUS, NAMES, path_of, sample

from parsers.formats.registry import place_in_zip
from parsers.formats.tptp import build
from parsers.formats.tptp.schema.columns import COLUMNS
from parsers.formats.tptp.store.recording import TraceRecording
from parsers.index.build import ChangedReport
from parsers.index.store import READY, Header, IndexReader
from parsers.io.cache import Cache
from parsers.io.group import SourceGroup
from parsers.io.open_source import open_source

LARGE = ["agent_exec_big", "agent_heap_dump", "gen_all_10M"]
TRUTHS: dict[str, Any] = {
    path.name.removesuffix(".truth.json"): json.loads(path.read_text("utf-8"))
    for path in sorted(CORPUS.glob("*.truth.json"))
}
OF_THE_READER = ("encoding", "nul_tail", "member", "member_bytes", "agents", "options", "filters")
"""Facts of sessions that are not in tables."""
AS_WRITTEN = {"<init>": "-init-", "<clinit>": "-clinit-"}


def by(rows: list[dict[str, Any]], *names: str) -> dict[tuple[str, ...], dict[str, Any]]:
    """Returns rows by their names: equal ranks may be in any order."""
    return {tuple(row[name] for name in names): row for row in rows}


def comparable(totals: dict[str, Any]) -> dict[str, Any]:
    """Returns the counts of a session, with names as in Java, and without facts that are not in tables."""
    found = {name: value for name, value in totals.items() if name not in (*OF_THE_READER, "dumps")}
    found["monitors"] = by(found["monitors"], "id")
    if "heap" in found:
        classes = [{**row, "name": row["name"].replace("/", ".")} for row in found["heap"]["classes"]]
        found["heap"] = {**found["heap"], "classes": by(classes, "name")}
    if "calls" in found:
        methods = [{**row, "method": AS_WRITTEN.get(row["method"], row["method"])} for row in found["calls"]["methods"]]
        found["calls"] = {**found["calls"], "methods": by(methods, "class", "method", "signature")}
    return found


def in_plain_bytes(name: str, truth: dict[str, Any]) -> dict[str, Any]:
    """A session of the truth with offsets as in UTF-8, which UTF-16 is made before it is read."""
    if truth["encoding"]["used"] != "UTF-16":
        return truth
    before = path_of(name).read_bytes()[: truth["last_good_offset"]]
    return {**truth, "last_good_offset": len(before.decode("utf-16").encode())}


def index(
    path: Path, folder: Path, with_kernels: bool, monkeypatch: pytest.MonkeyPatch, cache: Cache,
    report_progress: Callable[[Any], object] = id,
) -> tuple[Header, TraceRecording]:  # fmt: skip
    """Builds an index, and opens it."""
    monkeypatch.setattr(build.TraceBuild, "uses_kernels", with_kernels)
    source = SourceGroup([open_source(str(path), cache, place=place_in_zip)])
    source.unpack()
    folder.mkdir()
    header = build.TraceBuild(source, str(folder), "tptp-trace", report_progress).run()
    recording = TraceRecording(source)
    recording.take_index(IndexReader(str(folder / READY), header))
    return header, recording


def contents(header: Header, recording: TraceRecording) -> dict[str, list[Any]]:
    """Returns all columns, bitpacked or not, with words instead of their numbers, and the arrays made from them."""
    found = readable({name: np.asarray(recording.column(name)) for name in COLUMNS}, list(recording.words))
    made = (name for name in header.arrays if not name.startswith(("word_", *COLUMNS)))
    return found | {name: np.asarray(recording.column(name)).tolist() for name in made}


@pytest.mark.parametrize("name", [name for name in NAMES if name not in LARGE])
def test_kernels_make_the_same_index_with_what_the_truth_counts(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cache: Cache
) -> None:
    plain, left = index(path_of(name), tmp_path / "plain", False, monkeypatch, cache)
    quick, right = index(path_of(name), tmp_path / "quick", True, monkeypatch, cache)
    assert (quick.totals, quick.facts, quick.rows) == (plain.totals, plain.facts, plain.rows)
    assert quick.arrays.keys() == plain.arrays.keys()
    assert contents(quick, right) == contents(plain, left)
    for run, truth in zip(quick.facts["runs"], TRUTHS[name]["sessions"], strict=True):
        assert comparable(run["totals"]) == comparable(in_plain_bytes(name, truth))


@pytest.mark.parametrize("name", LARGE)
def test_large_samples_have_what_the_truth_counts(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cache: Cache
) -> None:
    header, _ = index(path_of(name), tmp_path / "index", True, monkeypatch, cache)
    for run, truth in zip(header.facts["runs"], TRUTHS[name]["sessions"], strict=True):
        assert comparable(run["totals"]) == comparable(truth)


def news(data: bytes, folder: Path, with_kernels: bool, monkeypatch: pytest.MonkeyPatch, cache: Cache) -> list[Any]:
    """Builds an index in small steps; at each of them what a reader sees of threads, classes and elements."""
    seen: list[Any] = []
    monkeypatch.setattr(build, "INTERVAL", 0.0)
    monkeypatch.setattr(build, "REST", 0)
    folder.mkdir()
    (folder / "recording").write_bytes(data)
    source = open_source(str(folder / "recording"), cache)
    reader, recording = IndexReader(str(folder)), TraceRecording(source)

    def report_progress(news: Any) -> None:
        if "lengths" in news:
            reader.advance(news["rows"], news["lengths"], news["types"], news["folder"])
            recording.take_index(reader)
            threads = [recording.text(word) for word in recording.column("thread_name")]
            classes = [recording.text(word) for word in recording.column("class_name")]
            elements = [recording.text(word) for word in recording.column("element_name")]
            seen.append((threads, classes, elements, sum(recording.column("thread_calls"))))

    monkeypatch.setattr(build.TraceBuild, "small", 0)
    monkeypatch.setattr(build.TraceBuild, "uses_kernels", with_kernels)
    (folder / "index").mkdir()
    group = SourceGroup([source])
    group.unpack()
    build.TraceBuild(group, str(folder / "index"), "tptp-trace", report_progress).run()
    return seen


@pytest.mark.parametrize("with_kernels", [False, True])
def test_threads_classes_and_elements_are_seen_while_a_recording_is_read(
    with_kernels: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cache: Cache
) -> None:
    data = sample("agent_exec")
    seen = news(data, tmp_path / "index", with_kernels, monkeypatch, cache)
    first, last = seen[0], seen[-1]
    truth = TRUTHS["agent_exec"]["sessions"][0]
    assert set(last[2]) == truth["elements"].keys()
    assert last[0] == [thread["name"] for thread in truth["threads"]]
    assert last[3] == truth["calls"]["entries"]
    for before, after in zip(first[:3], last[:3], strict=True):
        assert before == after[: len(before)]


def test_a_file_that_is_cut_while_it_is_read_has_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cache: Cache
) -> None:
    path = tmp_path / "recording"
    path.write_bytes(lzma.decompress(path_of("agent_exec").read_bytes()))
    source = SourceGroup([open_source(str(path), cache)])
    source.unpack()
    path.write_bytes(path.read_bytes()[:100_000])
    (tmp_path / "index").mkdir()
    monkeypatch.setattr(build.TraceBuild, "uses_kernels", True)
    making = build.TraceBuild(source, str(tmp_path / "index"), "tptp-trace", id)
    with pytest.raises(ChangedReport):
        making.run()
    making.abandon()
    assert list((tmp_path / "index").iterdir()) == []
