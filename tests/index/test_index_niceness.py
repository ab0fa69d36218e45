"""The process that builds an index yields to the browser, and so does its session if sessions have priorities."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import TESTS

from parsers.index import client as client_module
from parsers.index import niceness
from parsers.io.cache import Cache
from parsers.runtime.opening import open_report

REPORT = TESTS / "corpus" / "hprof" / "heap" / "jdk17.hprof.xz"
PROGRAM = """
import os
from parsers.index.niceness import SESSION, be_nice, make_session_nice
be_nice()
make_session_nice()
print(open(SESSION).read().split()[-1], os.getpriority(os.PRIO_PROCESS, 0))
"""


@pytest.mark.skipif(not niceness.has_nice_sessions(), reason="sessions are not nice here")
def test_a_session_of_its_own_gets_nice() -> None:
    answer = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True, start_new_session=True
    )
    session, process = map(int, answer.stdout.split())
    assert session == niceness.SESSION_NICE
    assert process >= niceness.NICE


def test_it_is_said_again_where_too_many_say_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    said: list[str] = []

    def open_busy(path: str, mode: str) -> Any:
        said.append(path)
        if len(said) < 3:
            raise BlockingIOError
        return (tmp_path / "autogroup").open(mode)

    monkeypatch.setattr(niceness, "REST", 0)
    monkeypatch.setattr(niceness, "open", open_busy, raising=False)
    niceness.make_session_nice()
    assert said == [niceness.SESSION] * 3
    assert (tmp_path / "autogroup").read_text() == str(niceness.SESSION_NICE)


def test_missing_session_priorities_are_ignored(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(niceness, "SESSION", str(tmp_path / "missing" / "autogroup"))
    assert not niceness.has_nice_sessions()
    niceness.make_session_nice()


class Begun(Exception):
    """A child would have been started."""


@pytest.mark.parametrize("has_sessions", [True, False])
@pytest.mark.parametrize("is_watched", [True, False])
def test_only_watched_processes_have_a_session(
    cache: Cache, monkeypatch: pytest.MonkeyPatch, has_sessions: bool, is_watched: bool
) -> None:
    started: list[Any] = []

    def start(command: list[str], **options: Any) -> None:
        started.extend((command, options))
        raise Begun

    monkeypatch.setattr(client_module, "has_nice_sessions", lambda: has_sessions)
    monkeypatch.setattr(subprocess, "Popen", start)
    report = open_report([str(REPORT)], cache=cache)
    with pytest.raises(Begun):
        report.start_index() if is_watched else report.wait()
    command, options = started
    is_own = has_sessions and is_watched
    assert ("--nice-session" in command) == options["start_new_session"] == is_own
    assert options["process_group"] == (None if is_own else 0)
    report.close()
