"""Comparison of reports of any format by the rows of their views."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from conftest import TESTS, Answer

from parsers.io.cache import Cache
from parsers.runtime.opening import open_compared

Run = Callable[..., Answer]

CORPUS = TESTS / "corpus"
PAIRS = {
    "samples": ("hprof/text/profiletest-samples.txt.xz", "hprof/text/profiletest-samples-thread.txt.xz"),
    "sites": ("hprof/text/profiletest-sites.txt.xz", "hprof/text/quit-sites.txt.xz"),
    "calls": ("tptp/gen_exec.trcxml", "tptp/gen_exec_jvmpi_as_recorded.trcxml"),
    "compilations": ("hotspot/odd_tab_17.log.xz", "hotspot/odd_nul_17.log.xz"),
    "ticks": ("jdkprofilers/xprof_mixed.txt", "jdkprofilers/xprof_interpreted.txt"),
}


def path(name: str) -> str:
    return str(CORPUS / name)


def told(old: str, new: str, cache: Cache, *, is_turned: bool = False) -> Mapping[str, Counter[Any]]:
    """By view what differs: kinds of rows with their numbers in both reports."""
    report = open_compared(old, new, cache=cache)
    report.wait()
    found = {}
    for view in report.views:
        differences: Any = view.differences  # type: ignore[attr-defined]
        changes = map(differences.change, range(len(differences.depths)))
        pairs = ((each.line.kind, _numbers(each.old), _numbers(each.new)) for each in changes)
        found[view.name] = Counter(
            (kind, after, before) if is_turned else (kind, before, after) for kind, before, after in pairs
        )
    report.close()
    return found


def _numbers(numbers: Mapping[str, float] | None) -> tuple[tuple[str, float], ...]:
    return tuple(sorted((name, number) for name, number in (numbers or {}).items() if number))


@pytest.mark.parametrize("names", PAIRS.values(), ids=PAIRS)
def test_a_report_differs_from_another_as_that_from_it_and_not_from_itself(
    cache: Cache, names: tuple[str, str]
) -> None:
    old, new = map(path, names)
    forth = told(old, new, cache)
    assert any(forth.values())
    assert forth == told(new, old, cache, is_turned=True)
    assert not any(told(old, old, cache).values())


def test_methods_of_two_profiles_are_told_by_their_costs(coffeetree: Run) -> None:
    answer = coffeetree("diff", "--json", *map(path, PAIRS["samples"]))
    assert answer.status == 1
    assert {row["kind"] for row in answer.rows} == {"method"}
    first = answer.rows[0]
    assert first["label"] == "sun.misc.FDBigInteger.quoRemIteration"
    assert (first["old"], first["new"]) == ({"self": 11}, {"self": 16})


def test_what_has_other_units_is_not_compared(coffeetree: Run) -> None:
    answer = coffeetree("diff", path(PAIRS["samples"][0]), path("hprof/text/profiletest-times.txt.xz"))
    assert answer.status == 2
    assert "one has nothing that can be compared" in answer.err


def test_rows_of_one_report_only_are_named_as_its_own(coffeetree: Run) -> None:
    rows = coffeetree("diff", "--json", "--view", "Call tree", *map(path, PAIRS["samples"])).rows
    removed = [row for row in rows if row["change"] == "removed"]
    assert removed
    assert all(row["ref"].startswith(("run:1/", "method:")) for row in removed)
