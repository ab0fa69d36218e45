"""Child processes of the program, forked from a server that has imported their modules and loaded their kernels.

A new Python that imports numba and loads kernels takes 0.6 s of processor time, one that imports Textual 0.5 s. Many
tests start children, or programs on a terminal. A fork takes some milliseconds; the module or script, its arguments,
environment, pipes, terminal, process group and exit status are the same.
Commands that tests start themselves, such as those in `terminal/`, have children that are started as usual.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import gc
import json
import os
import pkgutil
import runpy
import socket
import subprocess
import sys
import termios
import threading
import traceback
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Any, NoReturn

import parsers
import tui
from parsers.kernels import groups
from tui.terminal.environment import prepare as prepare_environment

MODULES = (
    "parsers.runtime.indexer",
    "parsers.runtime.worker.child",
    "parsers.runtime.worker.query_child",
    "parsers.graph.child",
)
"""Modules that the program runs as children, with `python -P -m MODULE`."""
PYTHON = sys.executable
SCRIPTS = ("coffeetree", "small_app.py")
"""Names of scripts that tests run on a terminal."""
DECIDING = ("COFFEETREE_", "NUMBA_", "PYTHON")
"""Beginnings of variables that modules read when they are imported. If they differ, a child is started as usual."""
LONGEST = 1 << 17
"""Bytes of a request."""
SUBREAPER = 36
"""PR_SET_CHILD_SUBREAPER of prctl(2): orphans below this process become its children."""


@contextlib.contextmanager
def forked_children(loads_kernels: bool) -> Iterator[None]:
    """Lets `subprocess.Popen` fork the children of the program; the server starts with the first of them.

    loads_kernels  True if the server imports all modules and loads all kernels, which takes some seconds once
    """
    start, client = subprocess.Popen._execute_child, _Client(loads_kernels)  # type: ignore[attr-defined]
    parameters = signature(start)

    def execute(*given: Any) -> None:
        asked = parameters.bind(*given).arguments
        process, pid = asked["self"], client.fork(asked)
        if pid is None:
            start(*given)
            return
        process.pid = pid
        process._child_created = True
        process._close_pipe_fds(*(asked[name] for name in parameters.parameters if name in PIPES))

    subprocess.Popen._execute_child = execute  # type: ignore[attr-defined]
    try:
        yield
    finally:
        subprocess.Popen._execute_child = start  # type: ignore[attr-defined]
        client.close()


PIPES = ("p2cread", "p2cwrite", "c2pread", "c2pwrite", "errread", "errwrite")


class _Client:
    """The side of the tests."""

    def __init__(self, loads_kernels: bool) -> None:
        self._loads_kernels = loads_kernels
        groups.prepare()
        self._channel: socket.socket | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._deciding: dict[str, str] = {}
        self._lock = threading.Lock()

    def fork(self, asked: Mapping[str, Any]) -> int | None:
        """The process id of a new child; None if it must be started as usual."""
        args, environment = list(asked["args"]), dict(asked["env"] or os.environ)
        if args[:3] == [PYTHON, "-P", "-m"]:
            is_known, args = args[3] in MODULES, args[3:]
        else:
            args = args[args[0] == PYTHON :]
            # On a network, Textual is imported with another delay.
            is_known = os.path.basename(args[0]) in SCRIPTS and "SSH_CONNECTION" not in environment
        if not is_known or sys.platform != "linux" or not (asked["start_new_session"] or asked["process_group"] == 0):
            return None
        with self._lock:
            return self._ask(args, environment, asked)

    def _ask(self, args: Sequence[str], environment: dict[str, str], asked: Mapping[str, Any]) -> int | None:
        if self._channel is None:
            self._channel = self._start()
        if _deciding(environment) != self._deciding:
            return None
        request = {
            "args": args,
            "environment": environment,
            "folder": os.fspath(asked["cwd"] or os.getcwd()),
            "has_session": asked["start_new_session"],
            "has_terminal": asked["preexec_fn"] is not None,
        }
        given = (asked["p2cread"], asked["c2pwrite"], asked["errwrite"])
        streams = [usual if stream < 0 else stream for usual, stream in enumerate(given)]
        prctl = ctypes.CDLL(None).prctl
        prctl(SUBREAPER, 1)
        try:
            socket.send_fds(self._channel, [json.dumps(request).encode()], streams)
            return int(self._channel.recv(100))
        finally:
            prctl(SUBREAPER, 0)

    def _start(self) -> socket.socket:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        command = [PYTHON, "-P", str(Path(__file__)), str(theirs.fileno()), str(int(self._loads_kernels))]
        self._process = subprocess.Popen(command, pass_fds=[theirs.fileno()], process_group=0)
        theirs.close()
        self._deciding = _deciding(os.environ)
        return ours

    def close(self) -> None:
        """Ends the server."""
        if self._channel is not None and self._process is not None:
            self._channel.close()
            self._process.wait()


def _deciding(environment: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environment.items() if name.startswith(DECIDING)}


def serve(channel: socket.socket) -> None:
    """Forks a child for each request, until the tests end."""
    while True:
        data, streams, *_ = socket.recv_fds(channel, LONGEST, 3)
        if not data:
            return
        request = json.loads(data)
        if request["has_terminal"]:
            os.environ.clear()
            os.environ.update(request["environment"])
            _import_browser()
        numbers, told = os.pipe()
        between = os.fork()
        if not between:
            # The child of this process is an orphan at once, so it becomes one of the process that asked for it.
            if not os.fork():
                channel.close()
                os.close(numbers)
                _run(request, streams, told)
            os._exit(0)
        os.waitpid(between, 0)
        os.close(told)
        channel.send(os.read(numbers, 100))
        for each in (numbers, *streams):
            os.close(each)


@cache
def _import_browser() -> None:
    """Imports what programs on a terminal import, with the settings of Textual that they choose."""
    prepare_environment(os.environ)
    for each in pkgutil.walk_packages(tui.__path__, "tui."):
        if not each.name.endswith("__main__"):
            import_module(each.name)
    gc.collect()
    gc.freeze()


def _run(request: dict[str, Any], streams: list[int], told: int) -> NoReturn:
    """Runs the module or script of a request as the main program of this process, after sending its number."""
    status: object = 1
    try:
        if request["has_session"]:
            os.setsid()
        else:
            os.setpgid(0, 0)
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
            os.close(stream)
        if request["has_terminal"]:
            fcntl.ioctl(1, termios.TIOCSCTTY, 0)
            # Text streams know whether they are on a terminal.
            sys.stdin, sys.stdout, sys.stderr = (open(n, "rww"[n], 1, closefd=False) for n in range(3))  # noqa: SIM115
        os.write(told, b"%d" % os.getpid())
        os.close(told)
        os.environ.clear()
        os.environ.update(request["environment"])
        os.chdir(request["folder"])
        sys.argv = request["args"]
        if sys.argv[0] in MODULES:
            sys.modules.pop(sys.argv[0], None)
            runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
        else:
            runpy.run_path(sys.argv[0], run_name="__main__")
        status = 0
    except SystemExit as end:
        status = end.code or 0
    except BaseException:
        traceback.print_exc()
    threading._shutdown()  # type: ignore[attr-defined]  # an interpreter waits for its threads
    with contextlib.suppress(OSError):
        sys.stdout.flush()
    os._exit(status if isinstance(status, int) else 1)


def prepare(loads_kernels: bool) -> None:
    """Imports what children import, in one thread: a fork has only one."""
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    for module in (*MODULES, "parsers.kernels.decorators"):
        import_module(module)
    if loads_kernels:
        for each in pkgutil.walk_packages(parsers.__path__, "parsers."):
            # A module for another program needs its library.
            with contextlib.suppress(ModuleNotFoundError):
                import_module(each.name)
    gc.collect()
    gc.freeze()


if __name__ == "__main__":
    prepare(sys.argv[2] == "1")
    serve(socket.socket(fileno=int(sys.argv[1])))
