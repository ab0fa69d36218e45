"""Compiles kernels by numba before they are needed: for tests of changed kernels, and of those that check indexes.

    python -m parsers.runtime.compile [NAME]

Without the name of a group, all that the library of compiled kernels lacks. They are found in a folder beside this
package.
"""

from __future__ import annotations

import os
import subprocess
import sys

from parsers.formats.registry import FORMATS
from parsers.kernels.groups import COMPLETE, KernelGroup, folder_of, group_of, prepare, remove_others
from parsers.kernels.library import engine_of
from parsers.model.late import named

NEUTRAL = (
    "parsers.kernels.groups:SHARED",
    "parsers.heapdump.kernels:KERNELS",
    "parsers.graph.kernels:KERNELS",
    "parsers.profile.kernels:KERNELS",
    "parsers.query.search.kernels:KERNELS",
)
"""Groups that serve any format."""


def all_groups() -> list[KernelGroup]:
    """The groups of all formats, and those that serve any format."""
    homes = dict.fromkeys((*NEUTRAL, *(home for format in FORMATS for home in format.kernels)))
    return [named(home) for home in homes]


def group_named(name: str) -> KernelGroup:
    """The group of that name. Raises `StopIteration`."""
    return next(group for group in all_groups() if group.name == name)


def compile_group(group: KernelGroup) -> None:
    """Compiles every kernel of a group for the arguments of `signatures.json`."""
    from parsers.kernels.compiled import compiled
    from parsers.kernels.jit import JitKernel
    from parsers.kernels.signatures import listed, type_of

    folder = folder_of(prepare(), group)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    for name, signatures in listed().items():
        if group_of(name.partition(":")[0]) == group:
            found = named(name)
            kernel = found if isinstance(found, JitKernel) else compiled(found)
            for signature in signatures:
                kernel.dispatcher.compile(tuple(map(type_of, signature)))
    with open(os.path.join(folder, COMPLETE), "w"):
        pass
    remove_others(prepare(), all_groups())


def compile_all() -> None:
    """Compiles the groups that the library lacks, each in a process of its own. Raises `OSError` if that fails."""
    home = prepare()
    missing = [group for group in all_groups() if engine_of(group) == "jit"]
    missing = [group for group in missing if not os.path.exists(os.path.join(folder_of(home, group), COMPLETE))]
    command = [sys.executable, "-P", "-m", "parsers.runtime.compile"]
    compilers = [subprocess.Popen([*command, group.name], stdout=subprocess.DEVNULL) for group in missing]
    if sum(compiler.wait() != 0 for compiler in compilers):
        raise OSError("kernels can't be compiled")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        compile_group(group_named(sys.argv[1]))
    else:
        compile_all()
