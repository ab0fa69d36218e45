"""Completion in shells: the candidates, and the scripts in each shell that is installed."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import CORPUS, Answer, sample_path
from small_trees import CALL_TREE

from tui.command_line.arguments import UsageError
from tui.command_line.completion import complete, script
from tui.command_line.registry import COMMANDS, OPTIONS, SHELLS

Run = Callable[..., Answer]
BREAKS = " \t\n\"'><=;|&(:"
PROFILE = CORPUS.parent / "hprof/text/profiletest-samples-thread.txt.xz"


@pytest.fixture
def report(tmp_path: Path) -> str:
    path = tmp_path / "call tree.txt"
    path.write_text(CALL_TREE, "utf-8")
    return str(path)


def words(*typed: str) -> list[str]:
    """The candidates without their meanings."""
    return [line.partition("\t")[0] for line in complete(typed).splitlines()[1:]]


def kind(*typed: str) -> str:
    return complete(typed).splitlines()[0]


def test_the_first_word_is_a_command_or_a_file() -> None:
    assert words("") == [command.name for command in COMMANDS]
    assert (words("in"), kind("in")) == (["info", "index"], "files")
    assert words("a.txt", "") == []


def test_every_option_of_a_command_is_listed_with_its_help() -> None:
    assert "--depth\tlevels below the roots, or `all` (default: 3)" in complete(["tree", "a", "--"]).splitlines()
    assert (words("find", "--reg"), words("tree", "--reg"), kind("tree", "--reg")) == (["--regex"], [], "words")


def test_values_of_options() -> None:
    assert words("tree", "a", "--depth", "") == ["all"]
    assert words("export", "a", "--to", "d") == ["dot"]
    assert "hprof-binary" in words("--format", "hprof-")
    assert [kind("check", "a", "--rules", ""), kind("tree", "a", "--cut", "")] == ["files", "words"]
    assert (words("completion", ""), words("help", "re")) == ([*SHELLS], ["refs", "ref"])


def test_no_option_is_without_an_answer(report: str) -> None:
    for command in COMMANDS:
        for option in OPTIONS:
            assert kind(command.name, report, f"--{option.name}", "x") in ("files", "words")


def test_views_sort_keys_and_switches_are_those_of_the_report(report: str, coffeetree: Run) -> None:
    coffeetree("index", PROFILE)
    assert words("tree", report, "--view", "Call") == ["Call tree", "Callers"]
    assert words("tree", "--sort", "") == []
    assert words("tree", report, "--sort", "") == ["rows_below", "name"]
    assert "merge=by class" in words("tree", str(PROFILE), "--switch", "merge=")
    assert "cut traces=apart" in words("tree", str(PROFILE), "--view", "flame", "--switch", "cut")


def test_refs_are_those_of_the_report(report: str) -> None:
    assert {"line:", "package:", "name:"} <= set(words("show", report, ""))
    assert words("show", report, "package:") == ["package:a"]
    assert words("tree", report, "--at", "class:a.J") == ["class:a.Job"]
    assert words("why", report, "name:a.Job") == ["name:a.Job.run():void"]
    assert kind("show", report, "pack") == "files"


def test_refs_are_left_out_where_they_take_too_long(report: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tui.command_line.completion.PATIENCE", -1.0)
    assert words("show", report, "package:") == []


@pytest.mark.parametrize("typed", ["nowhere.txt", "-", "--format", "/"])
def test_what_is_no_report_has_no_views(typed: str) -> None:
    assert words("tree", typed, "--view", "") == []


def test_a_large_report_without_index_is_not_indexed(cache_folder: Path) -> None:
    large = next(CORPUS.glob("real_23.0_failed*/reports/call_tree*"))
    assert "Packages" in words("tree", str(large), "--view", "")
    assert not [path for path in cache_folder.glob("**/*") if path.name == "header"]


def test_names_that_terminals_must_not_get_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text(CALL_TREE.replace("a.Job", "a.J\x1b[31mob"), "utf-8")
    assert words("why", str(path), "name:a.J") == []
    assert complete(["why", str(path), "name:a."]).replace("\n", "").replace("\t", "").isprintable()


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("coffeetree tree REPORT --view Cal", ["Call tree", "Callers"]),
        ("coffeetree tree REPORT --view Call\\ ", ["Call tree"]),
        ('coffeetree tree REPORT --view "Call t', ["Call tree"]),
        ("coffeetree tree REPORT --view 'Call t", ["Call tree"]),
        ("coffeetree show REPORT class:a.J", ["a.Job"]),
        ("coffeetree show REPORT class\\:a.J", ["class:a.Job"]),
        ('coffeetree show REPORT "class:a.J', ["class:a.Job"]),
        ("coffeetree tree REPORT --view ", ["Call tree", "Callers", "Entry points", "Packages", "Dominators"]),
    ],
)
def test_a_line_of_bash_is_split_as_bash_does(line: str, expected: list[str], report: str) -> None:
    typed = line.replace("REPORT", report.replace(" ", "\\ "))
    assert words("--line", typed, BREAKS)[: len(expected)] == expected


def test_an_unknown_shell_is_refused() -> None:
    with pytest.raises(UsageError, match="there is no completion for fsh: did you mean fish\\?"):
        script("fsh")


# -- in shells ---------------------------------------------------------------------------------------------------------

ASKS = {
    "bash": """
COMP_LINE='coffeetree {line}'; COMP_POINT=${{#COMP_LINE}}; COMP_WORDS=(coffeetree {line}); COMP_CWORD={last}
_coffeetree 2>/dev/null; printf '%s\\n' "${{COMPREPLY[@]}}"
""",
    "zsh": """
compdef() {{ }}; _files() {{ }}; _describe() {{ printf '%s\\n' "${{(@P)3}}" }}
words=(coffeetree {line}); CURRENT=$#words; _coffeetree
""",
    "fish": "complete -C 'coffeetree {line}'",
}
"""Asks the function of each script for candidates, as the shell would at the end of the line."""


@pytest.mark.parametrize(
    ("line", "expected"),
    [("in", ["info", "index"]), ("tree --de", ["--depth"]), ("tree REPORT --view Packa", ["Packages"])],
)
@pytest.mark.parametrize("shell", SHELLS)
def test_a_shell_completes(shell: str, line: str, expected: list[str], tmp_path: Path) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    command = tmp_path / "coffeetree"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m tui "$@"\n')
    command.chmod(0o755)
    line = line.replace("REPORT", str(sample_path("v24.2_and_25", "call_tree_demo_20250916_101500.txt")))
    setting = "set -gx PATH {} $PATH" if shell == "fish" else 'PATH="{}:$PATH"'
    loading = "" if shell != "zsh" else "compdef() { }\n"
    asked = ASKS[shell].format(line=line, last=len(line.split()))
    program = f"{setting.format(tmp_path)}\n{loading}{script(shell)}\n{asked}"
    options = ["--norc"] if shell == "bash" else ["-f"] if shell == "zsh" else ["--no-config"]
    done = subprocess.run([shell, *options, "-c", program], capture_output=True, text=True, timeout=60, cwd=tmp_path)
    found = [line.replace(":", "\t").partition("\t")[0] for line in done.stdout.splitlines()]
    assert [word for word in found if word] == expected, done.stderr
