"""Folders of compiled kernels: old ones go, others stay; a compiling child doesn't outlive its program."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

from parsers.kernel import PREFIX, UNUSED, remove_others


def folder(parent: Path, name: str, age: float) -> Path:
    """A folder that was last changed so many seconds ago, with a file in it."""
    made = parent / name
    made.mkdir(mode=0o700)
    (made / "code").write_bytes(b"code")
    os.utime(made, (time.time() - age,) * 2)
    return made


def test_folders_of_other_states_go_when_they_are_old(tmp_path: Path) -> None:
    mine = folder(tmp_path, f"{PREFIX}now", 2 * UNUSED)
    old = folder(tmp_path, f"{PREFIX}old", 2 * UNUSED)
    young = folder(tmp_path, f"{PREFIX}young", UNUSED / 2)
    foreign = folder(tmp_path, "kernels-otherpython-1-old", 2 * UNUSED)
    index = folder(tmp_path, "index", 2 * UNUSED)
    remove_others(str(mine))
    assert not old.exists()
    assert all(kept.exists() for kept in (mine, young, foreign, index))


def test_a_link_to_elsewhere_is_not_followed(tmp_path: Path) -> None:
    elsewhere = folder(tmp_path, "elsewhere", 2 * UNUSED)
    (tmp_path / "cache").mkdir(mode=0o700)
    mine = folder(tmp_path / "cache", f"{PREFIX}now", 0)
    (tmp_path / "cache" / f"{PREFIX}link").symlink_to(elsewhere)
    remove_others(str(mine))
    assert (elsewhere / "code").exists()


def test_compiling_ends_with_the_program_it_is_for(tmp_path: Path) -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    # A process that is no more: nothing is compiled for it, and the child says so by its status.
    program = f"import parsers.kernel as kernel; kernel._end_with({gone.pid})"
    assert subprocess.run([sys.executable, "-c", program], cwd=tmp_path, timeout=60).returncode == 1
