"""An index that differs from its header is rebuilt silently."""

from __future__ import annotations

import errno
import fcntl
import gzip
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from itertools import groupby
from pathlib import Path

import pytest

from parsers.formats import registry
from parsers.formats.graalvm.calls.index.plain import call_tree
from parsers.formats.graalvm.text import build as build_module
from parsers.formats.graalvm.text.indexed_tree import IndexedTree
from parsers.formats.graalvm.text.read.plain_tree import PlainTree
from parsers.index import store
from parsers.index.build import COMPILER_LOADS, SMALL, FileBuild
from parsers.index.client import IndexClient
from parsers.index.store import BUILDING, READY, IndexReader, finished_rows, open_index
from parsers.index.writer import Writer
from parsers.io import cache as cache_module
from parsers.io.cache import Cache, create_private
from parsers.io.identity import Identity
from parsers.io.open_source import open_source
from parsers.io.source import Source

FORMAT = "graalvm-call-tree"
REPORT = "real_23.0_failed_analysis"


@pytest.fixture
def cache(cache_folder: Path) -> Cache:
    return Cache(str(cache_folder))


@pytest.fixture
def report(corpus: Path, tmp_path: Path) -> Path:
    """A small real report that may be changed."""
    (original,) = (corpus / REPORT / "reports").glob("call_tree*")
    return Path(shutil.copy(original, tmp_path))


def index(source: Source, cache: Cache) -> IndexReader:
    """The index of a report, waited for."""
    client = IndexClient(source, cache, FORMAT)
    client.start()
    deadline = time.monotonic() + 60
    while client.follow().state not in ("ready", "failed") and time.monotonic() < deadline:
        time.sleep(0.01)
    assert client.progress.state == "ready", client.progress
    assert client.reader is not None
    client.stop()
    return client.reader


def folder_of(source: Source, cache: Cache) -> Path:
    return Path(cache.index_folder(source.identity, FORMAT)) / READY


def test_an_index_is_found_again(report: Path, cache: Cache) -> None:
    source = open_source(str(report), cache)
    built = index(source, cache)
    client = IndexClient(source, cache, FORMAT)
    client.start()
    assert client.fileno() is None
    assert client.progress.state == "ready"
    assert client.reader is not None
    assert client.reader.totals == built.totals == call_tree(report.read_bytes()).summary.totals
    assert finished_rows(cache.index_folder(source.identity, FORMAT), source.identity) == 257


def test_an_array_is_found_though_the_builder_has_just_finished(report: Path, cache: Cache) -> None:
    built = index(open_source(str(report), cache), cache)
    growing = IndexReader(str(Path(built.folder).with_name(BUILDING)))
    growing.advance(built.rows, {"kind": built.rows}, {"kind": built.type("kind")}, growing.folder)
    assert bytes(growing.view("kind")) == bytes(built.view("kind"))


@pytest.mark.parametrize("is_new", [True, False])
def test_an_open_index_survives_its_removal(is_new: bool, report: Path, cache: Cache) -> None:
    source = open_source(str(report), cache)
    reader = index(source, cache)
    if not is_new:
        reader = index(source, cache)
    shutil.rmtree(reader.folder)
    assert reader.header is not None
    assert all(len(reader.view(name)) == array.length for name, array in reader.header.arrays.items())


def test_the_index_of_a_changed_file_is_not_taken(report: Path, cache: Cache) -> None:
    source = open_source(str(report), cache)
    folder = cache.index_folder(source.identity, FORMAT)
    index(source, cache)
    os.utime(report, ns=(1, 1))
    changed = open_source(str(report), cache)
    assert open_index(folder, changed.identity) is None
    assert open_index(cache.index_folder(changed.identity, FORMAT), changed.identity) is None


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


def lengthen(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b"\0")


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def open_to_others(path: Path) -> None:
    path.chmod(0o666)


def replace_by_link(path: Path) -> None:
    path.rename(path.with_name("elsewhere"))
    path.symlink_to("elsewhere")


@pytest.mark.parametrize("damage", [cut, lengthen, flip, Path.unlink, open_to_others, replace_by_link])
@pytest.mark.parametrize("name", ["header", "below", "name_bytes"])
def test_a_damaged_index_is_built_again(damage: Callable[[Path], None], name: str, report: Path, cache: Cache) -> None:
    source = open_source(str(report), cache)
    index(source, cache)
    damage(folder_of(source, cache) / name)
    assert open_index(cache.index_folder(source.identity, FORMAT), source.identity) is None
    assert index(source, cache).totals == call_tree(report.read_bytes()).summary.totals
    assert open_index(cache.index_folder(source.identity, FORMAT), source.identity) is not None


def test_any_header_is_survived(report: Path, cache: Cache) -> None:
    source = open_source(str(report), cache)
    index(source, cache)
    header = folder_of(source, cache) / "header"
    for text in (b"", b"\n", b"{}", b"x\n{}", b"[" * 100_000, os.urandom(300)):
        header.write_bytes(text)
        assert open_index(cache.index_folder(source.identity, FORMAT), source.identity) is None


def test_remains_of_a_killed_builder_are_removed(report: Path, cache: Cache) -> None:
    source = open_source(str(report), cache)
    leftover = Path(cache.index_folder(source.identity, FORMAT)) / "building" / "end"
    leftover.parent.mkdir()
    leftover.write_bytes(b"x" * 1000)
    assert index(source, cache).rows == 257
    assert not leftover.exists()


def test_two_openings_at_once_build_one_index(report: Path, cache: Cache) -> None:
    source = open_source(str(report), cache)
    clients = [IndexClient(source, cache, FORMAT) for _ in range(3)]
    for client in clients:
        client.start()
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not all(client.follow().state == "ready" for client in clients):
        time.sleep(0.01)
    assert [client.reader.rows for client in clients if client.reader is not None] == [257] * 3


def test_the_indexer_is_a_command(report: Path, cache_folder: Path) -> None:
    command = [sys.executable, "-P", "-m", "parsers.runtime.indexer", "--cache-dir", str(cache_folder)]
    done = subprocess.run([*command, str(report)], capture_output=True, stdin=subprocess.DEVNULL, check=True)
    assert b'"state": "ready"' in done.stdout.splitlines()[-1]
    assert not done.stderr


@pytest.mark.parametrize("path", ["missing.txt", "."])
def test_the_indexer_shows_what_it_cannot_read(path: str, tmp_path: Path, cache_folder: Path) -> None:
    command = [sys.executable, "-P", "-m", "parsers.runtime.indexer", "--cache-dir", str(cache_folder)]
    done = subprocess.run([*command, str(tmp_path / path)], capture_output=True, stdin=subprocess.DEVNULL)
    assert done.returncode == 2
    assert done.stdout.count(b"\n") == 1
    assert b'"failed"' in done.stdout
    assert not done.stderr


def test_the_indexer_ends_with_its_parent(tmp_path: Path, cache_folder: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    command = [sys.executable, "-P", "-m", "parsers.runtime.indexer", "--cache-dir", str(cache_folder), "--with-parent"]
    # A pipe without a writer: without its parent it would wait forever.
    child = subprocess.Popen([*command, str(pipe)], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    assert child.stdin is not None
    child.stdin.close()
    assert child.wait(20) == 1


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return large_report(tmp_path_factory.mktemp("large"))


@pytest.fixture(scope="module")
def whole(large: Path) -> PlainTree:
    """The rows of the large report, by plain code."""
    return call_tree(large.read_bytes())


def large_report(tmp_path: Path) -> Path:
    """A call tree of several megabytes whose outermost subtrees stay open for long."""
    path = tmp_path / "call_tree_large_20240101_000000.txt"
    row = "│   │   ├── directly calls a.B.m{0}(int, java.lang.String):void id-ref={1} @bci={2} \n"
    with path.open("w", encoding="utf-8") as file:
        file.write(
            "VM Entry Points\n├── entry a.B.main():void id=0 \n│   ├── directly calls a.C.x():void id=1 @bci=1 \n"
        )
        for number in range(48_000):
            file.write(row.format(number % 1000, number % 1000, number))
        file.write("└── entry a.D.y():void id=2 \n\n")
    return path


def test_the_indexer_says_when_a_report_is_unpacked_and_being_read(
    large: Path, tmp_path: Path, cache_folder: Path
) -> None:
    packed = tmp_path / f"{large.name}.gz"
    packed.write_bytes(gzip.compress(large.read_bytes(), 1))
    command = [sys.executable, "-P", "-m", "parsers.runtime.indexer", "--cache-dir", str(cache_folder)]
    done = subprocess.run([*command, str(packed)], capture_output=True, stdin=subprocess.DEVNULL, check=True)
    news = [json.loads(line) for line in done.stdout.splitlines()]
    assert [state for state, _ in groupby(each["state"] for each in news)] == ["unpacking", "indexing", "ready"]
    begun = next(each for each in news if each["state"] == "indexing")
    assert (begun["done"], begun["total"]) == (0, large.stat().st_size)


@pytest.mark.parametrize("by_kernels", [False, True], ids=["plain", "kernels"])
def test_an_index_can_be_read_while_it_grows(
    by_kernels: bool, large: Path, whole: PlainTree, cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = open_source(str(large), cache)
    folder = cache.index_folder(source.identity, FORMAT)
    seen: list[int] = []
    reader: list[IndexReader] = []

    def follow(news: dict[str, object]) -> None:
        if not reader:
            reader.append(IndexReader(str(news["folder"])))
        reader[0].advance(news["rows"], news["lengths"], news["types"], news["folder"])  # type: ignore[arg-type]
        tree = IndexedTree(reader[0])
        rows = tree.rows
        seen.append(rows)
        assert not tree.is_complete
        assert tree.end(0) == min(rows, whole.end(0))
        for row in (2, rows // 2, rows - 1):
            assert (tree.depth(row), tree.kind(row), tree.offset(row), tree.line(row), tree.parent(row)) == (
                whole.depth(row),
                whole.kind(row),
                whole.offset(row),
                whole.line(row),
                whole.parent(row),
            )
        assert tree.row_of_line(rows + 1) == rows - 1
        assert tree.row_at(whole.offset(rows - 1) + 1) == rows - 1

    monkeypatch.setattr(FileBuild, "uses_kernels", by_kernels)
    header = build_module.TextTreeBuild(source, folder, FORMAT, follow).run()
    assert len(seen) > 1
    assert seen == sorted(seen)
    assert header.totals == whole.summary.totals
    assert sorted(os.listdir(folder)) == [READY]


def test_a_report_of_four_megabytes_needs_no_compiler(large: Path, cache: Cache) -> None:
    assert 4 * SMALL < large.stat().st_size < COMPILER_LOADS * SMALL
    code = (
        "import sys; from parsers.runtime.indexer import main; main(sys.argv[1:]); "
        "print([name for name in ('numba', 'llvmlite') if name in sys.modules])"
    )
    command = [sys.executable, "-P", "-c", code, "--cache-dir", cache.folder, str(large)]
    done = subprocess.run(command, capture_output=True, check=True)
    assert done.stdout.splitlines()[-1] == b"[]"


def test_published_arrays_can_be_read_after_the_builder_failed(tmp_path: Path) -> None:
    building = tmp_path / "building"
    building.mkdir()
    os.close(create_private(str(building / "end")))
    (building / "end").write_bytes(bytes(range(8)))
    reader = IndexReader(str(building))
    reader.advance(1, {"end": 1}, {"end": "u4"}, str(building))
    (building / "end").unlink()

    assert len(reader.view("end")) == 1
    reader.advance(2, {"end": 2}, {"end": "u4"}, str(building))
    assert (reader.rows, len(reader.view("end"))) == (1, 1)


def test_a_cache_that_cannot_be_written_is_read(report: Path, cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    source = open_source(str(report), cache)
    built = index(source, cache)
    monkeypatch.setattr(cache_module, "_why_not_ours", lambda folder: cache_module.READ_ONLY)
    readable = Cache(cache.folder)
    client = IndexClient(open_source(str(report), readable), readable, FORMAT)
    client.start()
    assert client.reader is not None
    assert (client.fileno(), client.reader.folder, client.reader.rows) == (None, built.folder, built.rows)
    assert not readable.is_kept
    assert readable.complaint == (
        f"cache folder {cache.folder}: can't be written; what it has is used, nothing new is kept"
    )
    readable.close()


def test_an_index_folder_that_cannot_be_made_is_reported(
    report: Path, cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: str) -> str:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)

    source = open_source(str(report), cache)
    monkeypatch.setattr(cache_module, "_make_private", full)
    client = IndexClient(source, cache, FORMAT)
    client.start()
    assert client.progress.state == "failed"
    assert client.progress.says.startswith("no room for the index: ")


@pytest.mark.parametrize("is_held", [True, False])
def test_remains_of_dead_builders_of_any_report_are_removed(is_held: bool, report: Path, cache: Cache) -> None:
    folder = Path(cache.folder, "index", "another-report")
    for name in ("building", "building-again", "ready"):
        (folder / name).mkdir(parents=True)
    lock = create_private(str(folder / "lock"))
    if is_held:
        fcntl.flock(lock, fcntl.LOCK_EX)
    index(open_source(str(report), cache), cache)
    os.close(lock)
    left = ["building", "building-again"] if is_held else []
    assert sorted(os.listdir(folder)) == [*left, "lock", "ready"]


def test_a_folder_that_is_still_written_to_is_put_aside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / BUILDING).mkdir()
    (tmp_path / BUILDING / "thing").touch()
    monkeypatch.setattr("parsers.index.writer.shutil.rmtree", lambda path, ignore_errors: None)
    writer = Writer(str(tmp_path), FORMAT, Identity(0, 0, 0, 0, ""))
    assert os.listdir(writer.path) == []
    assert (tmp_path / f"{BUILDING}-{os.getpid()}" / "thing").exists()


def test_a_child_that_dies_leaves_nothing(report: Path, cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    source = open_source(str(report), cache)
    folder = Path(cache.index_folder(source.identity, FORMAT))
    (folder / "building").mkdir()
    os.close(create_private(str(folder / "lock")))
    monkeypatch.setattr(sys, "executable", "/bin/false")
    client = IndexClient(source, cache, FORMAT)
    client.start()
    deadline = time.monotonic() + 20
    while client.follow().state != "failed" and time.monotonic() < deadline:
        time.sleep(0.01)
    assert client.progress.says == "the indexer ended early"
    assert os.listdir(folder) == ["lock"]


def test_the_index_of_other_code_is_not_taken(report: Path, cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    source = open_source(str(report), cache)
    index(source, cache)
    folder = cache.index_folder(source.identity, FORMAT)
    assert open_index(folder, source.identity) is not None
    monkeypatch.setattr(store, "code_version", lambda format: "other code")
    assert open_index(folder, source.identity) is None


def test_a_format_with_an_index_is_named_after_its_folder() -> None:
    folders = {path.name for path in (Path(store.__file__).parent.parent / store.FORMATS).iterdir() if path.is_dir()}
    assert {format.name.partition("-")[0] for format in registry.FORMATS if format.index is not None} <= folders


@pytest.mark.parametrize("end", [Writer.close, Writer.abandon])
def test_a_file_that_readers_may_have_mapped_never_gets_shorter(
    end: Callable[[Writer], object], tmp_path: Path
) -> None:
    writer = Writer(str(tmp_path), "x", Identity(0, 0, 0, 0, ""))
    writer.grow("known", "u4", 1 << 14)
    writer.drop("known")
    descriptor = os.open(Path(writer.path, "known"), os.O_RDONLY)
    end(writer)
    assert os.fstat(descriptor).st_size == 4 << 14
    os.close(descriptor)
