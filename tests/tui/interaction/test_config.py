"""The configuration file: what it may say, and how its mistakes read."""

from __future__ import annotations

from pathlib import Path

import pytest

from tui.input.keys.registry import Command, Registry
from tui.settings.config import configure
from tui.settings.options import OPTION_HELP, BadOption, Options
from tui.settings.state_folder import config_path


def command(name: str, *keys: str) -> Command:
    return Command(name, keys, name, name, "test", frozenset({"browser"}), lambda target, call: None)


REGISTRY = Registry([command("down", "j", "Down"), command("up", "k"), command("middle", "zz"), command("top", "g")])


def apply(tmp_path: Path, text: str | bytes) -> tuple[Registry, list[str], Options]:
    path = tmp_path / "config.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    options = Options()
    registry, wrong = configure(path, options, REGISTRY)
    return registry, wrong, options


def test_options_and_keys_are_taken(tmp_path: Path) -> None:
    registry, wrong, options = apply(
        tmp_path, '[options]\nscrolloff = 5\nnumber = true\n[keys]\ndown = ["n", "Down"]\n'
    )
    assert wrong == []
    assert (options.scrolloff, options.number) == (5, True)
    assert registry["down"].keys == ("n", "Down")


def test_a_key_given_to_another_command_is_taken_from_its_old_one(tmp_path: Path) -> None:
    registry, wrong, _ = apply(tmp_path, '[keys]\ndown = "k"\n')
    assert (registry["down"].keys, registry["up"].keys) == (("k",), ())
    assert wrong == ["config.toml: [keys] k is for down from now on: up has no key now"]


def test_a_key_given_to_two_commands_is_reported(tmp_path: Path) -> None:
    registry, wrong, _ = apply(tmp_path, '[keys]\ndown = ["x", "n"]\nup = "x"\n')
    assert (registry["down"].keys, registry["up"].keys) == (("n",), ("x",))
    assert wrong == ["config.toml: [keys] x is for up from now on: down is left with n"]


def test_keys_that_are_exchanged_are_no_mistake(tmp_path: Path) -> None:
    registry, wrong, _ = apply(tmp_path, '[keys]\ndown = "k"\nup = "j"\n')
    assert (registry["down"].keys, registry["up"].keys, wrong) == (("k",), ("j",), [])


def test_no_configuration_is_no_mistake(tmp_path: Path) -> None:
    assert configure(tmp_path / "none" / "config.toml", Options(), REGISTRY) == (REGISTRY, [])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[options]\nscrolloff = -1\n", "config.toml: [options] scrolloff is a number from 0 to 1000, not -1"),
        ("[options]\nnumber = 1\n", "config.toml: [options] number is on or off (true, false), not 1"),
        ("[keys]\nfly = 'x'\n", "config.toml: [keys] no command 'fly': :keys lists them"),
        ("[keys]\ndown = 3\n", "config.toml: [keys] down needs a key or a list of keys in quotes"),
        ("[keys]\ndown = ''\n", "config.toml: [keys] an empty text is not a key"),
        (
            "[keys]\ndown = '^s'\n",
            "config.toml: [keys] down: ^s can't be bound: terminals keep it",
        ),
        ("[keys]\ndown = '5'\n", "config.toml: [keys] down: 5 begins with a digit, which begins a count"),
        ("[keys]\ndown = 'z'\n", "config.toml: [keys] z"),
        ("keys = 3\n", "config.toml: [keys] is a section, not a value"),
        ("[colours]\n", "config.toml: no section [colours]: there are [options] and [keys]"),
        ("[options\n", "config.toml: Expected ']'"),
        (b"\xff\xfe", "config.toml: 'utf-8' codec can't decode"),
        (b"a = " + b"[" * 100_000, "config.toml: "),
    ],
)
def test_each_mistake_is_one_readable_line(tmp_path: Path, text: str | bytes, message: str) -> None:
    registry, wrong, _ = apply(tmp_path, text)
    assert len(wrong) == 1
    assert message in wrong[0].replace(str(tmp_path) + "/", "")
    assert "\n" not in wrong[0]
    assert registry["down"].keys == ("j", "Down")


def test_valid_settings_next_to_a_mistake_count(tmp_path: Path) -> None:
    registry, wrong, _ = apply(tmp_path, "[keys]\nfly = 'x'\nup = 'U'\n")
    assert (len(wrong), registry["up"].keys) == (1, ("U",))


def test_a_folder_in_its_place_is_reported(tmp_path: Path) -> None:
    (tmp_path / "config.toml").mkdir()
    assert configure(tmp_path / "config.toml", Options(), REGISTRY)[1][0].endswith("Is a directory")


@pytest.mark.parametrize(
    ("words", "name", "value"),
    [
        ("number", "number", True),
        ("nomouse", "mouse", False),
        ("wrapscan!", "wrapscan", False),
        ("scrolloff=7", "scrolloff", 7),
        ("theme=light", "theme", "light"),
        ("mono=on", "mono", True),
    ],
)
def test_options_are_set_by_words(words: str, name: str, value: object) -> None:
    options = Options()
    assert options.set_text(words) == [name]
    assert getattr(options, name) == value


@pytest.mark.parametrize("words", ["speed", "scrolloff", "scrolloff=x", "number=7", "nospeed", "set=1", "shown=1"])
def test_an_option_that_is_none_is_refused(words: str) -> None:
    with pytest.raises(BadOption):
        Options().set_text(words)


def test_every_option_has_a_line_of_help_and_a_command() -> None:
    shown = list(Options().shown())
    again = Options()
    assert again.set_text(" ".join(word for word in shown if word != "theme=")) and again == Options()
    assert list(OPTION_HELP) == [word.removeprefix("no").partition("=")[0] for word in shown]


def test_the_configuration_is_in_the_folder_of_the_environment() -> None:
    assert config_path({"XDG_CONFIG_HOME": "/x"}) == Path("/x/coffeetree/config.toml")
    assert config_path({"HOME": "/h"}) == Path("/h/.config/coffeetree/config.toml")
