"""Plain code and kernels make the same index of sound, cut and changed recordings, and never fail."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from conftest import TESTS, plain_bytes
from hypothesis import given, settings
from hypothesis import strategies as st
from recordings import KernelBuild, PlainBuild, built

from parsers.formats.jfr.build import RecordingBuild
from parsers.formats.jfr.read import chunk

CORPUS = TESTS / "corpus" / "jfr"
SAMPLES = sorted(path.name for path in CORPUS.glob("*.xz"))
DAMAGED = ("jdk25-stuck.jfr.xz", "odd-event-type-unknown.jfr.xz", "ap4-jfrsync.jfr.xz")


def check_twins(data: bytes) -> None:
    """Compares both indexes of some bytes."""
    with TemporaryDirectory() as folder:
        plain, plain_arrays = built(data, Path(folder), PlainBuild)
        kernel, kernel_arrays = built(data, Path(folder), KernelBuild)
    assert (plain.rows, plain.totals, plain.problems) == (kernel.rows, kernel.totals, kernel.problems)
    assert plain_arrays == kernel_arrays


@pytest.mark.parametrize("name", SAMPLES)
def test_both_engines_agree_on_a_sample(name: str) -> None:
    check_twins(plain_bytes(CORPUS / name))


@settings(max_examples=8)
@given(st.sampled_from(DAMAGED), st.floats(0, 1))
def test_both_engines_agree_on_a_cut_file(name: str, share: float) -> None:
    data = plain_bytes(CORPUS / name)
    check_twins(data[: 8 + int(share * (len(data) - 8))])


@settings(max_examples=12)
@given(st.sampled_from(DAMAGED), st.lists(st.tuples(st.floats(0, 1), st.integers(1, 255)), min_size=1, max_size=20))
def test_both_engines_agree_on_a_file_with_changed_bytes(name: str, changes: list[tuple[float, int]]) -> None:
    data = bytearray(plain_bytes(CORPUS / name))
    for share, change in changes:
        data[8 + int(share * (len(data) - 9))] ^= change
    check_twins(bytes(data))


@pytest.mark.parametrize("name", ["jdk25-stuck.jfr.xz", "ap4-jfrsync.jfr.xz", "jdk17-deep512.jfr.xz"])
@pytest.mark.parametrize("maker", [PlainBuild, KernelBuild])
def test_windows_smaller_than_checkpoints_change_nothing(
    name: str, maker: type[RecordingBuild], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = plain_bytes(CORPUS / name)
    whole, arrays = built(data, tmp_path, maker)
    monkeypatch.setattr(chunk, "WINDOW", 5_000)
    in_pieces, arrays_in_pieces = built(data, tmp_path, maker)
    assert in_pieces.totals == whole.totals
    assert arrays_in_pieces == arrays
