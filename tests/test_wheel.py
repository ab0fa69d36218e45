"""The wheel: installed into an environment without a compiler it indexes, searches and answers by compiled kernels."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest
from conftest import ROOT, TESTS

from parsers.formats.registry import FORMATS
from parsers.kernels import library

pytestmark = pytest.mark.skipif(library.load() is None, reason="the library was not built (make kernels)")

NOT_THERE = ("numba", "llvmlite", "coffeetree", "__editable__")
"""First words of what the environment lacks."""
HEAP = TESTS / "corpus" / "hprof" / "heap" / "jdk17.hprof.xz"


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the wheel and the libraries that it needs; returns its folder of commands."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout.decode()
    for name in filter(lambda name: not name.startswith(("tests/", "bench/", "docs/")), tracked.split("\0")[:-1]):
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, source / name)
    # The groups of kernels that are compiled already are taken from there.
    (source / "build").mkdir()
    (source / "build" / "kernels").symlink_to(ROOT / "build" / "kernels")
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*command, "--wheel-dir", str(folder), str(source)], check=True, cwd=folder)
    venv.create(folder / "empty", with_pip=False)
    packages = Path(sysconfig.get_path("purelib", vars={"base": str(folder / "empty")}))
    for each in Path(sysconfig.get_path("purelib")).iterdir():
        if not each.name.startswith(NOT_THERE) and each.suffix != ".pth":
            (packages / each.name).symlink_to(each)
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as file:
        file.extractall(packages)
    return folder / "empty" / "bin"


def said(environment: Path, *words: object) -> str:
    command = [str(environment / "python"), "-P", "-m", "tui.app.main", *map(str, words)]
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "COFFEETREE_"))}
    done = subprocess.run(command, capture_output=True, text=True, cwd=environment, env=clean)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_wheel_has_no_compiler_and_all_kernels(environment: Path) -> None:
    done = subprocess.run(
        [str(environment / "python"), "-P", "-c", "import numba"], capture_output=True, cwd=environment
    )
    assert b"No module named 'numba'" in done.stderr
    engines = {line.split()[1] for line in said(environment, "info", "--engine").splitlines()}
    assert engines == {"library"}
    assert "kernels: library" in said(environment, "--version")


def test_a_heap_dump_is_indexed_searched_and_has_dominators(environment: Path, tmp_path: Path) -> None:
    cache = ("--cache-dir", tmp_path / "cache")
    assert "10,467,532 bytes" in said(environment, "index", HEAP, *cache)
    assert "java.lang.Thread" in said(environment, "find", HEAP, "java.lang.Thread", "--limit", "5", *cache)
    assert "retained" in said(environment, "tree", HEAP, "--view", "Dominators", "--limit", "3", *cache).lower()


def test_every_group_of_kernels_of_every_format_is_in_the_wheel(environment: Path) -> None:
    names = {line.split()[0] for line in said(environment, "info", "--engine").splitlines()}
    assert len(names) >= len({home for format in FORMATS for home in format.kernels})
