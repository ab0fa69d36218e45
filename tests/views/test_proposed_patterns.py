"""The pattern that `fs` proposes for a row suppresses it, in each view whose rows can be filtered."""

from __future__ import annotations

from typing import Any

import pytest
from conftest import TESTS

from parsers.io.cache import Cache
from parsers.model.capabilities import Filterable
from parsers.runtime.opening import open_report

SAMPLES = {
    "graalvm/csv_25/reports/call_tree_methods.csv": {"Call tree", "Dominators"},
    "graalvm/v24.2_and_25/reports/call_tree_demo_20250916_101500.txt": {"Call tree", "Dominators"},
    "graalvm/v20_to_24.0/reports/object_tree_demo_20230401_101500.txt": {"Heap roots", "Dominators"},
    "hotspot/kill9_17/main.log.xz": {"Methods", "Story", "Inlining failures", "Deoptimisations"},
    "hprof/text/longnames-times.txt.xz": {"CPU time", "Call tree", "Callers", "Flame"},
    "hprof/collections/jdk25.hprof.xz": {"Classes", "Suspects"},
    "hprof/heap/jdk25-virtual-threads.hprof.xz": {"Classes", "Suspects"},
    "jdkprofilers/longnames-old.txt.xz": {"Classes"},
    "jdkprofilers/xprof_mixed.txt": {"Methods"},
    "jfr/jdk8-profile.jfr.xz": {"Call tree", "Callers", "Methods", "Flame"},
    "tptp/gen_all_aliases.trcxml": {"Classes", "Dumps", "Call tree", "Callers", "Flow", "Methods", "Flame", "Suspects"},
}
"""Samples with those of their views that propose patterns for rows with children."""
FLAT = {
    "hprof/text/javac-sites.txt.xz": "Allocation sites",
    "jdkprofilers/longnames-old.txt.xz": "Caller pairs",
    "jdkprofilers/xprof_mixed.txt": "Threads",
}
"""Samples with a view whose rows no pattern closes."""
MOST_ROWS = 200


def closed_by_proposals(report: Any, view: Any) -> list[bool]:
    """For the first rows with children and a proposal: whether the proposal suppresses them."""
    filters = (view if isinstance(view, Filterable) else report).row_filters()
    rows = min(filters.rows, 20 * MOST_ROWS)
    # Of a field and the object in it, rows of their own in an image heap, the field is closed; of a root the object.
    above = int(view.name == "Heap roots")
    closed = []
    for node in (filters.ends(0, rows) > range(1, rows + 1)).nonzero()[0].tolist():
        proposal = view.patterns(node)
        subject = next((each for each in ("types", "methods") if each in proposal), None)
        if subject is None:
            continue
        options = {f"suppress_{subject}": proposal[subject]}
        below = int(view.tree.row(node).kind == "root")
        closed.append(filters.suppressed(options, max(node - above, 0), node + 1 + below).any())
    return closed[:MOST_ROWS]


@pytest.mark.parametrize("name", SAMPLES)
def test_the_pattern_proposed_for_a_row_suppresses_it(name: str, cache: Cache) -> None:
    report: Any = open_report([str(TESTS / "corpus" / name)], cache=cache)
    report.wait()
    views = [view for view in report.views if isinstance(view, Filterable)]
    if isinstance(report, Filterable):
        views.append(report.views[0])
    closed = {view.name: closed_by_proposals(report, view) for view in views}
    assert {view for view, rows in closed.items() if rows} == SAMPLES[name]
    assert all(all(rows) for rows in closed.values()), closed
    report.close()


@pytest.mark.parametrize(("name", "view"), FLAT.items())
def test_no_pattern_is_proposed_where_none_closes_a_row(name: str, view: str, cache: Cache) -> None:
    report: Any = open_report([str(TESTS / "corpus" / name)], cache=cache)
    report.wait()
    shown = report.view(view)
    assert shown.row_count > 10
    assert not any(shown.patterns(node) for node in range(shown.row_count))
    report.close()


def test_for_a_method_below_its_class_the_class_is_proposed(cache: Cache) -> None:
    report: Any = open_report([str(TESTS / "corpus" / "jdkprofilers" / "longnames-old.txt.xz")], cache=cache)
    report.wait()
    view = report.view("Classes")
    method = next(node for node in range(view.row_count) if view.tree.row(node).kind == "method")
    assert view.patterns(method) == view.patterns(view.tree.parent(method)) != {}
    report.close()
