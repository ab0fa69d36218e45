"""The first rows of a CSV call tree without an index: rows from the beginnings of the tables."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import CORPUS, sample_path

from parsers.formats.graalvm.csv.head_view import CsvHeadView
from parsers.formats.graalvm.csv.method_row import BLOCK, ascending_place, method_at
from parsers.formats.graalvm.csv.report import CsvReport
from parsers.formats.graalvm.csv.set import whole_set
from parsers.io.cache import Cache
from parsers.io.open_source import open_source

SMALL = sample_path("csv_25", "call_tree_methods_demo_20250916_101500.csv")
SEVEN = sample_path("csv_22.3_to_24.0", "call_tree_methods_demo_20230401_101500.csv")
FLAGGED_BY_C = sample_path("csv_24.1_24.2", "call_tree_methods_demo_20240917_101500.csv")
REAL = CORPUS / "real_23.0_helloworld_csv" / "reports" / "call_tree_methods_helloworld_20261121_030247.csv.xz"


def opened(path: Path, cache: Cache) -> CsvReport:
    return CsvReport(whole_set([open_source(str(path), cache)], cache), cache)


@pytest.mark.parametrize(
    ("path", "roots", "calls"),
    [(SMALL, 4, 9), (SEVEN, 4, 9), (REAL, 72, 0)],
    ids=["three tables", "seven tables", "packed, edges in no order"],
)
def test_rows_of_the_heads_are_in_the_tree(path: Path, roots: int, calls: int, cache: Cache) -> None:
    report = opened(path, cache)
    head = CsvHeadView(report, report._sources)
    first = [head.row(node) for node in range(head.row_count or 0)]
    report.wait()
    view = report.views[0]
    for row in first:
        if not row.depth:
            entry = view.resolve(row.ref)
            assert (view.tree.row(entry).label, row.kind) == (row.label, "entry")
            continue
        below = [view.tree.row(node) for node in view.tree.children(entry)]
        found = [(each.kind, each.label, each.badges["bci"]) for each in below]
        assert (row.kind, row.label, row.badges["bci"]) in found
    assert (sum(not row.depth for row in first), sum(row.depth for row in first)) == (roots, calls)
    report.close()


def test_methods_are_shown_where_it_is_not_known_which_are_entries(cache: Cache) -> None:
    report = opened(FLAGGED_BY_C, cache)
    head = CsvHeadView(report, report._sources)
    assert {head.row(node).kind for node in head.tree.roots()} == {"method"}
    report.close()


def test_a_method_is_found_after_the_head_of_its_table_if_ids_ascend(tmp_path: Path, cache: Cache) -> None:
    ids = range(0, 60_000, 3)
    rows = [f"{id},m{id},a.B,empty,void,a.B.m{id},p\n" for id in ids]
    for name, lines in (("ascending", rows), ("descending", rows[::-1])):
        path = tmp_path / f"{name}.csv"
        path.write_text("Id,Name,Type,Parameters,Return,Display,Flags\n" + "".join(lines))
        source = open_source(str(path), cache)
        assert source.size > 100 * BLOCK
        places = [ascending_place(source, id) for id in (0, 3, 30_000, 59_997)]
        if name == "ascending":
            found = [method_at(source, place or 0, 1) for place in places]
            assert [row and row.name for row in found] == [b"m0", b"m3", b"m30000", b"m59997"]
        else:
            assert places == [None] * 4
        assert ascending_place(source, 4) is None
        assert ascending_place(source, 10**9) is None
        source.close()
