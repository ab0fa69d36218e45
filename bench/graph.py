"""Times of the graph of a call tree or object tree: dominators, cuts, paths, export. Prints a table.

    python bench/graph.py REPORT [--rounds N] [--pattern PATTERN]

The index is built first if it isn't there; the stored graph is deleted before each measurement. Dominators are measured
as in the browser, including the process that computes them; a cut from the key until the screen can show what would be
removed. Times are medians in milliseconds.
"""

from __future__ import annotations

import glob
import os
import shutil
import statistics
from typing import Any

import numpy as np
from measure import milliseconds, options_of

from parsers.graph.graph_export import whole
from parsers.graph.graph_model import VERTEX, Node
from parsers.reporting.export.graph import FORMS
from parsers.runtime.opening import open_report


def opened(path: str) -> Any:
    """Opens the report again, with a finished index."""
    report: Any = open_report([path])
    if not hasattr(report, "graph"):
        raise SystemExit(f"{path}: has no graph")
    report.wait()
    return report


def dominators(path: str, merge: str, is_kept: bool) -> float:
    """Times the view of dominators in a report that was just opened; with or without a stored graph."""
    report = opened(path)
    if not is_kept:
        for folder in glob.glob(os.path.join(glob.escape(report.index_folder), "graph-*")):
            shutil.rmtree(folder)
    view = report.view("Dominators")
    view.choose("merge", merge)
    return milliseconds(lambda: [view.row(node) for node in view.tree.roots()[:40]])


def cuts(path: str, count: int) -> list[float]:
    """Times cuts, one after the other, of the groups that retain most."""
    report = opened(path)
    by_group, cut = report.view("Dominators"), report.view("Cut")
    by_group.choose("merge", list(report.graph.terms.groupings)[1])
    nodes = [report.graph.cut_of(by_group, node) for node in by_group.tree.roots()[:count]]
    _ = report.graph.cache.shortest

    def toggle(node: Any) -> None:
        report.graph.cuts.toggle(node)
        cut.prepare()
        cut.renew()
        report.graph.cuts.summary()

    return [milliseconds(lambda node=node: toggle(node)) for node in nodes]  # type: ignore[misc]


def patterns(path: str, text: str, count: int) -> list[float]:
    """Times cuts of all matches of a pattern, and their removal."""
    report = opened(path)
    graph, cut = report.graph, report.view("Cut")
    _ = graph.cache.shortest

    def ask() -> None:
        graph.cuts.cut(text)
        cut.prepare()
        cut.renew()
        graph.cuts.summary()

    times = []
    for _ in range(count):
        times.append(milliseconds(ask))
        graph.cuts.clear()
    return times


def between(path: str) -> float:
    """Times all paths from outside to the farthest vertex, as a tree; the transposed graph exists already."""
    report = opened(path)
    graph, view = report.graph, report.view("Between")
    distances = graph.cache.shortest.distance.view(np.int32)
    deepest = Node(VERTEX, int(distances.argmax()))

    def ask() -> None:
        view.of_nodes([], deepest)
        view.make()

    ask()
    return milliseconds(ask)


def main() -> None:
    """Measures and prints."""
    parser = options_of(__doc__)
    parser.add_argument("report")
    parser.add_argument("--pattern", default="*String*")
    arguments = parser.parse_args()
    path, rounds = arguments.report, arguments.rounds
    report = opened(path)
    edges = report.graph.cache.edges
    print(f"{edges.size:,} things, {len(edges.targets):,} edges")
    for merge in report.graph.terms.groupings:
        first = statistics.median(dominators(path, merge, is_kept=False) for _ in range(rounds))
        again = statistics.median(dominators(path, merge, is_kept=True) for _ in range(rounds))
        print(f"dominators, {merge}: {first:,.0f} first, {again:,.0f} kept")
    found = cuts(path, rounds)
    print(f"cut: median {statistics.median(found):,.0f}, longest {max(found):,.0f}")
    found = patterns(path, arguments.pattern, rounds)
    print(f"cut {arguments.pattern}: first {found[0]:,.0f}, median {statistics.median(found):,.0f}")
    print(f"between: {between(path):,.0f}")
    seconds = milliseconds(lambda: sum(map(len, FORMS["edges"](whole(report.graph))))) / 1000
    print(f"export of edges: {seconds:,.1f} s")


if __name__ == "__main__":
    main()
