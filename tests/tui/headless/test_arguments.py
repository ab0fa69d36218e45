"""The words of the command line."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from conftest import ROOT

from tui.command_line.arguments import UsageError, parse
from tui.command_line.help_text import help_text, short_usage, topic_text
from tui.command_line.man_page import man_page
from tui.command_line.registry import (
    COMMANDS,
    OPTIONS,
    REFERENCES,
    TOPICS,
    VERSION,
    Subcommand,
    command_named,
    listed_options,
)
from tui.headless.commands.why import DEFAULT_SOURCES


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
        (["info"], "no report was given: coffeetree info REPORT..."),
        (["find"], "find needs REPORT and PATTERN"),
        (["find", "a"], "find needs REPORT and PATTERN"),
        (["show", "a"], "show needs REPORT and REF"),
        (["a", "--xyz"], "there is no option --xyz: see coffeetree --help"),
        (["--dept", "3", "a"], "there is no option --dept: did you mean --depth?"),
        (["tree", "a", "--Limits=3"], "there is no option --Limits: did you mean --limit?"),
        (["tre", "a"], "tre is neither a command nor a file: did you mean coffeetree tree?"),
        (["tre"], "tre is neither a command nor a file: did you mean coffeetree tree?"),
        (["a", "-z"], "there is no option -z"),
        (
            ["tree", "a", "--regex"],
            "tree has no option --regex, which is for find: see coffeetree tree --help",
        ),
        (["a", "--each"], "the browser has no option --each, which is for info, export: see coffeetree --help"),
        (["help", "tree", "find"], "help takes one word: coffeetree help [COMMAND]"),
        (["tree", "a", "--depth"], "--depth needs a value"),
        (["tree", "a", "--depth", "x"], "--depth takes a number or all, not 'x'"),
        (["tree", "a", "--limit", "-1"], "--limit takes a number or all, not '-1'"),
        (["tree", "a", "--limit", "9" * 30], "--limit takes a number or all"),
        (["tree", "a", "--json=1"], "--json takes no value"),
        (["export", "a"], "export needs REPORT and OUT"),
        (["diff", "a"], "diff needs OLD and NEW: coffeetree diff OLD NEW"),
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


def test_a_file_may_have_a_name_like_a_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    tmp_path.joinpath("tre").touch()
    assert parse(["tre"]).reports == ["tre"]
    assert parse(["nothing-like-it"]).reports == ["nothing-like-it"]


def test_help_names_every_command_and_topic() -> None:
    for name in (*(command.name for command in COMMANDS), *TOPICS):
        assert f"\n  {name} " in help_text()


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_help_of_a_command_lists_its_options_and_examples_only(command: Subcommand) -> None:
    lines = help_text(command.name).splitlines()
    assert (lines[0], lines[1].strip()) == (command.usage, " ".join(command.help.split()))
    words = {word.strip(",") for line in lines[3:] for word in line.split()[:3] if word.startswith("--")}
    wanted = {f"--{option.name}" for option in listed_options(command)}
    patterns = {word for word in wanted if "-types" in word or "-roots" in word or "-methods" in word}
    examples = [line.strip() for line in lines if line.startswith("  coffeetree ")]
    assert {word for word in words if word[2:] in {option.name for option in OPTIONS}} == wanted - patterns
    assert bool(patterns) == any("--suppress-X" in line for line in lines)
    assert examples == [f"coffeetree {example}" for example in command.examples]
    assert len(examples) > 1


def test_defaults_are_those_of_the_command() -> None:
    assert "(default: 10000)" in help_text("tree") and "(default: 10000)" not in help_text("find")
    assert "unreachable" in help_text("dump") and "call site" in help_text("why")
    assert f"sources of a group: {DEFAULT_SOURCES} by default" in " ".join(help_text("why").split())
    assert any("*'" in example for example in command_named("why").examples)


def test_lines_of_help_fit_80_columns() -> None:
    texts = [help_text(), short_usage(), *map(topic_text, (*TOPICS, *(command.name for command in COMMANDS)))]
    assert max(len(line) for text in texts for line in text.splitlines()) <= 80


def test_help_explains_refs_in_one_place() -> None:
    assert all(f"\n  {kind}:" in topic_text("ref") for kind in REFERENCES)
    users = [command.name for command in COMMANDS if "coffeetree help ref" in help_text(command.name)]
    assert {"show", "refs", "tree"} <= set(users)
    assert not [name for name in users if "object:0xHEX" in help_text(name)]


def test_an_unknown_topic_gets_a_suggestion() -> None:
    with pytest.raises(UsageError, match="no command or topic is called patern: did you mean patterns\\?"):
        topic_text("patern")


def test_the_man_page_is_up_to_date() -> None:
    page = ROOT.joinpath("man", "coffeetree.1").read_text("ascii")
    assert page == man_page() + "\n", "coffeetree help man > man/coffeetree.1"


def test_the_man_page_names_every_command_option_and_ref() -> None:
    page = man_page().replace("\\-", "-")
    assert all(f".SS {command.usage}\n" in page for command in COMMANDS)
    assert all(
        f"--{option.name}" in page
        for command in COMMANDS
        for option in listed_options(command)
        if not option.name.endswith(("-types", "-roots", "-methods"))
    )
    assert all(f".B {kind}:" in page for kind in REFERENCES)


def test_the_version_is_that_of_the_project() -> None:
    project = tomllib.loads(ROOT.joinpath("pyproject.toml").read_text("utf-8"))
    assert project["project"]["dynamic"] == ["version"]
    place = project["tool"]["setuptools"]["dynamic"]["version"]["attr"]
    assert place == "tui.command_line.registry.VERSION" and VERSION
