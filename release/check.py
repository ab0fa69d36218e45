"""Checks a release: builds it twice from the committed sources, installs the wheel into an empty environment, uses it.

    python release/check.py FOLDER

Leaves the wheel, the sdist, and the wheel's list of components (CycloneDX) in the folder, which must not exist.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
import venv
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CORPUS = ROOT / "tests" / "corpus"
MOST_SECONDS = 20
"""To install the wheel, with its dependencies in pip's cache."""
MOST_MEGABYTES = 100
"""Of the package and its dependencies, besides bytecode."""
INSTALLER = ("pip", "setuptools", "pkg_resources", "_distutils_hack")
"""Packages that an empty environment has."""
USES = (
    ("--version",),
    ("index", CORPUS / "graalvm/real_23.0_h2/reports/call_tree_h2shell_20261121_024827.txt.xz"),
    ("find", CORPUS / "graalvm/real_23.0_h2/reports/call_tree_h2shell_20261121_024827.txt.xz", "Trace", "--limit", "1"),
    ("tree", CORPUS / "hprof/heap/jdk17.hprof.xz", "--view", "Dominators", "--depth", "0", "--limit", "3"),
)
"""Arguments of commands: a first index, a search, dominators."""


def run(*command: object, **options: object) -> str:
    """Runs a command; returns its output. Raises `CalledProcessError`."""
    words = list(map(str, command))
    return subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True, **options).stdout  # type: ignore[call-overload, no-any-return]


def built(folder: Path) -> list[Path]:
    """Clones the committed sources and builds wheel and sdist; returns their files."""
    run("git", "clone", "--quiet", ROOT, folder / "source")
    run(sys.executable, "-m", "build", "--outdir", folder / "dist", folder / "source", stderr=subprocess.DEVNULL)
    return sorted((folder / "dist").iterdir())


def added(folder: Path) -> Iterator[Path]:
    """The files of packages in an environment, besides those of the installer."""
    packages = next(folder.glob("lib/*/site-packages"))
    files = (path for path in packages.rglob("*") if path.is_file())
    return (path for path in files if path.relative_to(packages).parts[0] not in INSTALLER)


def check_install(wheel: Path, folder: Path) -> None:
    """Installs a wheel into an empty environment, and uses it without a compiler."""
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    began = time.monotonic()
    run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wheel)
    print(f"installed in {time.monotonic() - began:.0f} s (at most {MOST_SECONDS} s with a warm cache)")
    size = sum(path.stat().st_size for path in added(folder) if path.suffix != ".pyc") / 1e6
    print(f"{size:.0f} MB (at most {MOST_MEGABYTES} MB without bytecode)")
    missing = subprocess.run([str(python), "-c", "import numba"], stderr=subprocess.DEVNULL)
    assert missing.returncode, "numba is installed"
    for arguments in USES:
        print(run(folder / "bin" / "coffeetree", *arguments).partition("\n\n")[0])
    engines = run(folder / "bin" / "coffeetree", "info", "--engine").splitlines()
    assert all("library" in line for line in engines), engines


def main() -> None:
    """Runs all checks; the first that fails ends with a traceback."""
    arguments = argparse.ArgumentParser(description="Check a release.")
    arguments.add_argument("folder", type=Path)
    folder = arguments.parse_args().folder.resolve()
    folder.mkdir(parents=True)
    first, second = built(folder / "first"), built(folder / "second")
    for one, other in zip(first, second, strict=True):
        assert one.read_bytes() == other.read_bytes(), f"{one.name} differs when it is built again"
        print(f"{one.name}: {one.stat().st_size:,} bytes, the same when built again")
    wheel = next(path for path in first if path.suffix == ".whl")
    print(run(sys.executable, "-m", "auditwheel", "show", wheel).strip())
    check_install(wheel, folder / "environment")
    components = folder / "components.json"
    environment = folder / "environment" / "bin" / "python"
    run(sys.executable, "-m", "cyclonedx_py", "environment", "--output-reproducible", "-o", components, environment)
    print(f"{components.name}: {components.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
