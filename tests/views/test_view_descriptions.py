"""Each view of each format says in a few words what it shows."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
from conftest import CORPUS

from parsers.io.cache import Cache
from parsers.runtime.opening import open_report

REPORTS = CORPUS / "v24.2_and_25" / "reports"
LONGEST = 66
SAMPLES = (
    *sorted(path for path in REPORTS.iterdir() if "20250916_101500" in path.name),
    *sorted((CORPUS / "csv_25" / "reports").glob("*20*.csv"))[:1],
    *(
        CORPUS.parent / name
        for name in (
            "hotspot/two_jvms_17.log.xz",
            "hprof/text/quit-everything.txt.xz",
            "hprof/text/graph-dump.txt.xz",
            "hprof/heap/jdk17.hprof.xz",
            "hprof/heap/agent-quit-all.hprof.xz",
            "jdkprofilers/SYNTH_jdk11_java.prof.xz",
            "jdkprofilers/xprof_mixed.txt",
            "tptp/agent_thread.trcxml",
            "tptp/gen_all_two_members_zip.trcxml",
        )
    ),
)


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_every_view_has_a_short_description(path: Path) -> None:
    cache = Cache()
    report = open_report([str(path)], cache=cache)
    try:
        report.start_index()
        report.wait()
        descriptions = {name: report.views.description(name) for name in report.views.names}
    finally:
        report.close()
        cache.close()
    wrong = {
        name: text
        for name, text in descriptions.items()
        if not text or not text[0].isupper() or text.endswith(".") or len(text) > LONGEST
    }
    assert descriptions and not wrong


def test_calls_and_references_enter_groups() -> None:
    texts = []
    for kind in ("call", "object"):
        with closing(open_report([str(REPORTS / f"{kind}_tree_demo_20250916_101500.txt")], cache=Cache())) as report:
            texts.append(report.views.description("Entered from"))
    assert texts == ["Calls that enter a package, class or group", "References that enter a type or group"]


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_views_are_listed_before_the_index_is_built(path: Path, cache_folder: Path) -> None:
    cache = Cache()
    report = open_report([str(path)], cache=cache)
    try:
        states = {name: report.views.state(name) for name in report.views.names}
    finally:
        report.close()
        cache.close()
    assert states


def test_the_description_of_a_build_opens_none_of_its_reports() -> None:
    cache = Cache()
    report = open_report([str(REPORTS)], cache=cache)
    try:
        opened = len(report.opened)  # type: ignore[attr-defined]
        texts = [report.views.description(name) for name in report.views.names]
        assert len(report.opened) == opened  # type: ignore[attr-defined]
        assert all(texts)
    finally:
        report.close()
        cache.close()


def test_views_are_listed_before_the_index_is_known() -> None:
    cache = Cache()
    report = open_report([str(CORPUS.parent / "tptp" / "gen_all_two_members_zip.trcxml")], cache=cache)
    try:
        assert all(report.views.description(name) for name in report.views.names)
    finally:
        report.close()
        cache.close()
