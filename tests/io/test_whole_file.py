"""A file is written completely or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from parsers.io.whole_file import whole_file


def test_a_file_is_replaced_when_all_is_written(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_bytes(b"old")
    with whole_file(str(path)) as out:
        out.write(b"new")
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new"
    assert os.listdir(tmp_path) == ["rows.csv"]


def test_after_an_error_the_earlier_file_is_there_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_bytes(b"old")
    with pytest.raises(KeyError), whole_file(str(path)) as out:
        out.write(b"half")
        raise KeyError
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["rows.csv"]


def test_a_new_file_has_the_permissions_of_the_umask(tmp_path: Path) -> None:
    path, before = tmp_path / "rows.csv", os.umask(0o027)
    try:
        with whole_file(str(path)) as out:
            out.write(b"new")
    finally:
        os.umask(before)
    assert path.stat().st_mode & 0o777 == 0o640


def test_a_missing_folder_is_reported_with_the_wanted_path(tmp_path: Path) -> None:
    path = str(tmp_path / "missing" / "rows.csv")
    with pytest.raises(OSError, match="No such file") as error, whole_file(path):
        pass
    assert error.value.filename == path
