"""Fixtures of all tests: the samples, their true values, and a private cache."""

from __future__ import annotations

import gc
import gzip
import io
import json
import lzma
import os
import shutil
import signal
import tempfile
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from _pytest.unraisableexception import gc_collect_iterations_key
from fork_server import forked_children
from hypothesis import settings
from small_trees import CALL_TREE, OBJECT_TREE

from parsers.io.cache import Cache
from parsers.kernels.groups import UNLISTED
from tui.settings.state_folder import StateFolder, state_path

TESTS = Path(__file__).parent
ROOT = TESTS.parent
CORPUS = TESTS / "corpus" / "graalvm"

# How long something takes is measured elsewhere.
# The same examples in every run: what is green stays green until code changes. `make search` looks for new ones.
settings.register_profile("steady", deadline=None, derandomize=True, max_examples=40)
settings.register_profile("search", deadline=None, max_examples=1_000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))


@lru_cache(maxsize=64)
def plain_bytes(path: Path) -> bytes:
    """The decompressed bytes of a sample."""
    opening = {".xz": lzma.open, ".gz": gzip.open}.get(path.suffix, open)
    with opening(path, "rb") as file:
        data: bytes = file.read()
    return data


@lru_cache
def truth_of(case: str) -> dict[str, Any]:
    """Returns the true values of the reports of a case, by file name without `.xz`. Shared: not to be changed."""
    reports: dict[str, Any] = json.loads((CORPUS / case / "truth.json").read_text("utf-8"))["reports"]
    return reports


def sample_path(case: str, name: str) -> Path:
    """The file of a report of a case, packed or not."""
    folder = CORPUS / case
    candidates = (folder / place / f"{name}{suffix}" for place in ("reports", ".") for suffix in ("", ".xz"))
    return next(path for path in candidates if path.exists())


def samples(*formats: str) -> list[tuple[str, str]]:
    """Case and name of every sample of these formats, small ones first."""
    found = [
        (case.parent.name, name)
        for case in sorted(CORPUS.glob("*/truth.json"))
        for name, truth in truth_of(case.parent.name).items()
        if truth["format"] in formats
    ]
    return sorted(found, key=lambda sample: (truth_of(sample[0])[sample[1]]["totals"]["bytes"], sample))


MEMORY = "/dev/shm"
"""Linux's file system in memory. Indexes are many small files: ext4, which does not use the inodes of deleted files
again at once, takes up to 0.7 ms of processor time for a new file if very many are made and deleted."""
ROOM = 4 << 30
"""Free bytes that it must have; tests need 1.4 GB with four processes."""


def pytest_configure(config: pytest.Config) -> None:
    """Lets all processes keep their files in memory, and note kernels called with arguments that the library lacks."""
    # Imports of tests leave hardly any garbage, and collecting it once is enough at the end.
    gc.disable()
    config.stash[gc_collect_iterations_key] = 1
    if "TMPDIR" not in os.environ and os.path.isdir(MEMORY) and shutil.disk_usage(MEMORY).free >= ROOM:
        os.environ["TMPDIR"] = tempfile.tempdir = MEMORY
    if UNLISTED not in os.environ:
        os.environ[UNLISTED] = str(Path(tempfile.mkdtemp(prefix=".coffeetree-unlisted-"), "signatures"))
        config.add_cleanup(lambda: shutil.rmtree(Path(os.environ[UNLISTED]).parent, ignore_errors=True))


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fails the run if there are any: they are added by `python -m kernel_build --record FILE`."""
    noted = Path(os.environ[UNLISTED])
    if noted.exists() and "PYTEST_XDIST_WORKER" not in os.environ:
        print(f"\nsignatures.json lacks these signatures of kernels:\n{noted.read_text()}")
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_unconfigure() -> None:
    """Lets the interpreter free frozen objects at its end: libraries such as DuckDB report what is left."""
    gc.enable()
    gc.unfreeze()


def pytest_collection_finish() -> None:
    """Collects garbage less often, and never what importing the tests created: it lives until the end."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 20, 20)
    gc.enable()


MORE_DESCRIPTORS = 500
"""Additional open files after which garbage of tests is collected."""

_descriptors = [0]


@pytest.fixture(autouse=True)
def _tidy() -> Iterator[None]:
    """Commands switch the garbage collector off for the rest of their process, which here is that of all tests."""
    yield
    gc.enable()
    if _lowest_descriptor() > _descriptors[0] + MORE_DESCRIPTORS:
        gc.unfreeze()
        gc.collect()
        gc.freeze()
        _descriptors[0] = _lowest_descriptor()


def _lowest_descriptor() -> int:
    """The lowest number that no open file has: at least so many are open."""
    descriptor = os.open(os.devnull, os.O_RDONLY)
    os.close(descriptor)
    return descriptor


@pytest.fixture(autouse=True, scope="session")
def _signals() -> None:
    """Whoever runs the tests may have switched signals off, for all programs that they start, too."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in (signal.SIGHUP, signal.SIGQUIT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)


@pytest.fixture(autouse=True, scope="session")
def _children(never_the_users_folders: None) -> Iterator[None]:
    """Starts the children of the program quickly: in a long run, from a server that has loaded all kernels."""
    with forked_children(loads_kernels="PYTEST_XDIST_WORKER" in os.environ):
        yield


@pytest.fixture
def call_tree(tmp_path: Path) -> Path:
    """A small call tree in a file of its own."""
    path = tmp_path / "call_tree_app_20230401_101500.txt"
    path.write_text(CALL_TREE, "utf-8")
    return path


@pytest.fixture
def object_tree(tmp_path: Path) -> Path:
    """A small object tree of the same build."""
    path = tmp_path / "object_tree_app_20230401_101500.txt"
    path.write_text(OBJECT_TREE, "utf-8")
    return path


@pytest.fixture
def rules(tmp_path: Path) -> Callable[[str], Path]:
    """Writes a file of rules."""

    def write(text: str, name: str = "rules.toml") -> Path:
        path = tmp_path / name
        path.write_text(text, "utf-8")
        return path

    return write


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The folder of the GraalVM samples, one folder a case."""
    return CORPUS


@pytest.fixture(scope="session")
def truth() -> Callable[[str], dict[str, Any]]:
    """A function from a case to the true values of its reports."""
    return truth_of


@pytest.fixture
def cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A private cache folder that is also the default one of this test and of the processes it starts."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "coffeetree"


@pytest.fixture
def cache(cache_folder: Path) -> Iterator[Cache]:
    """A cache in that folder."""
    cache = Cache(str(cache_folder))
    yield cache
    cache.close()


@pytest.fixture(scope="session")
def index_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for one index after another: whoever asks for a folder looks at all others first."""
    return tmp_path_factory.mktemp("index")


@pytest.fixture(scope="session")
def shared_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The default cache of all tests that don't ask for `cache_folder`: whichever needs an index first has it built."""
    own = tmp_path_factory.getbasetemp()
    # Parallel test processes have a folder each, side by side.
    folder = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "shared-cache"
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder


@pytest.fixture(autouse=True, scope="session")
def never_the_users_folders(tmp_path_factory: pytest.TempPathFactory, shared_cache: Path) -> Iterator[None]:
    """Keeps tests away from the cache, state and configuration of the user."""
    patch = pytest.MonkeyPatch()
    home = tmp_path_factory.mktemp("home")
    patch.setenv("XDG_CACHE_HOME", str(shared_cache))
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME"):
        patch.setenv(name, str(home / name.lower()))
    # Screens do not depend on which test is the first one.
    StateFolder(state_path(os.environ)).is_first_start()
    yield
    patch.undo()


@pytest.fixture(autouse=True)
def nothing_is_remembered(never_the_users_folders: None) -> Iterator[None]:
    """Forgets what a test made the program store, such as widths of panes and typed texts, for the next test."""
    state = state_path(os.environ)
    yield
    for each in state.iterdir():
        if each.name != "started":
            shutil.rmtree(each) if each.is_dir() else each.unlink()


class Answer(NamedTuple):
    """Result of a headless command."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one JSON value it printed."""
        return json.loads(self.out)

    @property
    def rows(self) -> list[Any]:
        """The JSON values it printed, one a line."""
        return [json.loads(line) for line in self.out.splitlines()]


@pytest.fixture
def coffeetree() -> Callable[..., Answer]:
    """Runs the command line in this process, without a terminal."""
    from tui.app.main import main

    def run(*words: object) -> Answer:
        out, err = io.StringIO(), io.StringIO()
        with redirect_stdout(out), redirect_stderr(err):
            status = main([str(word) for word in words])
        return Answer(status, out.getvalue(), err.getvalue())

    return run
