"""The life of a text report: the head at once, the index as it grows, everything at the end."""

from __future__ import annotations

import gzip
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from parsers.formats.graalvm.calls.index.plain import call_tree
from parsers.formats.graalvm.calls.tree_report import CallTreeReport
from parsers.formats.graalvm.text.indexed_tree import IndexedTree
from parsers.formats.graalvm.text.read.plain_tree import PlainTree
from parsers.io.cache import Cache
from parsers.io.source import HEAD
from parsers.model.report import Progress, ReportError
from parsers.model.view import UnknownReference
from parsers.runtime.opening import open_report

BLOCK = (
    "├── entry demo.Class{0}.main(java.lang.String[]):void id={1}\n"
    "│   ├── directly calls demo.Class{0}.step():void id={2} @bci=1\n"
    "│   └── directly calls demo.Last.last():void id-ref=999999 @bci=2\n"
)
LAST = "└── entry demo.Last.last():void id=999999\n\n"


def large(blocks: int = 1000) -> bytes:
    """A call tree of more than a head."""
    text = "".join(BLOCK.format(number, 2 * number, 2 * number + 1) for number in range(blocks))
    return f"VM Entry Points\n{text}{LAST}".encode()


class GrowingTree:
    """An index by the plain parsers that knows a little more of the file after each step."""

    def __init__(self, data: bytes, steps: int, fails: bool) -> None:
        self.data, self.steps, self.fails = data, steps, fails
        self.step = 0
        self.tree = self._read()

    def advance(self) -> None:
        """One step on."""
        self.step = min(self.step + 1, self.steps - self.fails)
        self.tree = self._read()

    def _read(self) -> PlainTree:
        stop = len(self.data) * self.step // self.steps
        return call_tree(self.data[:stop], self.step == self.steps)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.tree, name)


class GrowingOrIndexed(IndexedTree):
    """Takes a growing tree as it is."""

    def __new__(cls, reader: Any) -> Any:
        return reader if isinstance(reader, GrowingTree) else IndexedTree(reader)


@pytest.fixture
def growing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., CallTreeReport]:
    """A function that opens a file whose index grows a step each time it is followed."""

    def open_bytes(data: bytes, steps: int = 4, fails: bool = False) -> CallTreeReport:
        class Client:
            def __init__(self, source: object, cache: object, format_name: str, steps_back: bool) -> None:
                self.reader: GrowingTree | None = None
                self._tree = GrowingTree(data, steps, fails)

            def start(self) -> None: ...

            def stop(self) -> None: ...

            def fileno(self) -> None:
                return None

            @property
            def progress(self) -> Progress:
                tree = self._tree
                state = "ready" if tree.is_complete else "indexing"
                if fails and tree.step == steps - 1:
                    return Progress(0, len(data), 0, 1.0, "failed", "killed by signal 9")
                return Progress(len(data) * tree.step // steps, len(data), tree.rows, 1.0, state)  # type: ignore[arg-type]

            def follow(self) -> Progress:
                self._tree.advance()
                self.reader = self._tree
                return self.progress

        monkeypatch.setitem(sys.modules, "parsers.index.client", SimpleNamespace(IndexClient=Client))  # type: ignore[arg-type]
        monkeypatch.setitem(
            sys.modules,
            "parsers.formats.graalvm.text.indexed_tree",
            SimpleNamespace(IndexedTree=GrowingOrIndexed),  # type: ignore[arg-type]
        )
        path = tmp_path / "call_tree_demo_20240102_030405.txt"
        path.write_bytes(data)
        report = open_report([str(path)], cache=Cache(str(tmp_path / "cache")))
        assert isinstance(report, CallTreeReport)
        return report

    return open_bytes


def test_a_file_that_is_all_head_needs_no_index(growing: Callable[..., CallTreeReport]) -> None:
    report = growing(large(10))

    report.start_index()

    assert report.is_complete
    assert report.progress.state == "ready"
    assert report.fileno() is None
    assert not report.follow()
    assert report.totals["rows"] == 31
    assert report.index_folder is None


def test_a_file_of_exactly_a_head_is_all_head_and_one_byte_more_is_not(
    growing: Callable[..., CallTreeReport],
) -> None:
    data = large(10)
    filler = b"x" * (HEAD - len(data) - 1) + b"\n"

    assert growing(data[:16] + filler + data[16:]).is_small
    assert not growing(data[:16] + b"x" + filler + data[16:]).is_small


def test_with_a_finished_index_the_head_is_not_parsed(
    growing: Callable[..., CallTreeReport], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(CallTreeReport, "plain_tree", lambda report, head: pytest.fail("parses the head"))
    report = growing(large(), steps=1)

    report.wait()

    assert report.totals["rows"] == 3001
    assert report.views[0].tree.row(3000).label == "demo.Last.last():void"


def test_the_head_is_shown_before_there_is_an_index(growing: Callable[..., CallTreeReport]) -> None:
    report = growing(large())
    document = report.views[0]

    first = document.tree.row(0)

    assert (first.label, first.rows_below, first.is_growing) == ("demo.Class0.main(java.lang.String[]):void", 2, False)
    assert not report.is_complete
    assert report.progress.state == "waiting"
    assert (document.row_count, document.root_count) == (None, None)
    assert report.totals == {}
    assert report.names == ()
    assert [view.is_ready for view in report.views] == [True, *[False] * 7]


def test_views_that_need_the_whole_file_are_empty_before(growing: Callable[..., CallTreeReport]) -> None:
    report = growing(large())
    key = report.views[0].key(0)
    assert key is not None

    for view in report.views[1:]:
        assert list(view.tree.roots()) == []
        assert (view.row_count, view.root_count, view.find_key(key)) == (None, None, None)
        with pytest.raises(UnknownReference, match="when the index is finished"):
            view.resolve("line:2")

    report.wait()
    assert [len(view.tree.roots()) > 0 for view in report.views[:3]] == [True] * 3


def test_unknown_numbers_are_not_shown(growing: Callable[..., CallTreeReport]) -> None:
    report = growing(large())
    document = report.views[0]

    reference = document.tree.row(2)

    # Its declaration is the last row of the file: the link has a target, and no flag marks it as dangling.
    assert (reference.link, reference.flags) == ("id:999999", ())
    assert report.format_version is None
    called = next(section for section in document.sections(1) if section.title.startswith("Called from"))
    assert (called.title, called.rows[0].text) == ("Called from (…)", "known when the index is finished")


def test_a_subtree_that_is_still_open_may_grow(growing: Callable[..., CallTreeReport]) -> None:
    data = (
        b"VM Entry Points\n"
        + (
            "└── entry a.A.a():void id=0\n" + "    ├── directly calls a.A.b():void id-ref=0 @bci=1\n" * 2000 + "\n"
        ).encode()
    )
    report = growing(data)
    document = report.views[0]

    before = document.tree.row(0)
    report.wait()
    after = document.tree.row(0)

    assert before.is_growing
    assert before.rows_below is not None
    assert 0 < before.rows_below < 2000
    assert (after.rows_below, after.is_growing) == (2000, False)


def test_rows_keep_their_numbers_when_the_index_takes_over(growing: Callable[..., CallTreeReport]) -> None:
    report = growing(large())
    document = report.views[0]
    preorder = document.tree.preorder
    assert preorder is not None
    shown = [document.tree.row(node) for node in range(0, 100, 7)]
    known = [preorder.rows]

    report.start_index()
    while not report.is_complete:
        assert report.follow()
        known.append(preorder.rows)

    assert known == sorted(known)
    assert known[-1] == 3001
    assert document.row_count == 3001
    for row in shown:
        later = document.tree.row(row.node)
        assert (later.label, later.ref, later.offset, later.depth) == (row.label, row.ref, row.offset, row.depth)
    assert document.tree.row(2).link == "line:3002"


def test_waiting_ends_with_the_finished_index_and_reports_progress(
    growing: Callable[..., CallTreeReport],
) -> None:
    report = growing(large())
    heard: list[Progress] = []

    report.wait(heard.append)

    assert report.is_complete
    assert heard[-1].state == "ready"
    assert [progress.rows for progress in heard] == sorted(progress.rows for progress in heard)
    assert report.totals["entries"] == 1001


def test_a_failed_index_is_an_error_of_one_line(growing: Callable[..., CallTreeReport]) -> None:
    report = growing(large(), fails=True)

    with pytest.raises(ReportError) as error:
        report.wait()

    assert "can't be indexed: killed by signal 9" in str(error.value)
    assert "\n" not in str(error.value)


def test_a_finished_index_that_was_there_already_is_used_at_once(growing: Callable[..., CallTreeReport]) -> None:
    report = growing(large(), steps=1)

    report.start_index()

    assert report.is_complete
    assert report.tree.rows == 3001


def test_neighbouring_rows_are_read_at_once(growing: Callable[..., CallTreeReport]) -> None:
    report = growing(large(), steps=1)
    report.start_index()
    reads: list[tuple[int, int]] = []
    pread = report.source.pread
    report.source.pread = lambda count, offset: reads.append((count, offset)) or pread(count, offset)  # type: ignore

    for node in range(2600, 2640):
        report.views[0].tree.row(node)

    assert len(reads) <= 2


def test_a_row_without_end_is_read_up_to_a_bound(growing: Callable[..., CallTreeReport]) -> None:
    data = b"VM Entry Points\n" + "└── ".encode() + b"x" * 3_000_000 + b"\n\n"
    report = growing(data, steps=1)
    report.wait()

    row = report.views[0].tree.row(0)

    assert (row.kind, row.flags) == ("unknown", ("unknown", "truncated"))
    assert len(row.label) < 1_100_000
    assert not report._parsed


@pytest.mark.parametrize(
    ("name", "facts"),
    [
        ("call_tree_h2shell_20261121_024827.txt", {"image": "h2shell", "written": "2026-11-21 02:48:27"}),
        ("call_tree_a_b_c_20261121_024827.txt", {"image": "a_b_c", "written": "2026-11-21 02:48:27"}),
        ("call_tree_20261121_024827.txt", {}),
        ("call_tree.txt", {}),
        ("other_x_20261121_024827.txt", {}),
    ],
)
def test_image_and_time_are_in_the_name(tmp_path: Path, name: str, facts: dict[str, str]) -> None:
    path = tmp_path / name
    path.write_bytes(large(2))
    report = open_report([str(path)], cache=Cache(str(tmp_path / "cache")))

    assert {key: report.facts[key] for key in ("image", "written") if key in report.facts} == facts


def test_a_small_packed_file_is_whole_at_once(tmp_path: Path) -> None:
    path = tmp_path / "call_tree_demo_20240102_030405.txt.gz"
    path.write_bytes(gzip.compress(large(10)))
    report = open_report([str(path)], cache=Cache(str(tmp_path / "cache")))

    assert report.is_complete
    assert report.totals["rows"] == 31
    assert report.title == "call_tree_demo_20240102_030405.txt"


def test_a_packed_file_that_ends_early_is_a_problem_and_shown_up_to_there(tmp_path: Path) -> None:
    packed = gzip.compress(large(100))
    path = tmp_path / "call_tree_demo_20240102_030405.txt.gz"
    path.write_bytes(packed[: len(packed) // 2])
    report = open_report([str(path)], cache=Cache(str(tmp_path / "cache")))

    assert report.totals["rows"] > 10
    assert report.problems[0].kind == "cut"
    assert report.problem_count == len(report.problems)
    assert all(problem.file == str(path) for problem in report.problems)


def test_a_view_is_found_by_its_name_in_any_case(growing: Callable[..., CallTreeReport]) -> None:
    report = growing(large(10))

    assert report.view("cALL tREE") is report.views[0]
    assert [view.name for view in report.views] == [
        "Call tree",
        "Callers",
        "Entry points",
        "Packages",
        "Dominators",
        "Cut",
        "Between",
        "Entered from",
    ]
    assert len(report.views) == 8
    with pytest.raises(KeyError):
        report.view("Heap roots")


def test_a_ref_is_located_in_the_first_view_that_knows_it(growing: Callable[..., CallTreeReport]) -> None:
    report = growing(large(10))

    assert report.locate("id:3")[0].name == "Call tree"
    assert report.locate("class:demo.Last")[0].name == "Packages"
    assert report.locate("id:3", "callers")[0].name == "Callers"
    with pytest.raises(UnknownReference, match="no row declares id 4,000"):
        report.locate("id:4000")
    with pytest.raises(UnknownReference, match="packages are known when the index is finished"):
        growing(large()).view("Packages").resolve("package:demo")
