"""The rows of an index answer as the rows in memory do, however their columns are packed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from parsers.formats.graalvm.objects.index.plain import object_tree
from parsers.formats.graalvm.text.build import TextTreeBuild
from parsers.formats.graalvm.text.columns import COLUMNS
from parsers.formats.graalvm.text.indexed_tree import IndexedTree
from parsers.formats.graalvm.text.read.build import TextBuild
from parsers.formats.graalvm.text.read.kernel import OBJECT
from parsers.formats.graalvm.text.read.plain_index import PlainIndex
from parsers.formats.graalvm.text_format import FORMATS
from parsers.index.store import IndexReader, open_index
from parsers.index.writer import Writer
from parsers.io.cache import Cache
from parsers.io.charset import CHARSETS
from parsers.io.open_source import open_source
from parsers.io.source import Identity
from parsers.runtime.opening import open_report

FORMAT = "graalvm-object-tree"
MANY = 70_000
"""Rows below one root: more than sixteen bits count."""


def indexed(path: Path, folder: Path) -> IndexedTree:
    """The rows of a report as its index has them."""
    cache = Cache(str(folder))
    source = open_source(str(path), cache)
    index_folder = cache.index_folder(source.identity, FORMAT)
    TextTreeBuild(source, index_folder, FORMAT, lambda news: None).run()
    reader = open_index(index_folder, source.identity)
    assert isinstance(reader, IndexReader)
    return IndexedTree(reader)


def report(path: Path, rows: list[str]) -> bytes:
    """Writes an object tree of some rows, each with its depth as blanks before it."""
    lines = ["Heap roots"]
    for row in rows:
        body = row.lstrip(" ")
        lines.append("│   " * (len(row) - len(body)) + "├── " + body)
    data = ("\n".join(lines) + "\n\n").encode()
    path.write_bytes(data)
    return data


def test_large_subtrees_end_where_they_do(tmp_path: Path, cache_folder: Path) -> None:
    path = tmp_path / "object_tree_a_20240101_000000.txt"
    rows = ["root a.B.c:d.E value:", " d.E id=0 toString=x fields:"]
    rows += ["  f:g.H value=null"] * MANY
    rows += ["root a.B.i:d.E value:", " d.E id-ref=0 toString=x"]
    plain = object_tree(report(path, rows))
    tree = indexed(path, cache_folder)
    ends = [plain.end(row) for row in range(plain.rows)]
    assert [tree.end(row) for row in range(tree.rows)] == ends
    assert tree.ends(0, tree.rows).tolist() == ends
    assert tree.ends(1, 3).tolist() == ends[1:3]
    assert tree.ends(3, tree.rows + 9).tolist() == ends[3:]
    assert tree.ends_of(np.array([MANY + 2, 0, 5])).tolist() == [ends[MANY + 2], ends[0], ends[5]]


@pytest.mark.parametrize("reads_plainly", [True, False])
def test_open_subtrees_extend_to_the_last_known_row(tmp_path: Path, reads_plainly: bool) -> None:
    path = tmp_path / "object_tree_a_20240101_000000.txt"
    rows = []
    for root in range(40):
        rows += ["root a.B.c:d.E value:", f" d.E id={root} toString=x fields:", *["  f:g.H value=null"] * (root * 20)]
    plain = object_tree(report(path, rows))
    reader = IndexReader(str(tmp_path))
    tree = IndexedTree(reader)
    seen: list[int] = []

    def look(done: int, known: int, lengths: dict[str, int]) -> None:
        reader.advance(known, lengths, COLUMNS, writer.path)
        ends = [min(plain.end(row), known) for row in range(known)]
        assert [tree.end(row) for row in range(known)] == ends
        assert tree.ends(0, known).tolist() == tree.ends_of(np.arange(known)).tolist() == ends
        seen.append(known)

    writer = Writer(str(tmp_path), FORMAT, Identity(0, 0, 0, 0, ""))
    if reads_plainly:
        index = PlainIndex(writer, FORMATS[FORMAT].empty_tree(CHARSETS[0].encoding))
        for piece in pieces(path.read_bytes(), 45_000):
            index.feed(piece)
            look(0, index.tree.rows, index.lengths)
    else:
        with path.open("rb") as file:
            build = TextBuild(writer, file.fileno(), path.stat().st_size, CHARSETS[0], OBJECT, 45_000)
            build.read(look)
    assert len(seen) > 10
    writer.abandon()


def pieces(data: bytes, size: int) -> list[bytes]:
    return [data[start : start + size] for start in range(0, len(data), size)]


def test_the_objects_of_an_index_are_a_sequence_like_any_other(tmp_path: Path, cache_folder: Path) -> None:
    path = tmp_path / "object_tree_a_20240101_000000.txt"
    rows = ["root a.B.c:d.E value:", " d.E id=0 toString=x fields:", *["  f:g.H value=null"] * 3000]
    report(path, [*rows, "root a.B.i:d.E value:", " d.E id=1 toString=y (no fields)"])
    opened = open_report([str(path)], cache=Cache(str(cache_folder)))
    opened.wait()
    roots = opened.view("referrers").tree.roots()
    assert (list(roots), roots.index(1), roots[-1]) == ([0, 1], 1, 1)


def assert_same_ids(path: Path, rows: list[str], cache_folder: Path) -> IndexedTree:
    plain = object_tree(report(path, rows))
    tree = indexed(path, cache_folder)
    ids = [plain.vertex_id(vertex) for vertex in range(plain.vertices)]
    assert [tree.vertex_id(vertex) for vertex in range(tree.vertices)] == ids
    assert [None if id in (-1, 0xFFFFFFFF) else id for id in tree.ids().tolist()] == ids
    asked = range(-1, 20)
    assert [tree.vertex_of_id(id) for id in asked] == [plain.vertex_of_id(id) for id in asked]
    return tree


def test_ids_one_by_one_need_no_table(tmp_path: Path, cache_folder: Path) -> None:
    rows = ["root a.B.c:d.E value:"]
    for id in range(9):
        rows.append(f" d.E id={id} toString=x (no fields)")
        if id in (0, 4):
            rows.append(f" n.{id} toString=y (expansion suppressed)")
    tree = assert_same_ids(tmp_path / "object_tree_a_20240101_000000.txt", rows, cache_folder)
    assert tree.array("idless").tolist() == [1, 6]


def test_other_ids_have_a_table(tmp_path: Path, cache_folder: Path) -> None:
    rows = ["root a.B.c:d.E value:"] + [f" d.E id={id} toString=x (no fields)" for id in (3, 1, 7, 5)]
    assert_same_ids(tmp_path / "object_tree_a_20240101_000000.txt", rows, cache_folder)
