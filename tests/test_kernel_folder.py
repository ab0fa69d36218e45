"""Folders of compiled kernels: old ones go, others stay; a compiling child doesn't outlive its program."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path

import parsers
from parsers.kernels.groups import GROUPS, PREFIX, UNUSED, group_of, name_of, remove_others


def folder(parent: Path, name: str, age: float) -> Path:
    """A folder that was last changed so many seconds ago, with a file in it."""
    made = parent / name
    made.mkdir(mode=0o700)
    (made / "code").write_bytes(b"code")
    os.utime(made, (time.time() - age,) * 2)
    return made


def test_folders_of_other_states_go_when_they_are_old(tmp_path: Path) -> None:
    mine = folder(tmp_path, name_of("graalvm"), 2 * UNUSED)
    old = folder(tmp_path, f"{PREFIX}old", 2 * UNUSED)
    young = folder(tmp_path, f"{PREFIX}young", UNUSED / 2)
    foreign = folder(tmp_path, "kernels-otherpython-1-old", 2 * UNUSED)
    index = folder(tmp_path, "index", 2 * UNUSED)
    remove_others(str(tmp_path))
    assert not old.exists()
    assert all(kept.exists() for kept in (mine, young, foreign, index))


def test_a_link_to_elsewhere_is_not_followed(tmp_path: Path) -> None:
    elsewhere = folder(tmp_path, "elsewhere", 2 * UNUSED)
    (tmp_path / "cache").mkdir(mode=0o700)
    (tmp_path / "cache" / f"{PREFIX}link").symlink_to(elsewhere)
    remove_others(str(tmp_path / "cache"))
    assert (elsewhere / "code").exists()


def test_every_module_with_kernels_counts_for_its_group() -> None:
    base = Path(parsers.__file__).parent
    for module in base.glob("*/*.py"):
        text = module.read_text("utf-8")
        if re.search(r"^from parsers\.index\.jit import", text, re.MULTILINE):
            group = group_of(f"parsers.{module.parent.name}.{module.stem}")
            assert module.name in GROUPS[group]
            assert group.partition("-")[0] == module.parent.name


def test_a_module_elsewhere_has_the_kernels_that_all_share() -> None:
    assert {group_of("parsers.kernels.vector"), group_of("tests.some"), group_of("some")} == {"index"}


def test_compiling_ends_with_the_program_it_is_for(tmp_path: Path) -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    # A process that is no more: nothing is compiled for it, and the child says so by its status.
    program = f"import parsers.runtime.compile as program; program._end_with({gone.pid})"
    assert subprocess.run([sys.executable, "-c", program], cwd=tmp_path, timeout=60).returncode == 1
