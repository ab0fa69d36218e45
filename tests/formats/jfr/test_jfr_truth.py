"""Every number of the samples' truth, asked through the headless commands; of damaged files everything that is sound.

The truth was counted by another program with the JDK's own reader (see the corpus' README).
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import TESTS, Answer, plain_bytes

CORPUS = TESTS / "corpus" / "jfr"
TRUTH: dict[str, Any] = json.loads((CORPUS / "truth.json").read_text("utf-8"))
ODD: dict[str, Any] = json.loads((CORPUS / "odd.json").read_text("utf-8"))

Run = Callable[..., Answer]


@pytest.mark.parametrize("name", TRUTH)
def test_all_totals_are_those_of_the_jdk(name: str, coffeetree: Run) -> None:
    totals = coffeetree("info", "--json", CORPUS / f"{name}.xz").json["totals"]
    assert {key: totals.get(key) for key in TRUTH[name]} == TRUTH[name]


@pytest.mark.parametrize("name", ODD)
def test_of_damaged_files_everything_sound_is_read(name: str, coffeetree: Run) -> None:
    totals = coffeetree("info", "--json", CORPUS / f"{name}.xz").json["totals"]
    for type, count in ODD[name]["events"].items():
        assert totals["events"].get(type, 0) >= count, type
    assert totals["total"] >= ODD[name]["total"]
    assert totals["bytes_lost"] <= ODD[name]["bytes_lost"]
    assert totals["stacks_missing"] <= ODD[name]["stacks_missing"]


def test_each_loss_is_a_problem_with_its_offset(coffeetree: Run) -> None:
    problems = coffeetree("info", "--json", CORPUS / "odd-noise.jfr.xz").json["problems"]
    assert [(problem["kind"], problem["offset"]) for problem in problems] == [("damaged event", 127_918)]


def test_a_problem_names_the_file_as_it_was_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, coffeetree: Run
) -> None:
    data = plain_bytes(CORPUS / "odd-noise.jfr.xz")
    (tmp_path / "noise.jfr").write_bytes(data)
    monkeypatch.chdir(tmp_path)
    answer = coffeetree("info", "noise.jfr")
    assert answer.err.startswith("noise.jfr: damaged event at byte 127,918: ")
    # A binary file has no line ends.
    assert answer.out.splitlines()[1] == f"Flight Recorder file 2.1, utf-8, {len(data):,} bytes"


def test_bytes_between_chunks_are_skipped(coffeetree: Run) -> None:
    problems = coffeetree("info", "--json", CORPUS / "odd-gap.jfr.xz").json["problems"]
    assert ("no chunk", 231_048) in [(problem["kind"], problem["offset"]) for problem in problems]


def test_a_destroyed_header_is_restored_from_a_copy_in_its_chunk(tmp_path: Path, coffeetree: Run) -> None:
    data = plain_bytes(CORPUS / "odd-event-type-unknown.jfr.xz")
    path = tmp_path / "destroyed.jfr"
    path.write_bytes(b"FLR\0\0\2\0\1" + bytes(60) + data[68:])
    whole = coffeetree("info", "--json", CORPUS / "odd-event-type-unknown.jfr.xz").json["totals"]
    assert coffeetree("info", "--json", path).json["totals"]["total"] == whole["total"]


def test_version_1_is_refused_in_a_sentence(tmp_path: Path, coffeetree: Run) -> None:
    path = tmp_path / "old.jfr"
    path.write_bytes(b"FLR\0\0\1\0\0" + bytes(200))
    answer = coffeetree("info", path)
    assert answer.status == 2
    assert "version 1.0 (of Oracle JDK 7 or 8), which is not supported" in answer.err
    assert len(answer.err.splitlines()) == 1


def test_joined_recordings_of_two_jvms_keep_their_own_names_and_clocks(tmp_path: Path, coffeetree: Run) -> None:
    names = ("jdk25-stuck.jfr", "jdk17-deep512.jfr")
    path = tmp_path / "joined.jfr"
    path.write_bytes(b"".join(plain_bytes(CORPUS / f"{name}.xz") for name in names))
    totals = coffeetree("info", "--json", path).json["totals"]
    for key in ("allocation", "exceptions", "durations"):
        for type in TRUTH[names[1]].get(key, {}):
            if type not in TRUTH[names[0]].get(key, {}):
                assert totals[key][type] == TRUTH[names[1]][key][type]
    assert totals["total"] == sum(TRUTH[name]["total"] for name in names)


def test_a_recording_joined_to_itself_has_each_stack_once(tmp_path: Path, coffeetree: Run) -> None:
    data = plain_bytes(CORPUS / "jdk25-stuck.jfr.xz")
    path = tmp_path / "twice.jfr"
    path.write_bytes(data + data)
    once = coffeetree("tree", "--json", "--view", "Callers", "--depth", "all", CORPUS / "jdk25-stuck.jfr.xz").rows
    twice = coffeetree("tree", "--json", "--view", "Callers", "--depth", "all", path).rows
    assert [row["label"] for row in twice] == [row["label"] for row in once]
    assert [row["badges"]["total"] for row in twice] == [2 * row["badges"]["total"] for row in once]
