"""The private folder: whose it is, what is kept, what goes first."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from parsers.io.cache import Cache, create_private, default_folder, open_private
from parsers.io.source import Identity

IDENTITY = Identity(1, 2, 3, 4, "5")


def mode(path: str | Path) -> int:
    return stat.S_IMODE(os.stat(path).st_mode)


def identity(number: int) -> Identity:
    return Identity(number, 2, 3, 4, "5")


def test_nothing_is_made_before_it_is_asked_for(tmp_path: Path) -> None:
    Cache(str(tmp_path / "cache"))
    assert list(tmp_path.iterdir()) == []


def test_folders_and_files_are_private(tmp_path: Path) -> None:
    cache = Cache(str(tmp_path / "a" / "cache"))
    folder = cache.index_folder(IDENTITY, "some-format")
    os.close(create_private(os.path.join(folder, "rows")))
    assert [mode(tmp_path / "a" / "cache"), mode(folder), mode(os.path.join(folder, "rows"))] == [0o700, 0o700, 0o600]


def test_the_default_is_in_xdg_cache_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert default_folder() == "/somewhere/coffeetree"


def test_a_relative_xdg_cache_home_does_not_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "somewhere")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert default_folder() == f"{tmp_path}/.cache/coffeetree"


def test_a_home_that_is_not_there_is_not_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "")
    monkeypatch.setenv("HOME", "/nowhere/at/all")
    assert default_folder() is None


def test_without_a_home_nothing_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", "nowhere")
    cache = Cache()
    folder = cache.folder
    assert (cache.is_kept, cache.complaint) == (False, "cache folder ?: there is no home folder; nothing is kept")
    cache.close()
    assert not os.path.exists(folder)


def test_a_folder_that_others_can_write_to_is_refused(tmp_path: Path) -> None:
    tmp_path.joinpath("cache").mkdir()
    tmp_path.joinpath("cache").chmod(0o777)
    cache = Cache(str(tmp_path / "cache"))
    assert not cache.folder.startswith(str(tmp_path))
    assert cache.complaint is not None and "can be written by others" in cache.complaint
    cache.close()


def test_a_file_in_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    tmp_path.joinpath("cache").write_text("")
    cache = Cache(str(tmp_path / "cache"))
    assert mode(cache.folder) == 0o700
    assert cache.complaint is not None and "is not a folder" in cache.complaint
    cache.close()


def test_a_folder_that_cannot_be_made_is_no_error() -> None:
    cache = Cache("/proc/nowhere/cache")
    assert os.path.isdir(cache.index_folder(IDENTITY, "f"))
    assert not cache.is_kept
    cache.close()


def test_with_keep_false_everything_goes_at_the_end(tmp_path: Path) -> None:
    cache = Cache(str(tmp_path / "cache"), keep=False)
    folder = cache.index_folder(IDENTITY, "f")
    assert os.path.isdir(folder)
    cache.close()
    assert not os.path.exists(folder)
    assert list(tmp_path.iterdir()) == []


def test_a_private_folder_goes_when_its_process_ends_without_closing() -> None:
    code = "from parsers.io.cache import Cache; cache = Cache(keep=False); print(cache.folder)"
    folder = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()
    assert folder and not os.path.exists(folder)


def test_different_files_and_formats_have_different_folders(tmp_path: Path) -> None:
    cache = Cache(str(tmp_path / "cache"))
    folders = {cache.index_folder(each, format) for each in (identity(1), identity(2)) for format in ("f", "g")}
    assert len(folders) == 4
    assert cache.index_folder(identity(1), "f") in folders


def test_asking_without_create_makes_nothing(tmp_path: Path) -> None:
    cache = Cache(str(tmp_path / "cache"))
    assert not os.path.exists(cache.index_folder(IDENTITY, "f", create=False))


@pytest.mark.parametrize("name", ["../../etc/passwd", "..", "", "a/b", "a\0b", "\x1b[31m", "ä" * 500])
def test_no_name_leads_out_of_the_cache(tmp_path: Path, name: str) -> None:
    cache = Cache(str(tmp_path / "cache"))
    path = cache.unpacked_path(IDENTITY, name)
    os.close(create_private(path))
    assert os.path.dirname(os.path.dirname(path)) == os.path.join(cache.folder, "unpacked")
    assert path.isascii()


def test_files_in_place_of_cache_folders_are_replaced(tmp_path: Path) -> None:
    cache = Cache(str(tmp_path / "cache"))
    os.symlink(tmp_path, os.path.join(cache.folder, "index"))
    folder = cache.index_folder(IDENTITY, "f")
    assert os.path.realpath(folder) == folder


def test_a_link_is_never_opened_or_written_through(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_text("mine")
    os.symlink(target, tmp_path / "link")
    with pytest.raises(FileExistsError):
        create_private(str(tmp_path / "link"))
    with pytest.raises(OSError, match=r".*"):
        open_private(str(tmp_path / "link"))
    assert target.read_text() == "mine"


def test_a_file_that_others_can_write_to_is_not_opened(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("")
    path.chmod(0o666)
    with pytest.raises(PermissionError):
        open_private(str(path))


def fill(cache: Cache, number: int, size: int, used: int) -> str:
    folder = cache.index_folder(identity(number), "f")
    with open(os.path.join(folder, "rows"), "wb") as file:
        file.write(b"x" * size)
    os.utime(folder, (used, used))
    return folder


def test_least_recently_used_entries_are_removed_first(tmp_path: Path) -> None:
    filler = Cache(str(tmp_path / "cache"))
    old, older, new = (fill(filler, number, 8192, used) for number, used in ((1, 2000), (2, 1000), (3, 3000)))
    filler.close()
    cache = Cache(str(tmp_path / "cache"), limit=20_000)
    assert cache.trim() == 8192
    assert [os.path.exists(folder) for folder in (old, older, new)] == [True, False, True]


def test_entries_in_use_are_not_trimmed(tmp_path: Path) -> None:
    holder = Cache(str(tmp_path / "cache"))
    held = fill(holder, 1, 8192, 1000)
    cache = Cache(str(tmp_path / "cache"), limit=0)
    assert cache.trim() == 0
    holder.close()
    assert cache.trim() == 8192
    assert not os.path.exists(held)


def test_closing_trims_what_has_grown(tmp_path: Path) -> None:
    cache = Cache(str(tmp_path / "cache"), limit=0)
    folder = fill(cache, 1, 8192, 1000)
    cache.close()
    assert not os.path.exists(folder)


def test_a_reader_of_what_is_there_does_not_look_through_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = Cache(str(tmp_path / "cache"))
    fill(cache, 1, 8192, 1000)
    cache.close()
    trims = list[Cache]()
    monkeypatch.setattr(Cache, "trim", lambda cache: trims.append(cache))
    for number in (1, 2):
        reader = Cache(str(tmp_path / "cache"))
        reader.index_folder(identity(number), "f")
        reader.close()
        assert trims == [reader] * (number - 1)


@pytest.mark.parametrize("used", [0, 999, 1000, 1001])
def test_a_file_system_without_room_for_too_much_is_not_looked_through(
    used: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache, looks = Cache(str(tmp_path / "cache"), limit=1000), list[Cache]()
    monkeypatch.setattr(os, "statvfs", lambda folder: SimpleNamespace(f_blocks=used + 5, f_bfree=5, f_frsize=1))
    monkeypatch.setattr(Cache, "_entries", lambda cache: looks.append(cache) or [])
    assert cache.trim() == 0
    assert looks == [cache] * (used in (0, 1001))


def test_the_temporary_folder_goes_but_the_cache_stays(tmp_path: Path) -> None:
    cache = Cache(str(tmp_path / "cache"))
    kept, temporary = cache.index_folder(IDENTITY, "f"), cache.temporary_folder()
    assert mode(temporary) == 0o700
    cache.close()
    assert (os.path.exists(kept), os.path.exists(temporary)) == (True, False)


def test_remains_of_a_killed_process_are_removed_by_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    use = "from parsers.io.cache import Cache; cache = Cache(keep=False); print(cache.folder, flush=True)"
    code = f"import os; {use}; os.kill(os.getpid(), 9)"
    folder = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip()
    assert os.path.isdir(folder)
    living, other = Cache(keep=False), Cache(keep=False)
    assert os.path.isdir(living.folder)
    assert not os.path.exists(folder)
    assert os.path.isdir(other.folder) and os.path.isdir(living.folder)
    living.close()
    other.close()
    assert list(tmp_path.iterdir()) == []
