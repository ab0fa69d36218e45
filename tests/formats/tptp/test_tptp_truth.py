"""Every number of the samples' truth files. The truth was counted by programs that share nothing with this project."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import TESTS
from tptp_events import open_recording

from parsers.formats.tptp.objects.class_sums import count_at_end
from parsers.formats.tptp.store.recording import TraceRecording
from parsers.formats.tptp.summary.totals import sessions_of

CORPUS = TESTS / "corpus" / "tptp"
TRUTHS: dict[str, Any] = {
    path.name.removesuffix(".truth.json"): json.loads(path.read_text("utf-8"))
    for path in sorted(CORPUS.glob("*.truth.json"))
}
SMALL = [name for name, truth in TRUTHS.items() if truth["bytes"] < 4 << 20]
OF_THE_READER = ("encoding", "nul_tail", "member", "member_bytes", "agents", "options", "filters")
"""Facts of sessions that are not in tables."""
AS_WRITTEN = {"<init>": "-init-", "<clinit>": "-clinit-"}


def path_of(name: str) -> Path:
    path = CORPUS / f"{name}.trcxml"
    return path if path.exists() else path.with_name(f"{path.name}.xz")


@pytest.fixture(scope="module")
def recordings() -> Callable[[str], TraceRecording]:
    kept: dict[str, TraceRecording] = {}

    def recording(name: str) -> TraceRecording:
        if name not in kept:
            kept.clear()
            kept[name] = open_recording(str(path_of(name)))
        return kept[name]

    return recording


def by(rows: list[dict[str, Any]], *names: str) -> dict[tuple[str, ...], dict[str, Any]]:
    """Returns rows by their names: equal ranks may be in any order."""
    return {tuple(row[name] for name in names): row for row in rows}


def comparable(totals: dict[str, Any]) -> dict[str, Any]:
    """Returns the counts of a session, with names as in Java, and without facts that are not in tables."""
    found = {name: value for name, value in totals.items() if name not in (*OF_THE_READER, "dumps")}
    found["monitors"] = by(found["monitors"], "id")
    if "heap" in found:
        classes = [{**row, "name": row["name"].replace("/", ".")} for row in found["heap"]["classes"]]
        found["heap"] = {**found["heap"], "classes": by(classes, "name")}
    if "calls" in found:
        methods = [{**row, "method": AS_WRITTEN.get(row["method"], row["method"])} for row in found["calls"]["methods"]]
        found["calls"] = {**found["calls"], "methods": by(methods, "class", "method", "signature")}
    return found


def in_plain_bytes(name: str, truth: dict[str, Any]) -> dict[str, Any]:
    """A session of the truth with offsets as in UTF-8, which UTF-16 is made before it is read."""
    if truth["encoding"]["used"] != "UTF-16":
        return truth
    before = path_of(name).read_bytes()[: truth["last_good_offset"]]
    return {**truth, "last_good_offset": len(before.decode("utf-16").encode())}


@pytest.mark.parametrize("name", SMALL)
def test_each_session_has_what_the_truth_counts(name: str, recordings: Callable[[str], TraceRecording]) -> None:
    recording = recordings(name)
    found = sessions_of(recording, count_at_end(recording), list)
    for session, truth in zip(found, TRUTHS[name]["sessions"], strict=True):
        assert comparable(session) == comparable(in_plain_bytes(name, truth))
