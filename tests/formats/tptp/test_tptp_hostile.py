"""Recordings cut, changed and put together in any way, through every command: an answer or one line, no traceback."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

from conftest import Answer
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tptp_events import read_by_kernel, read_plainly, sample

from parsers.formats.tptp.schema.values import FURTHER_NAMES, MOST_UNKNOWN_NAMES

Run = Callable[..., Answer]

NAMES = ("gen_all_unknown_undefined", "gen_heap_recycled_ids", "gen_thread_jvmpi", "gen_exec", "gen_heap_dump")
PUT = (b"<TRACE>", b"</TRACE>", b'<node nodeId="a"/>', b"<!--", b"-->", b"<", bytes(30), b"\xff", b"&", b"<gcFinish/>")
ALL = ("--depth", "all", "--limit", "300")
VIEWS = (
    *("Threads", "Time line", "Monitors", "Classes", "Collections", "Dumps", "Roots", "Objects", "Referrers", "Paths"),
    *("Dominators", "Suspects", "Unreachable", "Call tree", "Callers", "Flame", "Flow", "Methods", "Elements"),
)
COMMANDS = [
    (("info", "--json"), ()),
    *((("tree", "--view", view, *ALL), ()) for view in VIEWS),
    *((("tree", "--json", "--view", view, "--depth", "3", "--limit", "50"), ()) for view in VIEWS),
    (("find", "--json"), ("thread",)),
    (("find", "--name", "--json"), ("a",)),
    *((("show",), (ref,)) for ref in ("object:300", "thread:101", "class:110", "method:133", "dump:1")),
    (("why",), ("object:300",)),
    (("refs",), ("class:110",)),
    (("export", "--to", "csv", "--view", "Threads"), ()),
]
"""Words before the file and after it."""


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """Draws a part of a sample with a few mutations; perhaps after a part of another."""
    chance = random.Random(draw(st.integers(0, 2**32)))
    data = bytearray()
    for name in draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=2)):
        whole = sample(name)
        start = chance.randrange(0, len(whole), 2000) if chance.random() < 0.6 else 0
        data += whole[start : start + chance.choice((3000, 20_000, 60_000))]
    for _ in range(chance.choice((0, 1, 4, 30))):
        place = chance.randrange(len(data))
        match chance.randrange(4):
            case 0:
                data[place] = chance.randrange(256)
            case 1:
                data[place : place + 1] = chance.choice(PUT)
            case 2:
                del data[place : min(place + chance.randrange(300), len(data) - 1)]
            case _:
                # An element is repeated, as if its id were reused.
                data += data[place : place + 400]
    return b"<TRACE>" + bytes(data)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(data=damaged(), command=st.sampled_from(COMMANDS))
def test_commands_about_a_damaged_recording(
    data: bytes, command: tuple[tuple[str, ...], tuple[str, ...]], tmp_path: Path, coffeetree: Run
) -> None:
    path = tmp_path / "log.trcxml"
    path.write_bytes(data)
    (name, *options), asked = command
    answer = coffeetree(name, "--no-cache", *options, path, *asked)
    assert answer.status in (0, 1, 2, 3)
    assert not any(word in answer.err for word in ("Traceback", "unexpected", "failed"))


def test_a_thread_that_an_event_does_not_name_has_a_row(tmp_path: Path, coffeetree: Run) -> None:
    path = tmp_path / "log.trcxml"
    path.write_bytes(b'<TRACE><monWait objIdRef="5" time="1.0"/></TRACE>')
    assert "\nthread:? " in coffeetree("tree", "--view", "Threads", path).out
    assert "waiting for object" in coffeetree("tree", "--view", "Threads", "--at", "thread:?", path).out


def test_names_of_unknown_elements_beyond_the_first_ones_are_one_name() -> None:
    kept = [f"<x{number}/>" for number in range(MOST_UNKNOWN_NAMES)]
    data = "".join(("<TRACE>", *kept, "<y/><z/><x7/>", "<\u00e9/><x8/>", "</TRACE>")).encode()
    plain, kernel = read_plainly(data), read_by_kernel(data)
    further = FURTHER_NAMES.decode()
    assert plain.names[-5:] == kernel.names[-5:] == [further, further, "x7", further, "x8"]
    assert plain.events == kernel.events
