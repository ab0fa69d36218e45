"""Memory of indexing a recording is bounded: six times as many elements take hardly more of it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

CHILD = """\
import sys
import threading

from parsers.index.memory import return_freed_memory

return_freed_memory()
from parsers.io.cache import Cache
from parsers.io.group import SourceGroup
from parsers.io.open_source import open_source
from parsers.formats.tptp import build


def anonymous():
    with open("/proc/self/status", encoding="ascii") as file:
        return next(int(line.split()[1]) << 10 for line in file if line.startswith("RssAnon:"))


class Peak(threading.Thread):
    most, is_over = 0, threading.Event()

    def run(self):
        while not self.is_over.wait(0.002):
            self.most = max(self.most, anonymous())
        self.most = max(self.most, anonymous())


build.MEMORY = 1 << 20
build.TraceBuild.uses_kernels = True
source, peak = SourceGroup([open_source(sys.argv[1], Cache(keep=False))]), Peak(daemon=True)
peak.start()
made = build.TraceBuild(source, sys.argv[2], "tptp-trace", lambda news: None)
rows = made.run().rows
peak.is_over.set()
peak.join()
print(rows, peak.most)
"""
ELEMENTS = b"""\
<objAlloc threadIdRef="1" time="2.000000000" isArray="false" objId="9" size="16" classIdRef="2"/>
<objFree objIdRef="9" time="2.000000001"/>
<methodEntry threadIdRef="1" time="2.000000002" methodIdRef="3" classIdRef="2" ticket="1" stackDepth="1"/>
<methodExit threadIdRef="1" methodIdRef="3" classIdRef="2" ticket="1" time="2.5" overhead="0.000000001"/>
<monContendedEnter threadIdRef="1" objIdRef="8" threadOwner="4" time="2.500000000"/>
<monContendedEntered threadIdRef="1" objIdRef="8" time="2.500000001"/>
<objectReference heapDumpIdRef="5" srcIdRef="8" targetIdRef="8"/>
"""
HEAD = b"""\
<TRACE><threadStart threadId="1" time="1.000000000" threadName="main"/><threadStart threadId="4" time="1.000000000"/>
<classDef name="a.B" classId="2" time="1.000000000"/><methodDef name="m" methodId="3" classIdRef="2"/>
<objAlloc threadIdRef="1" time="1.000000000" objId="8" size="16" classIdRef="2"/>
<heapDumpDef heapDumpId="5" time="1.500000000"/>
"""
FEWER, MORE = 20_000, 120_000
PER_ELEMENT = 60
"""Bytes: less than an element takes in the file; and for all of them more than a process has beside its kernels, so
that a peak that was missed does no harm."""


def peak_of(folder: Path, times: int) -> tuple[int, int]:
    """Elements of a recording, and the most memory of its own that a process has while it indexes them."""
    path = folder / f"{times}.trcxml"
    path.write_bytes(HEAD + ELEMENTS * times)
    (folder / str(times)).mkdir()
    words = [sys.executable, "-c", CHILD, str(path), str(folder / str(times))]
    rows, most = subprocess.run(words, check=True, capture_output=True, text=True, env=dict(os.environ)).stdout.split()
    return int(rows), int(most)


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="asks Linux how much memory there is")
def test_six_times_as_many_elements_take_hardly_more_memory(tmp_path: Path) -> None:
    # Looking now and then may miss a peak, but never sees one that isn't there.
    (fewer, least), (more, most) = peak_of(tmp_path, FEWER), peak_of(tmp_path, MORE)
    assert more - fewer == 7 * (MORE - FEWER)
    assert most - least < PER_ELEMENT * (more - fewer)
