"""Times of questions about an indexed call tree, from the shell and inside. Prints a table.

    python bench/answers.py REPORT [--rounds N]

The index is built first if it isn't there. Commands are whole processes, start-up included, compared with `coffeetree
--version`, which does nothing. Inside, the same report is queried through the library, as the browser does. Times are
medians in milliseconds.
"""

from __future__ import annotations

import contextlib
import statistics
import tempfile
from collections.abc import Callable, Iterable, Iterator
from functools import partial

from measure import COFFEETREE, cost, milliseconds, options_of

from parsers.formats.graalvm.calls.tree_report import CallTreeReport
from parsers.runtime.opening import open_report


def indexed(path: str) -> CallTreeReport:
    """Opens the report again, with a finished index."""
    report = open_report([path])
    if not isinstance(report, CallTreeReport):
        raise SystemExit(f"{path}: is no call tree")
    report.wait()
    return report


def most_called(report: CallTreeReport) -> int:
    """Returns the row of the method with the most call sites, in an even sample of a thousand."""
    tree = report.tree
    vertices = range(0, tree.vertices, max(1, tree.vertices // 1000))
    return report.row_of_vertex(max(vertices, key=lambda vertex: len(tree.vertex_rows(vertex))))


def fifty_rules(report: CallTreeReport) -> str:
    """Returns rules of every kind about packages all over the report; one in ten is broken."""
    packages = report.view("Packages").tree
    roots = packages.roots()
    rules = []
    for number in range(50):
        package = packages.row(roots[number * len(roots) // 50]).label
        methods = '[[forbid]]\nmethods = "{}x.*"', '[[forbid]]\nclasses = "*{}Gone*"', '[[require]]\nmethods = "{}.*"'
        limits = (
            '[[limit]]\nmethods = "{}.*"\nat-most = 1_000_000',
            '[[limit]]\nclasses = "{}.*"\ncolumn = "call_sites"\nat-most = 1_000_000',
            '[[limit]]\npackages = "{}*"\nat-most = 1_000',
            '[[limit]]\nview = "Call tree"\nkind = "virtual call"\npattern = "{}.*"\nat-most = 10_000_000',
            '[[limit]]\nmethods = "*{}*"\nat-most = 1_000_000',
            '[[limit]]\nclasses = "{}.*"\ncolumn = "weight"\nat-most = 100_000_000',
        )
        forms = (*methods, *limits, '[[forbid]]\nmethods = "{}.*"')
        rules.append(f'{forms[number % len(forms)].format(package)}\nname = "rule {number}"\n')
    return "\n".join(rules)


def commands(path: str, ref: str, rules: str) -> Iterator[tuple[str, Callable[[], object]]]:
    """Yields the questions from the shell."""

    def command(*words: str) -> Callable[[], object]:
        return partial(cost, *COFFEETREE, *words)

    yield "coffeetree --version", command("--version")
    yield "why", command("why", path, ref)
    yield "refs", command("refs", path, ref, "--limit", "100")
    yield "show", command("show", path, ref)
    yield "tree --at, 100 rows", command("tree", path, "--at", ref, "--limit", "100")
    yield "callers, 2 levels", command("tree", path, "--view", "Callers", "--at", ref, "--depth", "2", "--limit", "100")
    yield "packages, 100 rows", command("tree", path, "--view", "Packages", "--depth", "1", "--limit", "100")
    yield "info", command("info", path)
    yield "check, 50 rules", command("check", path, "--rules", rules)


def questions(report: CallTreeReport, row: int) -> Iterator[tuple[str, Callable[[], object]]]:
    """Yields the questions of the browser, each without caches of earlier ones."""
    document, callers, packages = (report.view(name) for name in ("Call tree", "Callers", "Packages"))
    rows = report.tree.rows
    spread = iter(range(7, rows, max(1, rows // 4001)))
    ref = document.tree.row(row).ref

    def fresh() -> int:
        return next(spread)

    def screen() -> None:
        first = fresh()
        for node in range(first, min(first + 40, rows)):
            document.tree.row(node)

    yield "40 rows anywhere", screen
    yield "pane of a row", lambda: document.sections(fresh())
    yield "why of a row", lambda: report.why("Call tree", fresh())
    yield "parents of a row", lambda: document.path(fresh())
    yield "jump to id", lambda: document.resolve(f"id:{report.tree.vertex_id(report.tree.vertex(row)) or 0}")
    yield "40 callers", lambda: [callers.tree.row(n) for n in callers.tree.children(callers.resolve(ref))[:40]]
    yield "40 packages by weight", lambda: [packages.tree.row(node) for node in packages.tree.roots("weight")[:40]]
    yield "package of a row", lambda: packages.find_key(document.key(row) or "")


def print_table(title: str, questions: Iterable[tuple[str, Callable[[], object]]], rounds: int) -> None:
    """Asks each question several times, and prints the medians."""
    print(f"{title:<32}{'ms':>10}")
    for name, ask in questions:
        print(f"{name:<32}{statistics.median(milliseconds(ask) for _ in range(rounds)):>10.2f}")
    print()


def main() -> None:
    """Measure and print."""
    parser = options_of(__doc__, rounds=9)
    parser.add_argument("report")
    options = parser.parse_args()
    with contextlib.closing(indexed(options.report)) as report:
        row = most_called(report)
        ref = f"line:{report.tree.line(row)}"
        print(f"{options.report}: {report.size:,} bytes, {report.tree.rows:,} rows, {report.tree.vertices:,} methods")
        print(
            f"asked about {report.parsed(row).method}: {len(report.call_sites(report.tree.vertex(row))):,} call sites\n"
        )
        with tempfile.NamedTemporaryFile("w", suffix=".toml") as rules:
            rules.write(fifty_rules(report))
            rules.flush()
            print_table("command", commands(options.report, ref, rules.name), options.rounds)
        print_table("inside", questions(report, row), options.rounds)


if __name__ == "__main__":
    main()
