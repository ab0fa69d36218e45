"""The command as a process: what it imports, where its answers go, how it ends."""

from __future__ import annotations

import json
import os
import platform
import pty
import select
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import ROOT, Answer

from parsers.runtime.compile import all_groups
from tui.command_line.registry import VERSION

COFFEETREE = [sys.executable, "-m", "tui"]
CODE = "import sys; from tui.app.main import main; status = main(sys.argv[1:]); print(status, *sorted(sys.modules))"
HEAVY = ("textual", "rich", "numpy", "numba", "lxml", "stringzilla")

Run = Callable[..., Answer]


def process(*words: object, **options: object) -> subprocess.CompletedProcess[str]:
    command = [*COFFEETREE, *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, **options)  # type: ignore[call-overload]


@pytest.fixture
def small(corpus: Path) -> Path:
    return next(corpus.glob("v24.1/reports/call_tree*"))


@pytest.fixture
def damaged(corpus: Path) -> Path:
    return next(corpus.glob("quirks/call_tree_truncated*"))


def modules_after(*words: object) -> tuple[str, set[str]]:
    answer = subprocess.run([sys.executable, "-c", CODE, *map(str, words)], capture_output=True, text=True, timeout=60)
    status, *modules = answer.stdout.splitlines()[-1].split()
    return status, {module.partition(".")[0] for module in modules}


@pytest.mark.parametrize("words", [["--help"], ["find", "--help"], ["help", "ref"], ["help", "man"]])
def test_help_imports_nothing_that_takes_time(words: list[str]) -> None:
    status, modules = modules_after(*words)
    assert status == "0"
    assert not modules & {*HEAVY, "parsers", "argparse", "difflib", "shlex"}


def test_the_version_names_libraries_and_engine_without_importing_them() -> None:
    status, modules = modules_after("--version")
    assert status == "0"
    assert not modules & set(HEAVY)
    said = subprocess.run([*COFFEETREE, "--version"], capture_output=True, text=True).stdout
    assert said.startswith(f"coffeetree {VERSION}\nPython {platform.python_version()}, textual ")
    assert "kernels: " in said


def test_each_group_of_kernels_has_an_engine() -> None:
    lines = subprocess.run([*COFFEETREE, "info", "--engine"], capture_output=True, text=True).stdout.splitlines()
    assert {line.split()[0] for line in lines} == {group.name for group in all_groups()}
    assert {line.split()[1] for line in lines} <= {"library", "jit", "plain"}


@pytest.mark.parametrize("words", [["--nonsense"], ["tre"], []])
def test_wrong_usage_imports_nothing_heavy(words: list[str]) -> None:
    status, modules = modules_after(*words)
    assert status == "2"
    assert not modules & {*HEAVY, "argparse"}


def test_without_words_a_folder_without_reports_gets_a_short_usage(
    tmp_path: Path, coffeetree: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    answer = coffeetree()
    assert (answer.status, answer.out) == (2, "")
    assert answer.err.count("\n  coffeetree ") == 3
    assert "call trees" in answer.err and ".zst" in answer.err
    assert len(answer.err.splitlines()) < 12


def test_without_words_the_reports_of_the_current_folder_are_opened(
    corpus: Path, coffeetree: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(corpus / "v24.2_and_25" / "reports")
    assert coffeetree() == coffeetree(".")
    assert "call_tree_demo_20250916_101500.txt" in coffeetree().out


def test_the_head_of_a_report_needs_nothing_heavy(small: Path) -> None:
    assert not modules_after(small)[1] & set(HEAVY)


def test_a_headless_command_never_imports_the_browser(small: Path) -> None:
    for words in (["info", small], ["find", small, "java"], ["why", small, "java"], ["tree", small]):
        assert not modules_after(*words)[1] & {"textual", "rich", "numba", "lxml"}


def test_version_and_help_go_to_standard_output() -> None:
    assert process("--version").stdout.startswith("coffeetree ")
    assert process("--help").stdout.startswith("Coffeetree opens")


def test_help_can_be_written_anywhere() -> None:
    environment = os.environ | {"PYTHONIOENCODING": "ascii", "LC_ALL": "POSIX", "PYTHONCOERCECLOCALE": "0"}
    for words in (["--help"], ["tree", "--help"], ["--version"]):
        answer = process(*words, env=environment)
        assert (answer.returncode, answer.stderr) == (0, "")
        with open("/dev/full", "w") as full:
            refused = subprocess.run([*COFFEETREE, *words], stdout=full, stderr=subprocess.PIPE, timeout=60)
        assert (refused.returncode, refused.stderr.count(b"\n")) == (2, 1)


def test_wrong_usage_ends_with_2() -> None:
    answer = process("find", "x")
    assert (answer.returncode, answer.stdout) == (2, "")
    assert answer.stderr.count("\n") == 1


def test_without_a_terminal_the_first_100_rows_are_printed(corpus: Path) -> None:
    answer = process(next(corpus.glob("real_23.0_failed_analysis/reports/call_tree*")))
    assert answer.returncode == 0
    heading, *rows = answer.stdout.splitlines()
    assert heading.split() == ["REF", "#id", "↩ref", "Rows", "below", "Kind", "Call", "tree"]
    assert (len(rows), rows[0].split()[0]) == (100, "line:2")
    assert answer.stderr.startswith("the first 100 rows: `coffeetree tree` prints more")


def test_the_first_rows_of_a_damaged_report_end_with_0(damaged: Path) -> None:
    answer = process(damaged)
    assert (answer.returncode, answer.stderr) == (0, "")


def test_a_dumb_terminal_gets_no_browser(small: Path) -> None:
    status, text = in_terminal([*COFFEETREE, str(small)], TERM="dumb")
    assert status == 0
    assert "\x1b" not in text
    assert text.count("line:") > 30


def test_colours_only_on_a_terminal(small: Path) -> None:
    assert "\x1b" not in process("tree", small).stdout
    status, text = in_terminal([*COFFEETREE, "tree", str(small)], TERM="xterm-256color")
    assert (status, "\x1b[36m" in text) == (0, True)
    assert "\x1b" not in in_terminal([*COFFEETREE, "tree", str(small)], TERM="xterm-256color", NO_COLOR="1")[1]


def in_terminal(command: list[str], **environment: str) -> tuple[int, str]:
    """Exit status and output of a command on a terminal of its own."""
    main, terminal = pty.openpty()
    child = subprocess.Popen(
        command, stdin=terminal, stdout=terminal, stderr=terminal, env=os.environ | environment, start_new_session=True
    )
    os.close(terminal)
    parts = []
    while True:
        try:
            part = os.read(main, 65536)
        except OSError:
            break
        if not part:
            break
        parts.append(part)
    os.close(main)
    return child.wait(30), b"".join(parts).decode("utf-8", "replace")


def test_a_folder_without_a_terminal_is_listed(corpus: Path) -> None:
    answer = process(corpus / "v24.2_and_25" / "reports")
    assert answer.returncode == 0
    assert "call_tree_demo_20250916_101500.txt" in answer.stdout
    assert "not needed" in answer.stdout


def test_a_pipe_is_read(small: Path) -> None:
    with open(small, "rb") as file:
        answer = subprocess.run([*COFFEETREE, "info", "--json", "-"], stdin=file, capture_output=True, timeout=60)
    assert json.loads(answer.stdout)["totals"]["rows"] == 34
    piped = subprocess.run(
        [*COFFEETREE, "info", "--json", "-"], input=small.read_bytes(), capture_output=True, timeout=60
    )
    assert json.loads(piped.stdout)["totals"] == json.loads(answer.stdout)["totals"]
    assert json.loads(piped.stdout)["title"] == "standard input"


def test_messages_name_standard_input_while_json_has_the_path_that_was_given(damaged: Path) -> None:
    def piped(data: bytes) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*COFFEETREE, "info", "--json", "-"], input=data.decode(), capture_output=True, text=True, timeout=60
        )

    assert piped(b"no report\n").stderr.startswith("coffeetree: standard input: is no known report")
    answer = piped(damaged.read_bytes())
    assert "\nstandard input: cut at byte 2,114 (line 23): " in answer.stderr
    fields = json.loads(answer.stdout)
    assert fields["files"][0]["file"] == fields["problems"][0]["file"] == "-"


def test_problems_go_to_standard_error_with_their_place(damaged: Path) -> None:
    answer = process("tree", damaged)
    assert answer.returncode == 3
    assert f"{damaged}: cut at byte 2,114 (line 23): " in answer.stderr
    assert "2,114" not in answer.stdout


def test_nothing_found_in_a_damaged_report_ends_with_3(damaged: Path) -> None:
    assert [process(command, damaged, "nowhere").returncode for command in ("find", "why")] == [3, 3]


def test_a_reader_that_has_enough_is_no_error(corpus: Path) -> None:
    command = [*COFFEETREE, "tree", "--depth", "all", str(next(corpus.glob("real_23.0_failed*/reports/call_tree*")))]
    child = subprocess.Popen([*command, "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert child.stdout is not None and child.stderr is not None
    child.stdout.close()
    assert child.stderr.read() == b""
    assert child.wait(30) == 128 + signal.SIGPIPE
    child.stderr.close()


def test_a_full_disk_is_reported(small: Path) -> None:
    with open("/dev/full", "w") as full:
        answer = subprocess.run(
            [*COFFEETREE, "tree", small], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60
        )
    assert answer.returncode == 2
    assert answer.stderr == "coffeetree: writing the answer: No space left on device\n"


def test_closed_streams_are_no_error(small: Path) -> None:
    shell = f'"{sys.executable}" -m tui tree "{small}" >&- 2>&-'
    assert subprocess.run(["sh", "-c", shell], timeout=60).returncode == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_it_without_traceback(number: signal.Signals, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    child = subprocess.Popen([*COFFEETREE, "info", str(pipe)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    with open(pipe, "wb") as writer:
        writer.write(b"VM Entry Points\n" * 9000)
        writer.flush()
        wait_for_handlers(child.pid)
        child.send_signal(number)
        out, err = child.communicate(timeout=30)
    assert (child.returncode, out, err) == (128 + number, b"", b"")


IN_A_FINALISER = """
import select, signal, sys
from tui.app.main import main
import tui.headless.commands.info

class Last:
    def __del__(self):
        signal.raise_signal({number})

def run(session):
    last = Last()
    del last
    select.select([], [], [], 30)
    return 0

tui.headless.commands.info.run = run
sys.exit(main(["info", {report!r}]))
"""
"""Sends a signal where Python ignores exceptions, as at the end of an `import`."""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_it_wherever_it_comes(number: signal.Signals, small: Path) -> None:
    program = IN_A_FINALISER.format(number=int(number), report=str(small))
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=60)
    assert (answer.returncode, answer.stdout, answer.stderr) == (128 + number, b"", b"")


IN_CODE_MADE_FROM_TEXT = """
import signal, sys
from tui.app.main import main
import tui.headless.commands.info
def interrupted(*_):
    exec("signal.raise_signal(signal.SIGINT)", {"signal": signal})
tui.headless.commands.info.run = interrupted
sys.exit(main())
"""


def test_a_signal_in_generated_code_sets_the_exit_status(small: Path, tmp_path: Path) -> None:
    (tmp_path / "begin.py").write_text(IN_CODE_MADE_FROM_TEXT)
    path = {**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"}
    child = subprocess.run([sys.executable, "-m", "begin", "info", small], capture_output=True, env=path, timeout=60)
    assert (child.returncode, child.stdout, child.stderr) == (128 + signal.SIGINT, b"", b"")


def test_a_signal_while_a_class_is_made_is_no_error(
    small: Path, coffeetree: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Field:
        def __set_name__(self, owner: type, name: str) -> None:
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr("tui.headless.commands.info.run", lambda *_: type("Made", (), {"field": Field()}))
    assert coffeetree("info", small) == (128 + signal.SIGINT, "", "")


def wait_for_handlers(process: int) -> None:
    """Wait until a process catches SIGHUP."""
    for _ in range(1000):
        status = Path(f"/proc/{process}/status").read_text()
        caught = int(next(line for line in status.splitlines() if line.startswith("SigCgt")).split()[1], 16)
        if caught >> (signal.SIGHUP - 1) & 1:
            return
        select.select([], [], [], 0.01)
    raise TimeoutError


def test_an_unforeseen_error_is_one_line(small: Path, coffeetree: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def explode(*_: object) -> int:
        raise RuntimeError("so\x1b[31m it is")

    monkeypatch.setattr("tui.headless.commands.tree.run", explode)
    answer = coffeetree("tree", small)
    assert answer.status == 2
    assert answer.err.startswith(f"coffeetree: {small}: unexpected RuntimeError: so␛[31m it is (test_headless_main.py:")
    assert answer.err.count("\n") == 1


def test_no_cache_leaves_nothing(corpus: Path, coffeetree: Run, cache_folder: Path) -> None:
    answer = coffeetree("info", "--no-cache", sorted(corpus.glob("real_23.0_failed*/reports/call_tree*"))[0])
    assert answer.status == 0
    assert not cache_folder.exists()


def test_a_cache_folder_of_ones_own(small: Path, coffeetree: Run, tmp_path: Path) -> None:
    answer = coffeetree("info", "-v", "--cache-dir", tmp_path / "mine", small)
    assert f"cache: {tmp_path / 'mine'}" in answer.err


def test_a_cache_that_cannot_be_used_is_reported_and_no_error(small: Path, coffeetree: Run, tmp_path: Path) -> None:
    tmp_path.joinpath("mine").write_text("")
    answer = coffeetree("info", "--cache-dir", tmp_path / "mine", small)
    assert (answer.status, answer.err) == (
        0, f"coffeetree: cache folder {tmp_path / 'mine'}: is not a folder; nothing is kept\n",
    )  # fmt: skip


def test_names_of_files_reach_no_terminal_unsafely(tmp_path: Path, coffeetree: Run) -> None:
    path = tmp_path / "\x1b]0;title\x07\u202e\udcff"
    answer = coffeetree("info", path)
    assert answer.status == 2
    assert answer.err.removesuffix("\n").isprintable()
