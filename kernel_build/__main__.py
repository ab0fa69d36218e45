"""Builds the library of compiled kernels.

    python -m kernel_build [--target NAME] [FOLDER]

Groups whose sources are those of an earlier build are taken from `build/kernels`.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import sysconfig
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from kernel_build.record import merge_unlisted
from parsers.kernels.groups import KernelGroup, digest_of, group_of
from parsers.kernels.library import ENGINE, NAME, sealed
from parsers.kernels.signatures import listed
from parsers.runtime.compile import all_groups

HERE = Path(__file__).parent
ROOT = HERE.parent
KEPT = ROOT / "build" / "kernels"
"""Object files of earlier builds, by processor and digest."""

SAME = {"PYTHONHASHSEED": "0"}
"""Environment in which equal sources give equal code: the compiler goes through sets of names."""


class Target(NamedTuple):
    """A kind of machine."""

    triple: str
    """Its name for LLVM."""
    zig: str
    """Its name for zig, with the oldest C library."""
    processor: str
    """The oldest processor that is supported."""
    feature: str
    """A feature that no older processor has: the extension module asks for it."""
    options: tuple[str, ...]
    """Options of the linker."""


ELF = ("-s", "-Wl,--gc-sections", "-Wl,--build-id=none")
MACH_O = ("-undefined", "dynamic_lookup")
TARGETS = {
    "x86_64-linux": Target("x86_64-unknown-linux-gnu", "x86_64-linux-gnu.2.17", "x86-64-v2", "sse4.2", ELF),
    "aarch64-linux": Target("aarch64-unknown-linux-gnu", "aarch64-linux-gnu.2.17", "generic", "", ELF),
    "arm64-macos": Target("arm64-apple-macosx11.0.0", "aarch64-macos.11.0", "apple-m1", "", MACH_O),
}


def this_machine() -> str:
    """The key of the target that this machine is."""
    return f"{os.uname().machine}-{'macos' if sys.platform == 'darwin' else sys.platform}"


def build(folder: Path, name: str) -> Path:
    """Compiles what has changed, and writes the extension module into a folder; returns its path."""
    target = TARGETS[name]
    folders = _compile_groups(name)
    work = KEPT / name
    (work / "table.h").write_text(_table(folders, target))
    made = work / NAME
    objects = [str(place / f"{group.name}.o") for group, place in folders.items()]
    _link([str(HERE / "call.c"), *objects], made, work, target, is_cross=name != this_machine())
    made.write_bytes(sealed(made.read_bytes()))
    # Programs that run have the old file mapped, so it is replaced and not written over.
    new = folder / f"{NAME}.new"
    shutil.copy(made, new)
    os.replace(new, folder / NAME)
    return folder / NAME


def _compile_groups(name: str) -> dict[KernelGroup, Path]:
    """Compiles the groups without an object file, one process each; returns the folder of each."""
    target = TARGETS[name]
    folders = {group: KEPT / name / f"{digest_of(group)}-{_signatures_of(group)}" for group in all_groups()}

    def compile_one(group: KernelGroup) -> None:
        folder = folders[group]
        if (folder / f"{group.name}.json").exists():
            return
        folder.mkdir(parents=True, exist_ok=True)
        triple = [] if name == this_machine() else [target.triple]
        subprocess.run(
            [sys.executable, "-P", "-m", "kernel_build.objects", group.name, target.processor, str(folder), *triple],
            check=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path]), **SAME, ENGINE: "jit"},
        )

    # The groups with most kernels first: the processes end together.
    largest = sorted(folders, key=lambda group: -len(group.modules))
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        list(pool.map(compile_one, largest))
    return folders


def _signatures_of(group: KernelGroup) -> str:
    """A hash of the signatures of a group."""
    own = {name: kinds for name, kinds in listed().items() if group_of(name.partition(":")[0]) == group}
    return hashlib.blake2b(json.dumps(own).encode(), digest_size=8).hexdigest()


def _table(folders: dict[KernelGroup, Path], target: Target) -> str:
    """The generated header: entry points with their forms, and the digests of the sources."""
    rows = [row for group, folder in folders.items() for row in json.loads((folder / f"{group.name}.json").read_text())]
    entries = (f'    {{"{row["name"]}", {_quoted(row["form"])}, {row["returned"]}, {row["symbol"]}}},' for row in rows)
    digests = (f'    {{"{group.name}", "{digest_of(group)}"}},' for group in folders)
    return "\n".join(
        [
            f'#define PROCESSOR_FEATURE "{target.feature}"',
            *(f"extern int32_t {row['symbol']}(int64_t *);" for row in rows),
            "static const signature SIGNATURES[] = {",
            *entries,
            "    {NULL, NULL, 0, NULL}};",
            "static const source SOURCES[] = {",
            *digests,
            "    {NULL, NULL}};",
            "",
        ]
    )


def _quoted(text: str) -> str:
    """A text as a C literal."""
    return '"' + "".join(f"\\{ord(each):03o}" for each in text) + '"'


def _link(inputs: list[str], output: Path, work: Path, target: Target, is_cross: bool) -> None:
    """Compiles and links with the machine's C compiler, or that of the package `ziglang`, which serves all machines."""
    compiler = [sys.executable, "-m", "ziglang", "cc", "-target", target.zig]
    if not is_cross and shutil.which("cc"):
        compiler = ["cc"]
    options = ["-O2", "-shared", "-fPIC", "-fvisibility=hidden", *target.options]
    headers = [f"-I{sysconfig.get_path('include')}", f"-I{work}"]
    subprocess.run([*compiler, *options, *headers, *inputs, "-o", str(output)], check=True)


def main() -> None:
    """Builds for this machine, or for another one."""
    arguments = argparse.ArgumentParser(prog="python -m kernel_build", description=__doc__.partition("\n")[0])
    arguments.add_argument("--target", default=this_machine(), choices=TARGETS)
    arguments.add_argument("--record", metavar="FILE", help="first add the signatures that a run has noted")
    arguments.add_argument("folder", nargs="?", type=Path, default=ROOT / "parsers" / "kernels")
    asked = arguments.parse_args()
    if asked.record is not None:
        merge_unlisted(Path(asked.record))
    print(build(asked.folder, asked.target))


if __name__ == "__main__":
    main()
