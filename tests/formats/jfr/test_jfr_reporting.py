"""Recordings compared, checked by rules, exported."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from conftest import TESTS, Answer

CORPUS = TESTS / "corpus" / "jfr"
OLD, NEW = CORPUS / "jdk25-all.jfr.xz", CORPUS / "jdk25-profile.jfr.xz"
Run = Callable[..., Answer]


def compared(coffeetree: Run, view: str, *columns: str) -> list[dict[str, tuple[Any, Any]]]:
    """Old and new numbers of the top rows of a comparison, by column."""
    rows = coffeetree("diff", "--json", OLD, NEW, "--view", view, "--depth", "0", "--limit", "all").rows
    changes = [row for row in rows if "change" in row]
    return [
        {row["label"]: tuple((row[side] or {}).get(column) for side in ("old", "new")) for row in changes}
        for column in columns
    ]


@pytest.mark.parametrize(
    ("view", "columns"),
    [
        ("Latencies", ("total", "p99")),
        ("allocation-by-class", ("allocated",)),
        ("gc-pauses", ("total", "longest")),
        ("Exceptions", ("count",)),
        ("I/O", ("count",)),
    ],
)
def test_two_recordings_are_compared_by_the_rows_of_a_table(view: str, columns: Sequence[str], coffeetree: Run) -> None:
    tables = [
        coffeetree("tree", "--json", "--view", view, "--depth", "0", "--limit", "all", path).rows for path in (OLD, NEW)
    ]
    for column, found in zip(columns, compared(coffeetree, view, *columns), strict=True):
        old, new = ({row["label"]: row["badges"][column] for row in rows} for rows in tables)
        wanted = {
            label: (old.get(label), new.get(label)) for label in {**old, **new} if old.get(label) != new.get(label)
        }
        assert wanted
        assert {label: found[label] for label in wanted} == wanted


def test_methods_of_two_recordings_are_compared_by_their_samples(coffeetree: Run) -> None:
    assert compared(coffeetree, "Methods", "self")[0]["demo.Mix.primes(int):long"] == (16, 106)


def test_times_of_a_comparison_have_their_unit(coffeetree: Run) -> None:
    lines = coffeetree("diff", OLD, NEW, "--view", "gc-pauses", "--depth", "0").out.splitlines()
    assert any("1.222 s (+" in line and "p99=77.982 ms (+10.831 ms)" in line for line in lines)


def check(coffeetree: Run, folder: Path, rules: str) -> Any:
    """The answer of `check` about the new recording."""
    path = folder / "rules.toml"
    path.write_text(rules)
    return coffeetree("check", "--json", NEW, "--rules", path)


def test_rules_limit_latencies_and_tables_by_their_names(tmp_path: Path, coffeetree: Run) -> None:
    rule = '[[limit]]\nname = "waits"\nview = "Latencies"\ncolumn = "p99"\nat-most = "{}"\n'
    assert check(coffeetree, tmp_path, rule.format("100 ms")).status == 1
    assert check(coffeetree, tmp_path, rule.format("1 s")).status == 0
    pauses = '[[limit]]\nname = "pauses"\nview = "gc-pauses"\ncolumn = "longest"\nat-most = "{}"\n'
    assert check(coffeetree, tmp_path, pauses.format("133 ms")).status == 1
    assert check(coffeetree, tmp_path, pauses.format("134 ms")).status == 0


def test_rules_limit_the_growth_of_a_percentile(tmp_path: Path, coffeetree: Run) -> None:
    rule = f'baseline = "{OLD}"\n[[limit]]\nname = "waits"\nview = "Latencies"\ncolumn = "p99"\n'
    assert check(coffeetree, tmp_path, f'{rule}may-grow = "14 %"\n').status == 1
    assert check(coffeetree, tmp_path, f'{rule}may-grow = "15 %"\n').status == 0


def test_rules_about_tables_that_do_not_exist_are_refused(tmp_path: Path, coffeetree: Run) -> None:
    answer = check(coffeetree, tmp_path, '[[forbid]]\nname = "x"\nview = "gc-nothing"\n')
    assert answer.status == 2
    assert "no report has a view 'gc-nothing'" in answer.err


def test_exported_stacks_add_up_to_the_samples(coffeetree: Run) -> None:
    lines = coffeetree("export", "--to", "collapsed", NEW, "-").out.splitlines()
    assert sum(int(line.rpartition(" ")[2]) for line in lines) == 251
    document = json.loads(coffeetree("export", "--to", "speedscope", NEW, "-").out)
    assert sum(document["profiles"][0]["weights"]) == 251


def test_a_table_is_exported_with_its_columns(coffeetree: Run) -> None:
    lines = coffeetree("export", "--to", "csv", "--view", "gc-pauses", "--depth", "0", NEW, "-").out.splitlines()
    assert lines[0].startswith("depth,kind,label,count,total,least,p50,average,p90,p95,p99,p999,longest")
    assert lines[1].startswith("0,type,GC Phase Pause,189,")
