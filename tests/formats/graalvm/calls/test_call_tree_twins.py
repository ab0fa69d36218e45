"""An index answers as the plain parsers do, of a file with every kind of damage in it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import islice

import numpy as np
import pytest

from parsers.formats.graalvm.calls.tree_report import CallTreeReport
from parsers.formats.graalvm.text.read.plain_tree import PlainTree
from parsers.io.cache import Cache
from parsers.model.trees.tree import walk
from parsers.runtime.opening import open_report


def hostile(rows: int) -> bytes:
    """A call tree of rows in any order: ids twice and nowhere, jumps, strays, torn bytes, reasons, enormous ids."""
    dice = random.Random(3)
    lines = [b"VM Entry Points"]
    for number in range(rows):
        prefix = ("│   " * dice.randrange(9) + "├── ").encode()
        method = f"a.B{number % 50}.m{number % 300}():void"
        id = dice.randrange(rows // 8)
        noise = bytes(dice.randrange(256) for _ in range(20)).replace(b"\n", b"")
        lines.append(
            dice.choice(
                [
                    prefix + f"directly calls {method} id-ref={id} @bci={number} ".encode(),
                    prefix + f"directly calls {method} id={id} @bci=-{number}->3 ".encode(),
                    prefix + f"is overridden by app:{method} id={id} ".encode(),
                    prefix + f"virtually calls {method} @bci={number}".encode(),
                    prefix + noise,
                    f"├── entry null:{method} id={dice.randrange(10**17)}, parsing reason:  at x\nat y".encode(),
                    f"├── entry {method} id={id} ".encode(),
                    b"stray",
                    b"",
                ]
            )
        )
    return b"\n".join([*lines, b"", b""])


@pytest.fixture(scope="module")
def twins(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[CallTreeReport, CallTreeReport]]:
    """One file, read through an index and by the plain parsers alone."""
    folder = tmp_path_factory.mktemp("twins")
    path = folder / "call_tree_demo_20240102_030405.txt"
    path.write_bytes(hostile(4000))
    indexed = open_report([str(path)], cache=Cache(str(folder / "indexed")))
    indexed.wait()
    patch = pytest.MonkeyPatch()
    patch.setattr("parsers.io.source.HEAD", 1 << 30)
    plain = open_report([str(path)], cache=Cache(str(folder / "plain")))
    patch.undo()
    assert isinstance(indexed, CallTreeReport)
    assert isinstance(plain, CallTreeReport)
    assert not isinstance(indexed.tree.behind, PlainTree)
    assert isinstance(plain.tree.behind, PlainTree)
    yield indexed, plain
    indexed.close()
    plain.close()


def test_facts_are_the_same(twins: tuple[CallTreeReport, CallTreeReport]) -> None:
    indexed, plain = twins

    assert indexed.totals == plain.totals
    assert indexed.facts == plain.facts
    assert (indexed.problem_count, indexed.problems) == (plain.problem_count, plain.problems)
    assert indexed.format_version == plain.format_version


def test_rows_and_all_about_them_are_the_same(twins: tuple[CallTreeReport, CallTreeReport]) -> None:
    indexed, plain = (report.views[0] for report in twins)

    assert indexed.root_count == plain.root_count == len(indexed.tree.roots())
    for node in range(0, twins[0].tree.rows, 3):
        assert indexed.tree.row(node) == plain.tree.row(node)
        assert indexed.sections(node) == plain.sections(node)
        assert indexed.links(node) == plain.links(node)
        assert list(indexed.references(node).nodes) == list(plain.references(node).nodes)
        assert list(twins[0].why("Call tree", node)) == list(twins[1].why("Call tree", node))
        assert indexed.key(node) == plain.key(node)
        assert list(indexed.tree.children(node)) == list(plain.tree.children(node))


def test_callers_are_the_same(twins: tuple[CallTreeReport, CallTreeReport]) -> None:
    indexed, plain = (report.view("Callers") for report in twins)

    for method in range(0, twins[0].tree.vertices, 5):
        lines = [
            [view.tree.row(node) for node, _ in islice(walk(view.tree, method, 2), 20)] for view in (indexed, plain)
        ]
        assert [row.label for row in lines[0]] == [row.label for row in lines[1]]
        assert [row.line for row in lines[0]] == [row.line for row in lines[1]]
        assert [row.flags for row in lines[0]] == [row.flags for row in lines[1]]
    for order in (None, *indexed.orders, *(f"-{order}" for order in indexed.orders)):
        assert list(indexed.tree.roots(order)) == list(plain.tree.roots(order))


@pytest.mark.parametrize("name", ["Entry points", "Packages"])
def test_tables_are_the_same(twins: tuple[CallTreeReport, CallTreeReport], name: str) -> None:
    indexed, plain = (report.view(name) for report in twins)

    assert [indexed.tree.row(node) for node, _ in walk(indexed.tree)] == [
        plain.tree.row(node) for node, _ in walk(plain.tree)
    ]
    for order in indexed.orders:
        assert list(indexed.tree.roots(order)) == list(plain.tree.roots(order))
        assert [indexed.row_of(node) for node in indexed.tree.roots(order)] == [  # type: ignore[attr-defined]
            plain.row_of(node)  # type: ignore[attr-defined]
            for node in plain.tree.roots(order)
        ]


def test_filters_are_the_same(twins: tuple[CallTreeReport, CallTreeReport]) -> None:
    indexed, plain = (report.row_filters() for report in twins)
    options = {"suppress_methods": "*m1*,a.B7.*", "expand_methods": "*m11*"}

    for name in ("jdk", "synthetic", "references"):
        assert indexed.mask(name, 0, indexed.rows).tolist() == plain.mask(name, 0, plain.rows).tolist()
    assert indexed.suppressed(options, 5, 500).tolist() == plain.suppressed(options, 5, 500).tolist()
    assert indexed.suppressed(options, 0, indexed.rows).any()


@pytest.mark.parametrize("every", [1, 3, 40, 1000])
def test_offsets_of_lines_become_the_same_rows_however_many_are_asked(
    twins: tuple[CallTreeReport, CallTreeReport], every: int
) -> None:
    indexed, plain = (report.row_filters() for report in twins)
    source = twins[0].source
    data = source.pread(source.size, 0)
    lines = [0, *(place + 1 for place, byte in enumerate(data[:-1]) if byte == 0x0A)][::every]

    found = indexed.rows_at(np.array(lines, np.uint64))
    tree = twins[1].tree.behind
    assert isinstance(tree, PlainTree)
    scan = tree.scan
    rows = {offset: row for row, offset in enumerate(scan.offsets)}
    strays, expected = set(scan.strays), []
    for offset in lines:
        row = tree.row_at(offset)
        is_continuing = row in scan.continued and offset not in strays and data[offset : offset + 3] == b"at "
        expected.append(rows.get(offset, (row or 0) if is_continuing else -1))

    assert (found >= 0).any()
    assert found.tolist() == expected
    assert plain.rows_at(np.array(lines, np.uint64)).tolist() == expected


def test_rows_with_another_row_on_the_next_line_are_the_same(twins: tuple[CallTreeReport, CallTreeReport]) -> None:
    indexed, plain = (report.bulk for report in twins)

    rows = twins[0].tree.rows
    for start, stop in ((0, rows), (3, 50), (rows - 2, rows)):
        assert indexed.row_follows(start, stop).tolist() == plain.row_follows(start, stop).tolist()
