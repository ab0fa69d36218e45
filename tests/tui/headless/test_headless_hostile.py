"""Any bytes at all through every command: an answer or one line, never a traceback, never a hang.

Reports are cut at random places, their bytes are changed, lines come twice, and some are nothing but noise.
"""

from __future__ import annotations

import gzip
import random
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import CORPUS, Answer
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from parsers.model.report import ReportError
from tui.headless.patience import patiently

Run = Callable[..., Answer]

REPORTS = [path.read_bytes() for path in sorted(CORPUS.glob("[vq]*/**/*_tree_*.txt"))]

WORDS = st.sampled_from(
    [
        ("info",), ("info", "--json"), ("tree",), ("tree", "--json", "--depth", "all"), ("tree", "--at", "line:3"),
        ("tree", "--view", "Callers", "--limit", "50"), ("tree", "--view", "Packages", "--depth", "all"),
        ("tree", "--view", "Types", "--json"), ("tree", "--view", "Entry points"), ("tree", "--view", "Referrers"),
        ("tree", "--suppress-types", "*", "--suppress-methods", "*", "--suppress-roots", "java*"),
        ("index", "--json"),
    ]
)  # fmt: skip

ASKED = st.sampled_from(
    [
        ("find", "a"), ("find", "--json", "="), ("find", "--count", ""), ("find", "--regex", "--json", "^.{3}"),
        ("find", "--name", ""), ("find", "--name", "--regex", "(.)+"), ("show", "line:3"), ("show", "--json", "node:5"),
        ("show", "id:3"), ("refs", "--json", "id:1"), ("refs", "line:4"), ("why", "o"),
        ("why", "--json", "--all", "id:2"),
        ("why", "name:a"), ("show", "class:java.lang.String"), ("find", "--view", "Types", "a"),
        ("refs", "--view", "Callers", "id:5"), ("show", "--view", "Packages", "package:java.lang"),
    ]
)  # fmt: skip


PUT = st.sampled_from((b"\0", b"\r", b"\n", b"\xff\xfe", b"id=1 ", b" id-ref=99999999999 ", b"    ", b"id=\xd9\xa3 "))


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """Draws a report with a few mutations."""
    data = bytearray(draw(st.sampled_from(REPORTS)))
    for _ in range(draw(st.integers(0, 6))):
        place = draw(st.integers(0, max(0, len(data) - 1)))
        kind = draw(st.sampled_from(("flip", "cut", "put", "take", "twice", "line")))
        if kind == "flip" and data:
            data[place] = draw(st.integers(0, 255))
        elif kind == "cut":
            del data[place:]
        elif kind == "put":
            data[place:place] = draw(PUT)
        elif kind == "take":
            del data[place : place + draw(st.integers(1, 80))]
        elif kind == "twice":
            data += data[place : place + 400]
        else:
            data[place:place] = "\n│   ├── directly calls x.y():void id-ref=3 @bci=1 \n".encode()
    return bytes(data)


HEADERS = st.sampled_from((b"VM Entry Points\n", b"Heap roots\n", b"\xef\xbb\xbfHeap roots\r\n", b""))
NOISE = st.tuples(HEADERS, st.binary(max_size=400)).map(b"".join)

slowly = settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])


def check(answer: Answer) -> None:
    """Asserts properties of every answer to any question."""
    assert answer.status in (0, 1, 2, 3)
    assert "Traceback" not in answer.err and "unexpected" not in answer.err
    assert all(line.isprintable() for line in answer.err.splitlines())
    if answer.status == 2:
        assert answer.out == ""
    if answer.status == 3:
        assert "at byte" in answer.err


@slowly
@given(data=damaged() | NOISE, words=WORDS)
def test_commands_about_a_report(data: bytes, words: tuple[str, ...], tmp_path: Path, coffeetree: Run) -> None:
    path = tmp_path / "report.txt"
    path.write_bytes(data)
    check(coffeetree(words[0], "--no-cache", *words[1:], path))


@slowly
@given(data=damaged() | NOISE, words=ASKED)
def test_commands_with_a_question(data: bytes, words: tuple[str, ...], tmp_path: Path, coffeetree: Run) -> None:
    path = tmp_path / "report.txt"
    path.write_bytes(data)
    check(coffeetree(words[0], "--no-cache", *words[1:-1], path, words[-1]))


@slowly
@given(data=damaged(), words=WORDS, cut=st.integers(0, 400))
def test_packed_reports(data: bytes, words: tuple[str, ...], cut: int, tmp_path: Path, coffeetree: Run) -> None:
    path = tmp_path / "report.txt.gz"
    archive = gzip.compress(data)
    path.write_bytes(archive[: len(archive) - cut])
    check(coffeetree(words[0], "--no-cache", *words[1:], path))


@slowly
@given(data=damaged() | NOISE, word=st.text(max_size=20))
def test_any_word_as_a_question(data: bytes, word: str, tmp_path: Path, coffeetree: Run) -> None:
    path = tmp_path / "report.txt"
    path.write_bytes(data)
    for command in ("find", "show", "refs", "why"):
        check(coffeetree(command, "--no-cache", "--", path, word))


@pytest.mark.parametrize("seed", range(3))
def test_a_folder_of_anything(seed: int, tmp_path: Path, coffeetree: Run) -> None:
    chance = random.Random(seed)
    for number in range(30):
        data = bytearray(chance.choice(REPORTS))
        for _ in range(chance.randrange(10)):
            if data:
                data[chance.randrange(len(data))] = chance.randrange(256)
        tmp_path.joinpath(f"call_tree_{number}_20230401_101500.txt").write_bytes(data)
    check(coffeetree("info", "--json", "--no-cache", tmp_path))
    check(coffeetree("info", "--no-cache", tmp_path))
    check(coffeetree("--no-cache", tmp_path))


def test_the_limit_of_a_step_comes_again_if_its_exception_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tui.headless.patience.LONGEST", 0.05)
    lost = []

    def step() -> None:
        try:
            signal.pause()
        except ReportError as error:
            lost.append(error)
        signal.sigtimedwait((), 10)

    with pytest.raises(ReportError, match="given up"):
        patiently(step)
    assert len(lost) == 1


def test_an_expression_that_never_ends_is_given_up(
    tmp_path: Path, coffeetree: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tui.headless.patience.LONGEST", 0.3)
    path = tmp_path / "report.txt"
    path.write_text("VM Entry Points\n├── entry a." + "x" * 3000 + "():void id=1 \n\n", "utf-8")

    for words in ((), ("--name",), ("--count",)):
        answer = coffeetree("find", "--regex", "--no-cache", *words, path, "(?=x)(x+x+)+[0-8]{9}z?|(x+x+)+[^x(]{9}")
        assert (answer.status, answer.out) == (2, "")
        assert "more than 0.3 seconds" in answer.err
