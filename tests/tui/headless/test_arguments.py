"""The words of the command line."""

from __future__ import annotations

import tomllib

import pytest
from conftest import ROOT

from tui.app.arguments import COMMANDS, OPTIONS, SHARED, VERSION, UsageError, help_text, parse


def test_a_report_alone_is_browsed() -> None:
    arguments = parse(["a.txt"])
    assert (arguments.command, arguments.reports, arguments.word) == ("", ["a.txt"], "")


def test_the_last_word_is_the_pattern() -> None:
    arguments = parse(["find", "a.txt", "b.txt", "text"])
    assert (arguments.command, arguments.reports, arguments.word) == ("find", ["a.txt", "b.txt"], "text")


def test_a_file_called_like_a_command_is_written_with_its_folder() -> None:
    assert (parse(["./info"]).command, parse(["./info"]).reports) == ("", ["./info"])


def test_options_may_be_anywhere() -> None:
    arguments = parse(["find", "--count", "a.txt", "--view=Types", "-i", "text", "--limit", "5"])
    assert (arguments.reports, arguments.word) == (["a.txt"], "text")
    assert arguments.is_given("count") and arguments.is_given("ignore-case")
    assert (arguments.text("view"), arguments.count("limit", 7)) == ("Types", 5)


def test_options_may_precede_the_command() -> None:
    arguments = parse(["--cache-dir", "info", "-v", "--format=x", "find", "a.txt", "text"])
    assert (arguments.command, arguments.reports, arguments.word) == ("find", ["a.txt"], "text")
    assert (arguments.text("cache-dir"), arguments.text("format")) == ("info", "x")
    assert parse(["--no-cache", "index", "a.txt"]).command == "index"
    assert parse(["--", "index"]).reports == ["index"]


def test_two_dashes_end_the_options() -> None:
    arguments = parse(["find", "--", "-a.txt", "--count"])
    assert (arguments.reports, arguments.word, arguments.is_given("count")) == (["-a.txt"], "--count", False)


def test_a_dash_is_a_pipe() -> None:
    assert parse(["info", "-"]).reports == ["-"]


def test_short_options_may_be_joined() -> None:
    arguments = parse(["find", "-ic", "a", "b"])
    assert arguments.is_given("ignore-case") and arguments.is_given("count")


def test_all_lifts_a_count() -> None:
    arguments = parse(["tree", "a", "--depth", "all"])
    assert (arguments.count("depth", 3), arguments.count("limit", 10)) == (None, 10)


def test_patterns_come_by_the_names_that_reports_use() -> None:
    arguments = parse(["tree", "a", "--suppress-types", "java.*", "--expand-roots=*", "--suppress-methods="])
    assert arguments.patterns == {"suppress_types": "java.*", "expand_roots": "*", "suppress_methods": ""}


def test_a_value_may_look_like_an_option() -> None:
    assert parse(["tree", "a", "--suppress-types", "-x"]).patterns == {"suppress_types": "-x"}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "no report was given"),
        (["info"], "no report was given: coffeetree info REPORT..."),
        (["find"], "find needs a report and a PATTERN"),
        (["find", "a"], "find needs a report and a PATTERN"),
        (["show", "a"], "show needs a report and a REF"),
        (["a", "--nonsense"], "there is no option --nonsense: see coffeetree --help"),
        (["a", "-z"], "there is no option -z"),
        (["tree", "a", "--regex"], "tree has no option --regex: see coffeetree tree --help"),
        (["a", "--json"], "the browser has no option --json"),
        (["tree", "a", "--depth"], "--depth needs a value"),
        (["tree", "a", "--depth", "x"], "--depth takes a number or all, not 'x'"),
        (["tree", "a", "--limit", "-1"], "--limit takes a number or all, not '-1'"),
        (["tree", "a", "--limit", "9" * 30], "--limit takes a number or all"),
        (["tree", "a", "--json=1"], "--json takes no value"),
        (["export", "a"], "export needs a report and an OUT"),
        (["diff", "a"], "diff needs a report and a NEW: coffeetree diff OLD NEW"),
        (["query", "a"], "still to come"),
    ],
)
def test_wrong_usage_is_reported(words: list[str], said: str) -> None:
    with pytest.raises(UsageError) as error:
        parse(words)
    assert said in str(error.value)


def test_help_needs_no_report() -> None:
    assert parse(["--help"]).is_given("help")
    assert parse(["find", "-h"]).is_given("help")
    assert parse(["--version"]).is_given("version")


def test_help_names_every_command_and_every_option_of_it() -> None:
    assert all(f"coffeetree {command.name} " in help_text() for command in COMMANDS)
    for command in COMMANDS:
        text = help_text(command.name)
        assert all(f"--{name}" in text for name in (*command.options, "json", "cache-dir", "suppress-types"))
    shared = {option.name for option in OPTIONS if option.name in SHARED}
    assert all(f"--{name}" in help_text() for name in shared)


def test_lines_of_help_fit_a_terminal() -> None:
    texts = [help_text(), *(help_text(command.name) for command in COMMANDS)]
    assert max(len(line) for text in texts for line in text.splitlines()) <= 120


def test_the_version_is_that_of_the_project() -> None:
    project = tomllib.loads(ROOT.joinpath("pyproject.toml").read_text("utf-8"))
    assert project["project"]["version"] == VERSION
