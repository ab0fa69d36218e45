"""Where compiled kernels live, and how they are made before anybody waits for them.

Numba keeps compiled code by the file a function stands in and doesn't see when a function that it calls has changed; so
the folder is named after the contents of all kernel modules and the versions below them, and never holds code of
another state. It is chosen before numba is imported: numba reads its setting once.

`python -m parsers.kernel` compiles everything; package installs and `make` run it, and the first index of a user does.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
import tempfile

MODULES = (
    "kernel.py",
    "search/fuzzy.py",
    "search/byte_states.py",
    "index/jit.py",
    "index/vector.py",
    "index/text_table.py",
    "graalvm/chunk.py",
    "graalvm/call_kernel.py",
    "graalvm/control_kernel.py",
    "graalvm/object_kernel.py",
    "graalvm/text_kernel.py",
    "graalvm/join_kernel.py",
    "graalvm/shape_kernel.py",
    "graalvm/end_kernel.py",
    "search/fuzzy_kernel.py",
    "search/line_kernel.py",
    "search/state_kernel.py",
)
"""Files below `parsers` whose contents decide what compiled code does."""

VARIABLE = "NUMBA_CACHE_DIR"
COMPLETE = "complete"
"""A file in the folder of compiled kernels, made when all of them are there."""


def prepare(private: str | None = None) -> str:
    """Sets where numba keeps compiled code and gives the folder: beside the package if that can be written.

    private: the cache folder of this user, which is taken else; without any a temporary folder is made. Once chosen,
    the folder stays for this process and those it starts.
    """
    name = f"kernels-{state()}"
    chosen = os.environ.get(VARIABLE)
    if chosen is not None and os.path.basename(chosen) == name and _is_ours(chosen):
        return chosen
    here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "__pycache__")
    for parent in (here, private):
        if parent is not None and _is_ours(os.path.join(parent, name), make=True):
            chosen = os.path.join(parent, name)
            break
    else:
        chosen = os.path.join(tempfile.mkdtemp(prefix="coffeetree-"), name)
        os.mkdir(chosen, 0o700)
    os.environ[VARIABLE] = chosen
    return chosen


def is_compiled(folder: str) -> bool:
    """Whether a folder of `prepare` holds all kernels."""
    return os.path.exists(os.path.join(folder, COMPLETE))


def state() -> str:
    """A short name for the kernels as they are now: their sources and the versions of what compiles them."""
    digest = hashlib.blake2b(digest_size=8)
    base = os.path.dirname(os.path.abspath(__file__))
    for module in MODULES:
        with contextlib.suppress(FileNotFoundError), open(os.path.join(base, module), "rb") as file:
            digest.update(file.read())
    digest.update(sys.version.encode())
    for name in _versions():
        digest.update(name.encode())
    return digest.hexdigest()


def compile_all() -> str:
    """Compiles every kernel by indexing a tiny report of each format; the folder they are in."""
    folder = prepare(_private_folder())
    if not is_compiled(folder):
        from parsers.index.warm import warm

        warm()
        with open(os.path.join(folder, COMPLETE), "w"):
            pass
    return folder


def _private_folder() -> str | None:
    from parsers.cache import default_folder

    return default_folder()


def _versions() -> list[str]:
    """What stands in the names of the installed packages, which is quicker to learn than their metadata."""
    names = ("numba-", "llvmlite-", "numpy-")
    found = []
    for folder in sys.path:
        with contextlib.suppress(OSError):
            found += [name for name in os.listdir(folder) if name.startswith(names) and name.endswith(".dist-info")]
    return sorted(set(found))


def _is_ours(path: str, make: bool = False) -> bool:
    """Whether a folder belongs to this user alone and can be written."""
    try:
        if make:
            os.makedirs(path, mode=0o700, exist_ok=True)
        status = os.stat(path)
    except OSError:
        return False
    return status.st_uid == os.getuid() and not status.st_mode & 0o022 and os.access(path, os.W_OK | os.X_OK)


if __name__ == "__main__":
    print(compile_all())
