"""Waiting for JVMs on a terminal: however the program ends, recording continues."""

from __future__ import annotations

import re
import socket
import struct
from collections.abc import Iterator
from pathlib import Path

import pytest

from .pseudo import COFFEETREE, ENDINGS, Pseudo

HEADER = b"JAVA PROFILE 1.0.1\0" + struct.pack(">IQ", 4, 1_795_233_371_869)
SETTINGS = struct.pack(">BIIIH", 0x0E, 0, 6, 2, 4)
"""CONTROL_SETTINGS of a JVM that samples: it may be asked at any time."""


def summary(second: int) -> bytes:
    """A HEAP_SUMMARY record."""
    return struct.pack(">BIIIIQQ", 0x07, second * 1_000_000, 24, second * 1000, second, second * 2000, second * 2)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Folder of stored streams; state and cache are private."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "live"


@pytest.fixture
def program(folder: Path) -> Iterator[Pseudo]:
    """`coffeetree listen` at any port."""
    with Pseudo([COFFEETREE, "listen", "0", "--into", str(folder)], columns=100, rows=24) as program:
        program.wait_for(lambda: re.search(r"waiting for JVMs on 127.0.0.1:\d+", program.text))
        yield program


@pytest.fixture
def jvm(program: Pseudo) -> Iterator[socket.socket]:
    """A JVM that has connected and sent three heap summaries."""
    found = re.search(r"waiting for JVMs on 127.0.0.1:(\d+)", program.text)
    assert found is not None
    with socket.create_connection(("127.0.0.1", int(found[1]))) as jvm:
        jvm.sendall(HEADER + SETTINGS + b"".join(map(summary, (1, 2, 3))))
        program.wait_for("1 of 1 connected")
        program.wait_for("3.0 KB")
        yield jvm


def is_stored(folder: Path, jvm: socket.socket) -> bool:
    """Returns True if new data of a JVM is appended to its file, up to its end."""
    (path,) = folder.glob("*.hprof")
    before = path.stat().st_size
    jvm.sendall(summary(9))
    jvm.shutdown(socket.SHUT_WR)
    return Pseudo.until(lambda: path.stat().st_size == before + len(summary(9)))


def test_a_jvm_is_opened_and_left_and_the_program_asks_before_it_ends(
    program: Pseudo, jvm: socket.socket, folder: Path
) -> None:
    program.press("\r")
    program.wait_for("Live bytes 1,000")
    program.press("q")
    program.wait_for("1 of 1 connected")
    program.press("q")
    program.wait_for("stored in the background")
    program.press("\r")
    assert program.status() == 0
    assert program.is_restored()
    program.wait_for("1 JVM is connected: no more requests")
    assert is_stored(folder, jvm)


@pytest.mark.parametrize("ending", ENDINGS)
def test_data_of_a_jvm_is_stored_however_the_program_ends(
    program: Pseudo, jvm: socket.socket, folder: Path, ending: str
) -> None:
    end, status = ENDINGS[ending]
    end(program)
    assert program.status() == status
    assert is_stored(folder, jvm)
