"""Old profiles in the browser: headings, links from a pair to its methods, problems in the view of lines."""

from __future__ import annotations

from pathlib import Path

from conftest import TESTS
from stage import browsing

CORPUS = TESTS / "corpus" / "jdkprofilers"


async def test_a_pair_leads_to_its_callee_and_its_callers() -> None:
    async with browsing(CORPUS / "recursion-old.txt.xz") as stage:
        headings, first = stage.lines()[2:4]
        assert headings.split() == ["Caller", "pairs", "▼Calls", "~unwrapped", "Time", "ms"]
        assert "ackermann <- DeepRecursion.ackermann" in first
        await stage.press("Enter")
        assert (stage.browser.view.name, stage.name) == ("Methods", "DeepRecursion.ackermann")
        await stage.press("l j l j")
        assert (stage.row.kind, stage.row.flags) == ("caller", ("recursive",))


async def test_what_is_seen_is_what_is_searched() -> None:
    async with browsing(CORPUS / "SYNTH_jdk11_java.prof.xz") as stage:
        await stage.press("/")
        await stage.type("java.lang.Double.doubleToLongBits(double):long")
        await stage.press("Enter")
        await stage.settled()
        assert stage.row.label.startswith("java.lang.Double.doubleToLongBits(double):long")


async def test_problems_lie_in_the_view_of_lines(tmp_path: Path) -> None:
    path = tmp_path / "output"
    data = (CORPUS / "xprof_mixed.txt").read_bytes()
    path.write_bytes(data.replace(b" 71.4%    16", b"out 3 71.4%    16"))
    async with browsing(path) as stage:
        assert stage.browser.view.name == "Methods"
        await stage.press("! Enter")
        assert (stage.browser.view.name, stage.row.label) == ("Threads", "work.Mixed.strings")
        assert stage.row.flags == ("repaired",)
