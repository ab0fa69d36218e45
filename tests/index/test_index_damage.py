"""Bytes of a kept index that are not what they were: it is built again, or one line says so; nothing worse."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from conftest import Answer

from parsers.index import store
from parsers.io.cache import Cache
from tui.app import start
from tui.command_line.arguments import parse
from tui.terminal.crash import INTERNAL_ERROR

Run = Callable[..., Answer]

OBJECTS = 1500
COMMANDS: tuple[tuple[str, ...], ...] = (
    ("show", "REPORT", "line:500"),
    ("refs", "REPORT", "id:2"),
    ("why", "REPORT", "id:700"),
    ("tree", "--view", "Types", "--limit", "20", "REPORT"),
    ("tree", "--suppress-types", "a.b1.*", "--limit", "20", "REPORT"),
    ("find", "--name", "REPORT", "b7"),
)


@pytest.fixture
def report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An object tree larger than the head: each object refers to the next, and to an early one."""
    monkeypatch.setattr("parsers.io.source.HEAD", 4096)  # Each command reads the rows of the head.
    lines = ["Heap roots"]
    for root in range(OBJECTS // 3):
        lines.append(f"├── root a.A.F{root}:a.b{root % 9}.C value:")
        for step in range(3):
            id, bars = 3 * root + step, "│   " * (2 * step + 1)
            lines.append(f"{bars}├── a.b{id % 9}.C id={id} toString=C@{id} fields:")
            lines.append(f"{bars}│   ├── x:a.D value=null")
            lines.append(f"{bars}│   ├── y:a.b{id // 9 % 9}.C value:")
            lines.append(f"{bars}│   │   └── a.b{id // 9 % 9}.C id-ref={id // 9} toString=C@{id // 9}")
            lines.append(f"{bars}│   ├── next:a.b{(id + 1) % 9}.C value:")
    path = tmp_path / "object_tree_app_20240101_000000.txt"
    path.write_text("\n".join([*lines, "", ""]), "utf-8")
    return path


def answer(coffeetree: Run, command: tuple[str, ...], report: Path) -> Answer:
    return coffeetree(*(report if word == "REPORT" else word for word in command))


def arrays(cache_folder: Path) -> list[Path]:
    """The files of the one index that is there, but for its header and those that are empty."""
    (ready,) = cache_folder.glob("index/*/ready")
    return [path for path in sorted(ready.iterdir()) if path.name != "header" and path.stat().st_size]


def flip(path: Path, place: int) -> None:
    data = bytearray(path.read_bytes())
    data[place] ^= 0x81
    path.write_bytes(data)


def test_an_array_that_was_written_to_is_noticed_where_no_check_looks(
    report: Path, coffeetree: Run, cache_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert answer(coffeetree, COMMANDS[0], report).status == 0
    monkeypatch.setattr(store, "check_of", lambda descriptor, size: None)
    for path in arrays(cache_folder):
        folder = str(path.parent)
        header = store.read_header(folder)
        assert header is not None
        unchecked = {name: replace(array, check=None) for name, array in header.arrays.items()}  # type: ignore[arg-type]
        header = replace(header, arrays=unchecked)
        assert store.is_sound(folder, header)
        whole, times = path.read_bytes(), path.stat()
        flip(path, len(whole) // 2)
        assert not store.is_sound(folder, header)
        path.write_bytes(whole)
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


@pytest.mark.parametrize("seed", range(4))
def test_damage_that_nothing_shows_does_no_harm(
    seed: int, report: Path, coffeetree: Run, cache_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    numbers = random.Random(seed)
    right = [answer(coffeetree, command, report) for command in COMMANDS]
    monkeypatch.setattr(store, "is_sound", lambda *_: True)
    for _ in range(7):
        path = numbers.choice(arrays(cache_folder))
        whole, times = path.read_bytes(), path.stat()
        for _ in range(numbers.choice((1, 1, 20))):
            flip(path, numbers.randrange(len(whole)))
        for command in COMMANDS:
            found = answer(coffeetree, command, report)
            assert found.status in (0, 1, 2, 3)
            assert "Traceback" not in found.err
            if "unexpected" in found.err:
                assert not path.exists()
                break
        if path.exists():
            path.write_bytes(whole)
            os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
        else:
            assert [answer(coffeetree, command, report) for command in COMMANDS] == right


def test_the_browser_rebuilds_the_index_too(monkeypatch: pytest.MonkeyPatch, cache: Cache) -> None:
    forgotten: list[bool] = []
    monkeypatch.setattr("tui.terminal.environment.prepare", lambda environ: None)
    monkeypatch.setattr("tui.app.first_frame.first_frame", lambda *_: [])
    opened: Any = SimpleNamespace(forget_index=lambda: forgotten.append(True), close=lambda: None)
    for status in (0, INTERNAL_ERROR):
        session = SimpleNamespace(status=status, show=lambda *_: None, run=lambda app: None)
        monkeypatch.setattr("tui.terminal.run.Session", partial(nullcontext, session))
        assert start.run(opened, None, parse(["call_tree.txt"]), cache) == status
        assert forgotten == [True] * (status == INTERNAL_ERROR)
