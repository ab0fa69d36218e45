"""Mapped files: their bytes, without a descriptor, also when the file is gone."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from parsers.index.mapping import mapped


def test_bytes_stay_when_the_file_is_closed_and_gone(tmp_path: Path) -> None:
    path = tmp_path / "array"
    path.write_bytes(bytes(range(256)) * 64)
    before = len(os.listdir("/dev/fd"))
    descriptor = os.open(path, os.O_RDONLY)
    views = [mapped(descriptor, 4096 * pages).cast("I") for pages in (1, 2, 4)]
    os.close(descriptor)
    path.unlink()
    assert len(os.listdir("/dev/fd")) == before
    assert [len(view) for view in views] == [1024, 2048, 4096]
    assert views[2].tobytes() == bytes(range(256)) * 64


def test_memory_goes_back_with_the_last_view(tmp_path: Path) -> None:
    path = tmp_path / "an array of its own"
    path.write_bytes(b"1234")
    descriptor = os.open(path, os.O_RDONLY)
    view = mapped(descriptor, 4)
    os.close(descriptor)
    part = view[1:]
    del view
    assert bytes(part) == b"234"
    if os.path.exists("/proc/self/maps"):
        assert path.name in Path("/proc/self/maps").read_text()
        del part
        assert path.name not in Path("/proc/self/maps").read_text()


def test_mapped_arrays_are_read_only(tmp_path: Path) -> None:
    path = tmp_path / "array"
    path.write_bytes(b"1234")
    descriptor = os.open(path, os.O_RDONLY)
    view = mapped(descriptor, 4)
    os.close(descriptor)
    with pytest.raises(TypeError, match="read-only"):
        view[0] = 1


def test_a_file_that_is_too_short_or_no_file_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "array"
    path.write_bytes(b"1234")
    descriptor = os.open(path, os.O_WRONLY)
    with pytest.raises(ValueError, match="greater than file size"):
        mapped(descriptor, 5)
    with pytest.raises(PermissionError):
        mapped(descriptor, 4)
    os.close(descriptor)
