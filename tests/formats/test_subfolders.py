"""Subfolders with reports: counted without following links, within limits, whatever the names and permissions are."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from parsers.formats import subfolders
from parsers.formats.subfolders import SubfolderSearch, may_have_reports

CALL_TREE = "VM Entry Points\n├── entry a.B.main():void id=1 \n"


def report(folder: Path, name: str = "call_tree_app_20260101_000000.txt") -> None:
    """Writes a report into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    folder.joinpath(name).write_text(CALL_TREE)


def found(folder: Path, **limits: int) -> dict[str, tuple[int, bool]]:
    """Reports by subfolder, and if all were counted."""
    return {each.name: (each.reports, each.is_complete) for each in SubfolderSearch(str(folder), **limits)}


def test_reports_are_counted_at_any_depth_and_folders_without_them_are_left_out(tmp_path: Path) -> None:
    report(tmp_path / "b" / "reports")
    report(tmp_path / "b" / "reports", "call_tree_other_20260101_000000.txt")
    report(tmp_path / "a")
    report(tmp_path)
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "readme.txt").write_text("nothing")
    assert list(found(tmp_path).items()) == [("a", (1, True)), ("b", (2, True))]


def test_links_are_not_followed_and_hidden_folders_not_entered(tmp_path: Path) -> None:
    report(tmp_path / "elsewhere")
    report(tmp_path / "tree" / ".hidden")
    report(tmp_path / "tree" / "real")
    (tmp_path / "tree" / "link").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "tree" / "real" / "loop").symlink_to(tmp_path / "tree")
    (tmp_path / "tree" / "real" / "file.txt").symlink_to(tmp_path / "elsewhere" / "call_tree_app_20260101_000000.txt")
    (tmp_path / "tree" / "real" / "self").symlink_to("self")
    assert found(tmp_path / "tree") == {"real": (1, True)}


def test_names_that_are_no_utf_8_and_no_text(tmp_path: Path) -> None:
    folder = os.fsencode(tmp_path) + b"/\xff\x1b[2J\n"
    os.mkdir(folder)
    with open(folder + b"/\xfe.txt", "w") as file:
        file.write(CALL_TREE)
    assert list(found(tmp_path).values()) == [(1, True)]


def test_pipes_and_devices_are_not_opened(tmp_path: Path) -> None:
    report(tmp_path / "a")
    os.mkfifo(tmp_path / "a" / "pipe")
    assert found(tmp_path) == {"a": (1, True)}


def test_a_folder_that_can_not_be_read_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    report(tmp_path / "a" / "closed")
    report(tmp_path / "a" / "open")
    plain = os.scandir

    def refused(path: str) -> object:
        if path.endswith("closed"):
            raise PermissionError(13, "Permission denied")
        return plain(path)

    monkeypatch.setattr(subfolders.os, "scandir", refused)
    assert found(tmp_path) == {"a": (1, False)}


def test_a_folder_that_has_gone_is_empty(tmp_path: Path) -> None:
    assert found(tmp_path / "gone") == {}


def test_the_limit_of_a_subfolder_is_said_and_the_next_one_is_examined(tmp_path: Path) -> None:
    for number in range(8):
        report(tmp_path / "a" / f"{number}")
    report(tmp_path / "b")
    assert found(tmp_path, most_each=6) == {"a": (2, False), "b": (1, True)}


def test_the_limit_of_all_is_said(tmp_path: Path) -> None:
    for name in "abcd":
        report(tmp_path / name)
    search = SubfolderSearch(str(tmp_path), most=4)
    assert [each.name for each in search] == ["a", "b"]
    assert not search.is_complete


def test_deep_folders_end_at_a_limit(tmp_path: Path) -> None:
    deepest = tmp_path.joinpath("a", *["x"] * subfolders.MOST_DEPTH)
    report(deepest)
    report(deepest.parent)
    assert found(tmp_path) == {"a": (1, False)}


def test_a_search_that_is_not_wanted_ends(tmp_path: Path) -> None:
    for name in "abc":
        report(tmp_path / name)
    search = SubfolderSearch(str(tmp_path))
    rest = iter(search)
    assert next(rest).name == "a"
    search.is_wanted = False
    assert list(rest) == []


def test_only_heads_of_files_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    report(tmp_path / "a")
    sizes: list[int] = []
    plain = os.pread

    def noted(descriptor: int, size: int, offset: int) -> bytes:
        sizes.append(size)
        return plain(descriptor, size, offset)

    monkeypatch.setattr("parsers.formats.folder.os.pread", noted)
    assert found(tmp_path) == {"a": (1, True)}
    assert sizes == [4096]


def test_a_folder_may_have_reports_if_one_was_found_or_not_all_was_searched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a").mkdir()
    assert not may_have_reports(str(tmp_path))
    report(tmp_path / "b")
    assert may_have_reports(str(tmp_path))
    monkeypatch.setattr(subfolders, "MOST_AT_ONCE", 1)
    (tmp_path / "b" / "call_tree_app_20260101_000000.txt").unlink()
    assert may_have_reports(str(tmp_path))
