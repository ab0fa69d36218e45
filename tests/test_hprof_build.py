"""Indexes of profiles: by kernels they are what they are by plain code, with the totals of the truth."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from parsers.cache import Cache
from parsers.hprof import build
from parsers.index.store import READY, Header
from parsers.input.group import SourceGroup
from parsers.input.source import open_source
from parsers.kernel import Kernels

CORPUS = Path(__file__).parent / "corpus" / "hprof"
TRUTH: dict[str, Any] = json.loads((CORPUS / "truth.json").read_text("utf-8"))
NAMES = [
    "text/longnames-dump.txt",
    "text/quit-everything.txt",
    "text/javac-samples-depth30.txt",
    "text/quit-monitors.txt",
]


def index(name: str, folder: Path, with_kernels: bool, monkeypatch: pytest.MonkeyPatch, cache: Cache) -> Header:
    monkeypatch.setattr(build, "SMALL", 0 if with_kernels else 1 << 40)
    monkeypatch.setattr(Kernels, "are_there", True)
    source = SourceGroup([open_source(str(CORPUS / f"{name}.xz"), cache)])
    source.unpack()
    folder.mkdir()
    header = build.ProfileBuild(source, str(folder), "hprof-text", lambda news: None, "").run()
    source.close()
    return header


@pytest.mark.parametrize("name", NAMES)
def test_kernels_make_the_same_index(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cache: Cache) -> None:
    plain = index(name, tmp_path / "plain", False, monkeypatch, cache)
    quick = index(name, tmp_path / "quick", True, monkeypatch, cache)
    known = {key: value for key, value in TRUTH[name]["totals"].items() if value}
    assert {key: value for key, value in quick.totals.items() if value} == known
    assert (quick.totals, quick.facts, quick.rows) == (plain.totals, plain.facts, plain.rows)
    for array in plain.arrays:
        left, right = (tmp_path / folder / READY / array for folder in ("plain", "quick"))
        assert left.read_bytes() == right.read_bytes(), array
