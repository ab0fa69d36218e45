"""Fixtures of programs on a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from .pseudo import SMALL_APP, Pseudo, Start


@pytest.fixture
def start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Start]:
    """Starts the small app on a terminal; ends it with the test."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    running: list[Pseudo] = []

    def begin(**options: object) -> Pseudo:
        program = Pseudo(SMALL_APP, **options)  # type: ignore[arg-type]
        running.append(program.__enter__())
        program.wait_for("Map3")
        program.settle()
        return program

    yield begin
    for program in running:
        program.__exit__(None, None, None)
