"""Every number of the samples' `truth.json`, asked through the headless commands; what is in tables, of the reader.

The truth was counted by programs that share nothing with this project (see the corpus' README).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import TESTS, Answer
from text_samples import recording_of

from parsers.formats.hprof.data.columns import CPU_SAMPLES, NOWHERE
from parsers.formats.hprof.data.names import decode
from parsers.formats.hprof.data.recording import ProfileRecording
from parsers.formats.hprof.totals import sections_of

CORPUS = TESTS / "corpus" / "hprof"
TRUTH: dict[str, Any] = json.loads((CORPUS / "truth.json").read_text("utf-8"))
TEXTS = [name for name in TRUTH if name.startswith("text/")]
SAMPLED = [name for name in TEXTS if TRUTH[name].get("methods_self")]

Run = Callable[..., Answer]


def path_of(name: str) -> Path:
    return CORPUS / f"{name}.xz"


def without_zeros(totals: dict[str, Any]) -> dict[str, Any]:
    """Returns counts without zeros, which may be missing."""
    return {name: value for name, value in totals.items() if value}


@pytest.mark.parametrize("name", TEXTS, scope="module")
def test_info_shows_format_totals_and_problems(name: str, coffeetree: Run) -> None:
    answer = coffeetree("info", "--json", path_of(name))
    info, truth = answer.json, TRUTH[name]
    assert answer.status == (3 if truth["problems"] else 0)
    assert f"JAVA PROFILE {info['format_version']}" == truth["format"]
    assert info["facts"]["created"] == truth["created"]
    assert info["bytes"] == truth["bytes"]
    assert without_zeros(info["totals"]) == without_zeros(truth["totals"])
    assert [problem["offset"] for problem in info["problems"]] == [problem["offset"] for problem in truth["problems"]]


@pytest.mark.parametrize("name", TEXTS, scope="module")
def test_positions_and_contents_of_sections_equal_the_truth(name: str) -> None:
    found, truth = sections_of(recording_of(name)), TRUTH[name]["sections"]
    left_out = {"first"}
    known = [
        {key: section[key] for key in expected.keys() - left_out}
        for section, expected in zip(found, truth, strict=True)
    ]
    assert known == [{key: expected[key] for key in expected.keys() - left_out} for expected in truth]


@pytest.mark.parametrize("name", TEXTS, scope="module")
def test_the_first_rows_are_as_printed(name: str) -> None:
    recording = recording_of(name)
    for section, expected in enumerate(TRUTH[name]["sections"]):
        rows = [
            row_of(recording, section, row) for row in list(recording.section_range(section))[: len(expected["first"])]
        ]
        assert rows == expected["first"]


def row_of(recording: ProfileRecording, section: int, row: int) -> dict[str, Any]:
    column = recording.column
    serial, kind = column("trace_serial"), column("section_kind")[section]
    if kind == 2:
        sums = ("live_bytes", "live_objects", "allocated_bytes", "allocated_objects")
        return {name: column(f"site_{name}")[row] for name in sums} | {
            "trace": serial[column("site_trace")[row]],
            "class": decode(recording.word(column("site_class")[row]))[:120],
        }
    table, java = ("word", " (Java)") if kind == 4 else ("method", "")
    return {
        "count": column("rank_count")[row],
        "trace": serial[column("rank_trace")[row]],
        "percent": column("rank_self")[row] / 100,
        "name": (decode(recording.text(table, column("rank_name")[row])) + java)[:120],
    }


@pytest.mark.parametrize("name", TEXTS, scope="module")
def test_threads_have_their_names(name: str) -> None:
    recording = recording_of(name)
    names = {
        id: decode(recording.word(word))[:80]
        for id, word, start in zip(
            *(recording.column(f"thread_{each}") for each in ("id", "name", "start")), strict=True
        )
        if start != NOWHERE
    }
    assert [names[id] for id in sorted(names)][:30] == TRUTH[name]["thread_names"]


@pytest.mark.parametrize("name", SAMPLED, scope="module")
def test_methods_add_up_over_all_samples(name: str) -> None:
    recording = recording_of(name)
    own: Counter[bytes] = Counter()
    total: Counter[bytes] = Counter()
    methods = recording.column("frame_method")
    for section in recording.sections(CPU_SAMPLES):
        for row in recording.section_range(section):
            count = recording.column("rank_count")[row]
            stack = [recording.method(methods[frame]) for frame in recording.stack(recording.column("rank_trace")[row])]
            own.update(dict.fromkeys(stack[:1], count))
            total.update(dict.fromkeys(stack, count))
    assert most(own) == TRUTH[name]["methods_self"]
    assert most(total) == TRUTH[name]["methods_total"]


def most(counts: Counter[bytes]) -> list[dict[str, Any]]:
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return [{"method": method.decode(), "count": count} for method, count in ranked[:10]]
