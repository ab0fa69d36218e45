"""The graph of a report with an index: computed by another process, stored beside the index, rebuilt if damaged."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from parsers.graph import dominators as weigh
from parsers.graph.adjacency import Edges
from parsers.io.cache import Cache
from parsers.model.report import ReportError
from parsers.runtime.opening import open_report

METHODS = 1_200
"""So many that the report is longer than the head that is read at once."""


@pytest.fixture
def path(tmp_path: Path) -> str:
    """A call tree: an entry that calls methods, each of which calls one of its own."""
    lines = ["VM Entry Points", "├── entry a.Main.main():void id=0 "]
    for id in range(1, 2 * METHODS, 2):
        lines.append(f"│   ├── directly calls a.b{id % 7}.C{id}.first():void id={id} @bci={id} ")
        lines.append(f"│   │   └── directly calls a.b{id % 7}.C{id}.second():void id={id + 1} @bci=1 ")
    path = tmp_path / "call_tree_app_20240101_101500.txt"
    path.write_text("\n".join([*lines, "", ""]), "utf-8")
    return str(path)


def opened(path: str, cache: Cache) -> Any:
    report = open_report([path], cache=cache)
    report.wait()
    return report


def test_the_graph_is_stored_and_rebuilt_if_damaged(path: str, cache: Cache) -> None:
    report = opened(path, cache)
    retained = report.graph.cache.dominator_rows("class").retained.tolist()
    assert retained == [2 * METHODS + 1, *[2] * METHODS]
    kept = Path(report.index_folder) / "graph-dominators-by-class" / "retained"
    before = kept.stat().st_ino

    assert opened(path, cache).graph.cache.dominator_rows("class").retained.tolist() == retained
    assert kept.stat().st_ino == before
    with open(kept, "r+b") as file:
        file.write(b"\xff\xff")
    assert opened(path, cache).graph.cache.dominator_rows("class").retained.tolist() == retained
    assert kept.stat().st_ino != before
    assert not [name for name in os.listdir(report.index_folder) if name.startswith("building")]


def test_a_view_is_prepared_beside_and_shows_what_went_wrong(
    path: str, cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = opened(path, cache)
    view = report.view("Dominators")
    assert (view.is_ready, view.is_prepared, view.row_count, view.root_count) == (True, False, 2 * METHODS + 1, None)
    monkeypatch.setattr(sys, "executable", "/bin/false")
    preparation = view.preparation()
    assert (view.is_ready, view.waits_for, view.preparation()) == (False, "weighing all methods", None)
    preparation.run()
    assert preparation.finish()
    assert (view.is_ready, list(view.tree.roots())) == (False, [])
    assert view.waits_for == "the graph can't be computed: status 1"
    with pytest.raises(ReportError):
        _ = view.dominator_rows


def test_incompletely_counted_groups_show_a_lower_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    # 0 leads to 1 and 2, both lead to 3; 1 and 2 are of one group, which dominates all three of them.
    edges = Edges(*(np.array(each, np.uint32) for each in ([0, 2, 3, 4, 4], [1, 2, 3, 3], range(4), [0], [0])))
    groups = {"class": np.array([0, 1, 1, 2], np.uint32)}
    exact = weigh.compute_dominators(edges, "class", groups)
    monkeypatch.setattr(weigh, "MOST_STEPS", -1)

    least = weigh.compute_dominators(edges, "class", groups)

    assert (exact.retained.tolist(), exact.at_least.tolist()) == ([4, 3, 1], [0, 0, 0])
    assert (least.retained.tolist(), least.at_least.tolist()) == ([4, 3, 1], [1, 1, 1])
