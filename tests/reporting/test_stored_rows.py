"""Rows of a query in files: what comes back, how it is ordered, and how it is shown."""

from __future__ import annotations

import math
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from parsers.model.tables.column_values import Known, text_arrays
from parsers.reporting.sql.ranks import UNKNOWN, number_ranks, text_ranks
from parsers.reporting.sql.result_view import ResultView
from parsers.reporting.sql.stored_rows import MOST_TEXT, RowWriter, StoredColumn, StoredRows, form_of

COLUMNS = [
    StoredColumn(name, type, form_of(type))
    for name, type in (("n", "BIGINT"), ("r", "DOUBLE"), ("h", "HUGEINT"), ("name", "VARCHAR"), ("ref", "VARCHAR"))
]
ROWS: list[tuple[Any, ...]] = [
    (1, 0.5, 10**30, "b\x00🙂", "line:2"),
    (None, None, None, None, None),
    (-(2**63), math.inf, -3, "", "line:1"),
    (2**63 - 1, -1.0, 7, "a", "line:1"),
]


def stored(tmp_path: Path, rows: list[tuple[Any, ...]] = ROWS) -> StoredRows:
    """The rows, written in two pieces."""
    with RowWriter(str(tmp_path / "rows"), COLUMNS) as writer:
        writer.append(rows[:2])
        writer.append(rows[2:])
    found = StoredRows(str(tmp_path / "rows"))
    found.follow(len(rows))
    return found


def view(tmp_path: Path) -> ResultView:
    made = ResultView("SQL 1", "FROM x", stored(tmp_path))
    made.follow(len(ROWS), is_complete=True)
    return made


def test_rows_come_back_as_they_were(tmp_path: Path):
    found = stored(tmp_path)
    exact = [tuple(str(v) if place == 2 and v is not None else v for place, v in enumerate(row)) for row in ROWS]
    assert list(zip(*found.python(0, 4), strict=True)) == exact
    assert list(zip(*found.python_of([3, 0, 1]), strict=True)) == [exact[3], exact[0], exact[1]]
    assert found.rows_of(4, "line:1").tolist() == [2, 3]


def test_only_the_rows_of_the_last_follow_are_seen(tmp_path: Path):
    found = stored(tmp_path)
    found.follow(1)
    assert (len(found.python(0, 4)[0]), found.rows_of(4, "line:1").tolist()) == (1, [])


def test_a_very_long_text_is_cut_and_marked(tmp_path: Path):
    found = stored(tmp_path, [(0, 0.0, 0, "x" * (MOST_TEXT + 1), "")] * 3)
    assert found.python(0, 1)[3] == [f"{'x' * MOST_TEXT}… (100,001 characters)"]


def test_the_first_text_is_the_label_and_ref_the_link(tmp_path: Path):
    made = view(tmp_path)
    rows = [made.tree.row(node) for node in range(4)]
    assert [row.label for row in rows] == ["b\x00🙂", "NULL", "", "a"]
    assert [(row.ref, row.link) for row in rows[:2]] == [("line:2", "line:2"), ("node:1", None)]
    assert dict(rows[0].badges) == {"n": 1, "r": 0.5, "h": 10**30}
    assert [column.name for column in made.columns] == ["n", "r", "h"]
    assert (made.resolve("line:1"), made.resolve("node:3")) == (2, 3)


def test_rows_are_sorted_by_any_column_with_null_last(tmp_path: Path):
    tree = view(tmp_path).tree
    assert {order: list(tree.roots(order)) for order in ("n", "r", "h", "name", "-name")} == {
        "n": [3, 0, 2, 1],
        "r": [2, 0, 3, 1],
        "h": [0, 3, 2, 1],
        "name": [2, 3, 0, 1],
        "-name": [1, 0, 3, 2],
    }


@given(st.lists(st.none() | st.text("ab\x00é🙂", max_size=24)))
def test_ranks_of_texts_are_those_of_their_bytes(texts: list[str | None]):
    ranks = text_ranks(text_arrays(texts)).tolist()
    assert [rank for rank, text in zip(ranks, texts, strict=True) if text is None] == [UNKNOWN] * texts.count(None)
    known = [(text.encode(), rank) for text, rank in zip(texts, ranks, strict=True) if text is not None]
    for (one, rank), (other, other_rank) in pairwise(known):
        assert ((one > other) - (one < other)) == ((rank > other_rank) - (rank < other_rank))


@given(st.lists(st.none() | st.integers(-(2**63), 2**63 - 1)))
def test_ranks_of_numbers_are_dense(numbers: list[int | None]):
    values = np.array([0 if number is None else number for number in numbers], np.int64)
    ranks = number_ranks(Known(values, np.array([number is not None for number in numbers], bool)))
    distinct = sorted({number for number in numbers if number is not None})
    assert ranks.tolist() == [UNKNOWN if number is None else distinct.index(number) for number in numbers]
