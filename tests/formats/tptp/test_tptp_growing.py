"""A recording that is still being written: without end, and growing."""

from __future__ import annotations

from pathlib import Path
from select import select

import pytest
from stage import browsing
from tptp_events import read_plainly, sample

from parsers.index.client import IndexClient
from parsers.io.cache import Cache
from parsers.io.open_source import open_source

DATA = sample("gen_thread_jvmpi")
HALF = len(DATA) // 2
ELEMENTS = len(read_plainly(DATA).names) - 1
"""Without the root."""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "log.trcxml"
    path.write_bytes(DATA[:HALF])
    return path


async def test_a_recording_that_is_being_written_is_followed(file: Path) -> None:
    async with browsing(file) as stage:
        await stage.until(lambda: stage.browser.report.is_complete)
        known = stage.browser.report.totals["elements"]
        await stage.press("F")
        with file.open("ab") as more:
            more.write(DATA[HALF:])
        await stage.until(lambda: stage.browser.report.is_complete and stage.browser.report.totals["elements"] > known)
        assert stage.browser.report.totals["elements"] == ELEMENTS


def test_an_index_contains_the_recording_as_it_was_opened(file: Path, tmp_path: Path) -> None:
    cache = Cache(str(tmp_path / "cache"))
    source = open_source(str(file), cache)
    with file.open("ab") as more:
        more.write(DATA[HALF:])
    client = IndexClient(source, cache, "tptp-trace")
    client.start()
    while client.follow().state not in ("ready", "failed"):
        select([client.fileno()], [], [])
    assert client.progress.state == "ready"
    assert client.progress.done == HALF
    assert client.reader is not None
    client.stop()
    source.close()
    cache.close()
