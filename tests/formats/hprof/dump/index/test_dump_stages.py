"""The index of a heap dump is of use stage by stage; what is whole stays when the work stops, and is gone on with."""

from __future__ import annotations

import select
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from heap_dumps import sample

from parsers.formats.hprof.agent_binary.report import BinaryReport
from parsers.formats.hprof.dump.index.build import DumpBuild
from parsers.formats.hprof.dump.index.heap_engine import KernelSteps, PlainSteps
from parsers.heapdump.graph.columns import OBJECT_ARRAY, PRIMITIVE_ARRAY
from parsers.index.build import FileBuild
from parsers.index.client import IndexClient
from parsers.index.leftover import clear_all
from parsers.index.store import BUILDING, LOCK, Header, IndexReader, begun, finished
from parsers.io.cache import Cache
from parsers.io.group import SourceGroup
from parsers.io.open_source import open_source

FORMAT = "hprof-binary"
STAGES = ("objects", "references", "paths", "strings", "dominators")
NAME = "agent-quit-all.hprof"


class Stopped(Exception):
    """As if the process had ended."""


class Work:
    """A dump in a folder of its own, indexed in this process."""

    def __init__(self, folder: Path) -> None:
        path = folder / "dump.hprof"
        if not path.exists():
            path.write_bytes(sample(NAME))
        self.cache = Cache(str(folder / "cache"))
        self.source = SourceGroup([open_source(str(path), self.cache)])
        self.folder = self.cache.index_folder(self.source.identity, FORMAT)

    def build(self, stop_behind: str = "", states: list[str] | None = None) -> Header:
        """Builds the index, to the end or until a stage is complete. states: receives the reported states"""
        whole: list[str] = []

        def report_progress(news: Mapping[str, Any]) -> None:
            if states is not None:
                states.append(news["says"] if news["state"] == "waiting" else news["state"])
            whole[:] = news.get("whole", ())
            if stop_behind in whole:
                build.abandon()
                raise Stopped

        build = DumpBuild(self.source, self.folder, FORMAT, report_progress)
        return build.run()

    def stop_behind(self, stage: str) -> None:
        """Builds the index until a stage is complete. Threads at another stage notice it at their next write."""
        with pytest.raises((Stopped, ValueError, KeyError)):
            self.build(stage)

    def begun(self) -> Header:
        """Returns the header of the complete stages."""
        header = begun(self.folder, self.source.identity)
        assert header is not None
        return header

    def report(self) -> BinaryReport:
        """Opens the report again, with the complete stages."""
        report = BinaryReport(self.source.sources, self.cache)
        reader = IndexReader(str(Path(self.folder, BUILDING)))
        reader.take_stages(reader.folder, self.begun())
        report.take_index(reader)
        return report

    def bytes_of(self, header: Header) -> dict[str, bytes]:
        """All arrays of a finished index."""
        names = [name for name, array in header.arrays.items() if array.length]
        return {name: Path(self.folder, "ready", name).read_bytes() for name in names}


@pytest.fixture
def work(tmp_path: Path) -> Work:
    return Work(tmp_path)


@pytest.fixture(scope="module")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Work]:
    """Gives a dump whose index was stopped behind a stage, for tests that only read it."""

    @cache
    def make(stage: str) -> Work:
        work = Work(tmp_path_factory.mktemp(stage))
        work.stop_behind(stage)
        return work

    return make


@pytest.fixture(params=["plain", "kernels"])
def either(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Work:
    """By plain code and by kernels."""
    if request.param == "kernels":
        monkeypatch.setattr(FileBuild, "small", 0)
    return Work(tmp_path)


def test_a_continued_build_equals_an_uninterrupted_one(either: Work, tmp_path: Path) -> None:
    expected = either.build()
    for stage in ("objects", "references", "paths", "strings"):
        (tmp_path / stage).mkdir()
        work = Work(tmp_path / stage)
        work.stop_behind(stage)
        header = work.build()
        assert work.bytes_of(header) == either.bytes_of(expected), stage
        assert header.totals == expected.totals
        assert set(header.stages) == set(STAGES)
        assert finished(work.folder, work.source.identity) == header


@pytest.mark.parametrize(
    ("stage", "steps"),
    [("references", ("references", "transpose")), ("strings", ("references", "transpose", "strings"))],
)
def test_stages_that_are_whole_are_not_made_again(
    either: Work, stage: str, steps: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    either.stop_behind(stage)

    def never(*arguments: Any) -> Any:
        raise AssertionError("is made again")

    for step in steps:
        for each in (PlainSteps, KernelSteps):
            monkeypatch.setattr(each, step, never)
    assert either.build().totals["references"] > 0


def test_only_whole_stages_stay_when_the_work_is_stopped(work: Work) -> None:
    work.stop_behind("references")
    header = work.begun()
    assert {"objects", "references"} <= set(header.stages) <= {"objects", "references", "dominators"}
    with_entries = {name for name, array in header.arrays.items() if array.length}
    assert {path.name for path in Path(work.folder, BUILDING).iterdir()} == {*with_entries, "header"}
    assert "object_step" not in header.arrays


def test_cleaning_the_cache_spares_whole_stages_and_nothing_else(work: Work) -> None:
    work.stop_behind("objects")
    left = Path(work.folder, BUILDING, "of_a_process_that_was_killed")
    left.touch()
    Path(work.folder, LOCK).touch(0o600)
    clear_all(work.cache.folder)
    assert not left.exists()
    assert work.begun().stages == ("objects",)


def test_stages_with_a_damaged_array_are_made_again(work: Work) -> None:
    work.stop_behind("references")
    Path(work.folder, BUILDING, "object_kind").write_bytes(b"")
    assert begun(work.folder, work.source.identity) is None
    assert work.build().totals["objects"] > 0


def test_a_failed_build_is_not_continued(work: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*arguments: Any) -> Any:
        raise OSError(28, "no space left on device")

    monkeypatch.setattr(PlainSteps, "strings", full)
    with pytest.raises(OSError, match="no space"):
        work.build()
    assert not Path(work.folder, BUILDING).exists()


READY = {
    "objects": {"Classes", "Roots"},
    "references": {"Classes", "Roots", "Objects", "Referrers"},
    "paths": {"Classes", "Roots", "Objects", "Referrers", "Unreachable"},
    "strings": {"Classes", "Roots", "Objects", "Referrers", "Strings", "Unreachable"},
}


@pytest.mark.parametrize("stage", READY)
def test_views_are_ready_when_their_stage_is_whole(stopped: Callable[[str], Work], stage: str) -> None:
    work = stopped(stage)
    report = work.report()
    names = ("Classes", "Roots", "Objects", "Referrers", "Unreachable", "Strings")
    assert {name for name in names if report.view(name).is_ready} == READY[stage]
    # These are computed in parallel.
    assert report.view("Dominators").is_ready == report.recording.has_stage("dominators")
    assert not report.is_complete


@pytest.mark.parametrize("name", ["Strings", "Unreachable"])
def test_texts_and_garbage_are_shown_without_dominators(stopped: Callable[[str], Work], name: str) -> None:
    work = stopped("strings")
    view: Any = work.report().view(name)
    tops = list(view.tree.roots())[:20]
    rows = [*tops, *(child for top in tops for child in list(view.tree.children(top))[:3])]
    assert len(rows) > len(tops)
    assert all(view.row(node).label or view.remark(view.row(node)) for node in rows)
    assert all(view.sections(node) for node in rows)


def classes(report: BinaryReport) -> dict[str, Any]:
    """The rows of classes, by their names."""
    view = report.view("Classes")
    rows = [view.row(node) for package in view.tree.roots() for node in view.tree.children(package)]
    return {row.label: row for row in rows}


def test_classes_show_more_with_each_stage(work: Work) -> None:
    work.stop_behind("objects")
    report = work.report()
    before = classes(report)
    view: Any = report.view("Classes")
    assert "garbage" not in before["java.lang.String"].badges
    (string,) = view.resolve_all("class:java.lang.String")
    child = view.row(view.tree.children(string)[0])
    assert {"bytes", "object"} <= child.badges.keys()
    assert not {"referrers", "retained"} & child.badges.keys()

    work.stop_behind("paths")
    reader = IndexReader(str(Path(work.folder, BUILDING)))
    reader.take_stages(reader.folder, work.begun())
    report.take_index(reader)
    assert view.resolve_all("class:java.lang.String") == [string]
    after = classes(report)
    assert after["java.lang.String"].badges["objects"] == before["java.lang.String"].badges["objects"]
    assert after["java.lang.String"].badges["garbage"] > 0
    assert "referrers" in view.row(view.tree.children(string)[0]).badges


@pytest.mark.parametrize(
    ("name", "choices"), [("Classes", {}), ("Classes", {"group": "by loader"}), ("Roots", {}), ("Threads", {})]
)
def test_rows_and_their_details_are_shown_before_references_are_known(
    stopped: Callable[[str], Work], name: str, choices: dict[str, str]
) -> None:
    work = stopped("objects")
    view: Any = work.report().view(name)
    for switch, choice in choices.items():
        view.choose(switch, choice)
    tops = list(view.tree.roots())
    below = [child for top in tops for child in list(view.tree.children(top))[:5]]
    leaves = [leaf for node in below for leaf in list(view.tree.children(node))[:3]]
    assert all(view.row(node).label or view.remark(view.row(node)) for node in (*tops, *below, *leaves))
    assert all(view.sections(node) for node in (*tops, *below, *leaves))
    assert all(view.links(node) is not None for node in (*tops, *below, *leaves))


def test_the_paths_to_a_class_are_not_computed_before_all_references_are_known(work: Work) -> None:
    work.stop_behind("objects")
    view: Any = work.report().view("Classes")
    (string,) = view.resolve_all("class:java.lang.String")
    assert not view.why(string).nodes
    assert not view.why(view.tree.roots()[0]).nodes

    work.stop_behind("paths")
    view = work.report().view("Classes")
    assert len(view.why(string).nodes) == 1


def test_arrays_are_put_in_order_by_elements_and_not_by_bytes(stopped: Callable[[str], Work]) -> None:
    work = stopped("objects")
    graph: Any = work.report().view("Classes").objects.graph  # type: ignore[attr-defined]
    elements = graph.column("elements", range(graph.objects))
    for object in range(0, graph.objects, 97):
        if graph.kind(object) in (OBJECT_ARRAY, PRIMITIVE_ARRAY):
            # As many as fit: sizes are multiples of eight bytes.
            assert 0 <= elements[object] - graph.elements(object) < 8
        else:
            assert elements[object] == 0


def test_totals_grow_with_the_stages(work: Work) -> None:
    work.stop_behind("objects")
    totals = work.begun().totals
    assert {"objects", "roots", "shallow_bytes"} <= totals.keys()
    assert not {"references", "reachable_objects"} & totals.keys()
    whole = work.build().totals
    assert {name: whole[name] for name in totals} == totals


def test_the_header_of_stages_is_no_finished_index(stopped: Callable[[str], Work]) -> None:
    work = stopped("paths")
    header = work.begun()
    assert not header.is_finished
    assert finished(work.folder, work.source.identity) is None
    assert header.identity == asdict(work.source.identity)


def follow_until(client: IndexClient, *states: str) -> str:
    """Follows until the index is in one of these states; which."""
    while client.follow().state not in states:
        descriptor = client.fileno()
        if descriptor is not None:
            news = select.poll()
            news.register(descriptor, select.POLLIN | select.POLLHUP)
            news.poll()
    return client.progress.state


def test_a_build_of_a_stopped_child_is_continued(work: Work) -> None:
    client = IndexClient(work.source, work.cache, FORMAT)
    client.start()
    client.pause()
    assert follow_until(client, "stopped", "ready", "failed") == "stopped"
    client.resume()
    assert follow_until(client, "stopped", "ready", "failed") == "ready"
    assert client.reader is not None
    assert set(client.reader.stages) == set(STAGES)
    client.stop()


def test_a_build_of_a_killed_child_is_continued(work: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    client = IndexClient(work.source, work.cache, FORMAT)

    class Killed(subprocess.Popen[bytes]):
        """A process that ends before it has done anything."""

        def __init__(self, *words: Any, **given: Any) -> None:
            super().__init__(*words, **given)
            self.kill()

    with monkeypatch.context() as patch:
        patch.setattr(subprocess, "Popen", Killed)
        client.start()
    assert follow_until(client, "stopped", "ready", "failed") == "failed"
    assert client.progress.says == "the indexer was ended by signal 9"
    client.resume()
    assert follow_until(client, "stopped", "ready", "failed") == "ready"
    client.stop()


def test_an_opening_begins_with_the_complete_stages(work: Work) -> None:
    work.stop_behind("references")
    client = IndexClient(work.source, work.cache, FORMAT)
    client.start()
    assert client.reader is not None
    assert {"objects", "references"} <= set(client.reader.stages)
    assert client.reader.facts["id_size"] == 4
    client.stop()
