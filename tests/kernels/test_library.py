"""The library of compiled kernels: what it accepts, what it refuses, and which engine is used without it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import ROOT
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from parsers.kernels import library
from parsers.kernels.groups import group_of
from parsers.kernels.signatures import listed
from parsers.model.late import named
from parsers.runtime.compile import all_groups

pytestmark = pytest.mark.skipif(library.load() is None, reason="the library was not built (make kernels)")

LINES = "parsers.query.search.line_kernel:lines_holding"
TEXT = np.frombuffer(bytearray(b"one\ntwo\nthree\n" + bytes(256)), np.uint8)
LETTER = np.frombuffer(bytearray(b"o" + bytes(256)), np.uint8)


@pytest.fixture
def without_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library, "has_compiler", lambda: False)


@pytest.fixture
def lines_holding(without_compiler: None) -> Any:
    """The kernel that finds lines with a text."""
    return named(LINES)


def arguments(**other: Any) -> tuple[Any, ...]:
    """Arguments for lines with an "o", some of them replaced."""
    usual = {"data": TEXT, "stop": 14, "text": LETTER, "length": 1, "first": 0, "second": 0}
    return tuple((usual | {"starts": np.zeros(9, np.int64)} | other).values())


def test_a_kernel_finds_the_lines_of_its_twin(lines_holding: Any) -> None:
    found = np.zeros(9, np.int64)
    assert found[: lines_holding(*arguments(starts=found))].tolist() == [0, 4]


def test_an_array_without_items_may_begin_anywhere(lines_holding: Any) -> None:
    nowhere: Any = np.ndarray(0, np.int64, bytearray(9), 1)
    assert nowhere.ctypes.data % 8
    assert lines_holding(*arguments(stop=0, starts=nowhere)) == 0


def test_every_listed_signature_is_in_the_library() -> None:
    missing = [name for name in listed() if library.load().find(name, print) is None]
    assert not missing
    assert library.load().find("parsers.nothing:here", print) is None


def test_every_group_is_built_from_the_present_sources() -> None:
    assert {group.name: library.engine_of(group) for group in all_groups()} == {
        group.name: "library" for group in all_groups()
    }


WRONG = {
    "another item type": {"data": TEXT.astype(np.uint16)},
    "a signed item type": {"data": TEXT.view(np.int8)},
    "more dimensions": {"data": TEXT.reshape(2, -1)},
    "gaps between items": {"data": np.zeros(600, np.uint8)[::2]},
    "an array that may not be written": {"starts": np.frombuffer(bytes(72), np.int64)},
    "items that are not aligned": {"starts": np.frombuffer(bytearray(80), np.uint8)[1:73].view(np.int64)},
    "no array": {"data": [1, 2, 3]},
    "a number for an array": {"starts": 3},
    "an array for a number": {"length": np.zeros(2, np.int64)},
    "a fraction": {"length": 1.5},
    "a truth value for a number": {"length": True},
    "a number of more than 64 bits": {"length": 1 << 63},
    "nothing": {"length": None},
}


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
def test_arguments_of_another_kind_are_refused_before_the_call(lines_holding: Any, wrong: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match=r"line_kernel\.lines_holding is not compiled for these arguments"):
        lines_holding(*arguments(**wrong))


def test_arguments_that_are_missing_or_named_are_refused(lines_holding: Any) -> None:
    with pytest.raises(TypeError):
        lines_holding(*arguments()[:-1])
    with pytest.raises(TypeError):
        lines_holding(*arguments(), 1)
    with pytest.raises(TypeError, match="named"):
        lines_holding(*arguments(), more=1)


def test_arguments_that_the_library_lacks_are_compiled_for_where_a_compiler_is(monkeypatch: pytest.MonkeyPatch) -> None:
    called = []
    monkeypatch.setattr(library, "has_compiler", lambda: True)
    monkeypatch.setattr("parsers.kernels.jit.JitKernel.__call__", lambda self, *given: called.append(given))
    library._unlisted(named(LINES), 1, 2)
    assert called == [(1, 2)]


ANYTHING = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(1 << 70), 1 << 70),
    st.floats(),
    st.text(max_size=3),
    st.binary(max_size=3),
    arrays.arrays(st.sampled_from(["u1", "i1", "u2", "u4", "u8", "i8", "f8", "?", ">u4", "U2", "M8[s]"]), (0,)),
    st.tuples(st.integers(0, 3)),
)


@given(st.sampled_from(sorted(listed())), st.lists(ANYTHING, max_size=12))
def test_whatever_the_arguments_are_those_of_no_kernel_are_refused(name: str, given_arguments: list[Any]) -> None:
    refused = library.load().find(name, lambda *arguments: "refused")
    # No kernel takes the last one, so whatever the others are, none is called.
    assert refused(*given_arguments, object()) == "refused"


def run(*folders: Path) -> subprocess.CompletedProcess[str]:
    """Says which engine a program with the library of each folder uses for searching."""
    code = (
        "from parsers.kernels import library; library.has_compiler = lambda: False\n"
        "from parsers.query.search.kernels import KERNELS\n"
        f"for library.FOLDER in {[*map(str, folders)]}:\n"
        "    for kept in (library.load, library.engine_of, library.loaded, library._refuse): kept.cache_clear()\n"
        f"    print(library.engine_of(KERNELS), library.loaded({LINES!r}))"
    )
    return subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)


def test_a_damaged_library_is_refused_with_one_line(tmp_path: Path) -> None:
    content = Path(library.FOLDER, library.NAME).read_bytes()
    half, changed = content[: len(content) // 2], content[:4096] + b"x" + content[4097:]
    for number, damaged in enumerate((content[:-1], half, b"", bytes(100), changed)):
        (tmp_path / str(number)).mkdir()
        (tmp_path / str(number) / library.NAME).write_bytes(damaged)
    done = run(*tmp_path.iterdir())
    assert done.stdout == "plain None\n" * 5
    assert done.stderr == "coffeetree: compiled kernels are not used: their file is damaged\n" * 5


def test_a_file_that_is_no_library_is_refused_with_one_line(tmp_path: Path) -> None:
    (tmp_path / library.NAME).write_bytes(library.sealed(b"no library"))
    done = run(tmp_path)
    assert (done.stdout, done.stderr.count("\n")) == ("plain None\n", 1)


def test_without_a_library_nothing_is_said(tmp_path: Path) -> None:
    done = run(tmp_path)
    assert (done.stdout, done.stderr) == ("plain None\n", "")


def test_kernels_from_other_sources_are_not_used(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    group = group_of(LINES.partition(":")[0])
    library.engine_of.cache_clear()
    library._refuse.cache_clear()
    monkeypatch.setattr(library, "digest_of", lambda group: "another")
    try:
        assert library.engine_of(group) == "jit"
        library.engine_of.cache_clear()
        monkeypatch.setattr(library, "has_compiler", lambda: False)
        assert library.engine_of(group) == "plain"
        assert capsys.readouterr().err == (
            "coffeetree: compiled kernels are not used: they were built from other sources\n"
        )
    finally:
        library.engine_of.cache_clear()


@pytest.mark.parametrize("engine", ["library", "plain"])
def test_the_environment_chooses_an_engine(engine: str) -> None:
    code = "from parsers.kernels.library import engine_of; from parsers.graph.kernels import KERNELS; "
    done = subprocess.run(
        [sys.executable, "-c", code + "print(engine_of(KERNELS))"],
        cwd=ROOT, env={**os.environ, library.ENGINE: engine}, capture_output=True, text=True,
    )  # fmt: skip
    assert (done.stdout, done.stderr) == (f"{engine}\n", "")


def test_the_smallest_group_is_compiled_to_the_same_code_each_time(tmp_path: Path) -> None:
    environment = {**os.environ, library.ENGINE: "jit"}
    for folder in (tmp_path / "one", tmp_path / "two"):
        folder.mkdir()
        command = [sys.executable, "-P", "-m", "kernel_build.objects", "graalvm-lines", "x86-64-v2", str(folder)]
        subprocess.run(command, check=True, env=environment | {"PYTHONPATH": str(ROOT)}, cwd=ROOT)
    first, second = (sorted((tmp_path / each).iterdir()) for each in ("one", "two"))
    assert [path.name for path in first] == ["graalvm-lines.json", "graalvm-lines.o"]
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]
