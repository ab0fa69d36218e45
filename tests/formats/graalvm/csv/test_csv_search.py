"""Search in a CSV call tree: the lines that would have been printed, composed in batches."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import CORPUS
from made_csv import made_set

from parsers.formats.graalvm.csv.build import PLAIN_COLUMNS, csv_arrays
from parsers.formats.graalvm.csv.filter import CsvLineFinder, is_of_names
from parsers.formats.graalvm.csv.indexed import IndexedCsvTree
from parsers.formats.graalvm.csv.printed_lines import lines
from parsers.formats.graalvm.csv.printed_lines.lines import RowLines
from parsers.formats.graalvm.csv.report import CsvReport
from parsers.formats.graalvm.text.read.plain_index import PlainIndex
from parsers.index.store import open_index
from parsers.index.writer import Writer
from parsers.io.cache import Cache
from parsers.io.identity import Identity
from parsers.io.open_source import open_source
from parsers.query.search.pattern import exact_pattern, in_line
from parsers.runtime.opening import open_report

REAL = CORPUS / "real_23.0_helloworld_csv" / "reports" / "call_tree_methods_helloworld_20261121_030247.csv.xz"
IDENTITY = Identity(0, 0, 0, 0, "")


def indexed(tables: dict[str, bytes], folder: Path, cache: Cache) -> CsvReport:
    """A small set with an index."""
    for table, data in tables.items():
        (folder / f"call_tree_{table}_x_20240101_101010.csv").write_bytes(data)
    report = CsvReport([open_source(str(path), cache) for path in sorted(folder.glob("*.csv"))], cache)
    writer = Writer(str(folder), "csv", IDENTITY)
    PlainIndex(writer, report.tree.behind, PLAIN_COLUMNS).finish(csv_arrays)
    summary = report.tree.behind.summary
    writer.finish(0, report.tree.rows, summary.totals, summary.facts, summary.problems, summary.problem_count, 0.0)
    reader = open_index(str(folder), IDENTITY)
    assert reader is not None
    report.tree.exchange(IndexedCsvTree(reader))
    return report


@pytest.mark.parametrize("is_three", [False, True], ids=["seven tables", "three tables"])
def test_lines_of_the_kernel_are_those_that_are_composed(
    is_three: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lines, "FEW", -1)
    for seed in range(12):
        folder = tmp_path / str(seed)
        folder.mkdir()
        cache = Cache(str(folder / "cache"))
        report = indexed(made_set(seed, is_three), folder, cache)
        rows = np.arange(0, report.tree.rows, 1 + seed % 3)
        written = RowLines(report).of(rows)
        composed = [report.composed.line(row) for row in rows.tolist()]
        assert bytes(written.data[: written.length]).split(b"\n")[:-1] == composed
        assert written.starts.tolist() == [sum(len(line) + 1 for line in composed[:n]) for n in range(len(composed))]
        report.close()
        cache.close()


PATTERNS = [
    ("text", "println"),
    ("text", "bci=4"),
    ("text", "virtually"),
    ("text", "id=1"),
    ("text", ") "),
    ("text", "e"),
    ("text", "calls com.example"),
    ("regex", r"^\W*entry .*main"),
    ("regex", r"\bget\w*\("),
    ("regex", r"id=\d+ @bci=\d$|is overridden by .*Config"),
    ("regex", r"Config|println"),
]


@pytest.fixture(scope="module")
def small() -> Any:
    report = open_report([str(CORPUS / "csv_25" / "reports")], cache=Cache(keep=False))
    yield report
    report.close()


@pytest.mark.parametrize("folds", [False, True], ids=["case", "any case"])
@pytest.mark.parametrize("negated", [False, True], ids=["with", "without"])
def test_found_is_what_printed_lines_hold(folds: bool, negated: bool, small: Any) -> None:
    rows = range(small.tree.rows)
    for kind, text in PATTERNS:
        pattern = exact_pattern(text.upper() if folds and kind == "text" else text, kind, folds, negated)
        expression = pattern.regex if kind == "regex" else pattern.plain
        printed = [small.composed.line(row).decode() for row in rows]
        wanted = [row for row in rows if in_line(expression, printed[row]) is not negated]
        assert (text, np.flatnonzero(CsvLineFinder(small, pattern).matching()).tolist()) == (text, wanted)


@pytest.mark.parametrize(
    ("text", "is_so"),
    [("String", True), ("a.b", True), ("7", False), ("ref", False), ("calls", False), ("a, b", False), ("├", False)],
)
def test_texts_that_only_methods_can_contain_are_searched_in_their_names(text: str, is_so: bool) -> None:
    assert is_of_names(text, ignores_case=False) is is_so
    assert is_of_names(text.upper(), ignores_case=True) is is_so


def test_a_large_set_is_searched_as_its_text_would_be() -> None:
    report: Any = open_report([str(REAL)])
    report.wait()
    counts = {
        text: int(CsvLineFinder(report, exact_pattern(text)).matching().sum()) for text in ("virtually", "entry ")
    }
    assert counts == {"virtually": 8298, "entry ": 1316}
    assert CsvLineFinder(report, exact_pattern(r"^\W+entry", "regex")).matching().sum() == 1316
    report.close()
