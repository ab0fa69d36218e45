"""Whatever is pressed, in whatever order, on whatever report: no exception, and a cursor on a row that is there."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from conftest import CORPUS
from stage import Stage, browsing

from tui.input.keys.name import WILDCARDS, parse_sequence
from tui.input.keys.registry import every_command

LEAVING = {"Q", "ZZ", "q", "^z", "^c"}
KEYS = [key for command in every_command().of("browser") for key in command.keys if key not in LEAVING]
KEYS_A_VIEW = 20
SAMPLES = (
    "hotspot/two_jvms_17.log.xz",
    "hprof/text/profiletest-samples-thread.txt.xz",
    "hprof/text/quit-everything.txt.xz",
    "hprof/text/graph-dump.txt.xz",
    "hprof/heap/two-dumps.hprof.xz",
    "hprof/heap/agent-quit-all.hprof.xz",
    "hprof/heap/external-gzip.hprof.gz",
    "jdkprofilers/SYNTH_jdk11_java.prof.xz",
    "jdkprofilers/xprof_mixed.txt",
    "tptp/agent_thread.trcxml",
    "tptp/gen_all_two_members_zip.trcxml",
)
"""One of each format that has views of its own."""
TYPED = ["Enter", "Esc", "Tab", "^t", "^u", "Up", "^r", "Left", "[", "1", "9", "0", "(", ".", "*", "x", "é", ":"]


def some_keys(random: Random, count: int) -> list[str]:
    """Draws complete key sequences of the registry, with typed texts between them."""
    keys: list[str] = []
    while len(keys) < count:
        if random.random() < 0.3:
            keys.append(random.choice(TYPED))
            continue
        for key in parse_sequence(random.choice(KEYS)):
            keys.append(random.choice(sorted(WILDCARDS[key])) if key in WILDCARDS else key)
    return keys


async def play(stage: Stage, keys: list[str]) -> None:
    """Presses the keys, and checks the screen from time to time."""
    for number, key in enumerate(keys):
        await stage.press(key)
        if number % 10 == 0:
            assert all(line.isprintable() for line in stage.lines())
    tree = stage.browser.tree_view
    assert tree.row_count > 0 or not len(stage.browser.view.tree.roots()), stage.screen()
    assert 0 <= tree.cursor_row < max(tree.row_count, 1)


@pytest.mark.parametrize("name", ["call_tree_demo_20250916_101500.txt", "object_tree_demo_20250916_101500.txt"])
@pytest.mark.parametrize("seed", range(4))
async def test_any_keys_on_a_report(corpus: Path, name: str, seed: int) -> None:
    keys = some_keys(Random(seed), 150)
    async with browsing(corpus / "v24.2_and_25" / "reports" / name, size=(90, 20)) as stage:
        await play(stage, keys)


@pytest.mark.parametrize("sample", SAMPLES, ids=[Path(sample).name.partition(".")[0] for sample in SAMPLES])
async def test_any_keys_in_every_view(sample: str) -> None:
    async with browsing(CORPUS.parent / sample, size=(90, 20)) as stage:
        await stage.until(lambda: stage.browser.report.is_complete)
        for number, view in enumerate(stage.browser.report.views):
            await stage.press("Esc Esc Esc")
            stage.browser.interaction.viewing.show_view(view.name)
            await stage.quiet()
            await play(stage, some_keys(Random(number), KEYS_A_VIEW))


@pytest.mark.parametrize("size", [(20, 5), (40, 10), (1, 1)])
async def test_any_keys_in_a_small_window(corpus: Path, size: tuple[int, int]) -> None:
    report = corpus / "v24.2_and_25" / "reports" / "call_tree_demo_20250916_101500.txt"
    async with browsing(report, size=size) as stage:
        await play(stage, some_keys(Random(9), 80))


@pytest.mark.parametrize("text", ["VM Entry Points\n", "VM Entry Points\n└── entry a.B.c():void id=0 \n"])
async def test_any_keys_on_a_report_of_no_or_one_row(tmp_path: Path, text: str) -> None:
    report = tmp_path / "call_tree_x_20250101_010101.txt"
    report.write_text(text, "utf-8")
    async with browsing(report) as stage:
        for key in some_keys(Random(3), 120):
            await stage.press(key)
        assert stage.app.is_running
