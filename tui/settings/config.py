"""The configuration: `$XDG_CONFIG_HOME/coffeetree/config.toml`, with the sections `[options]` and `[keys]`.

    [options]
    scrolloff = 5

    [keys]
    down = ["n", "Down"]

A wrong file never stops the program: each mistake is one readable line, and the correct parts still apply.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tui.input.keys.keymap import Keymap
from tui.input.keys.name import FORBIDDEN, parse_sequence
from tui.input.keys.registry import Registry
from tui.settings.options import BadOption, Options

LARGEST = 1 << 20
"""Maximum bytes of a configuration; a larger file is ignored."""


def configure(path: Path, options: Options, registry: Registry) -> tuple[Registry, list[str]]:
    """Applies a configuration file: sets options, changes keys. Returns the registry and the mistakes."""
    try:
        with open(path, "rb") as file:
            data = file.read(LARGEST + 1)
    except (FileNotFoundError, NotADirectoryError):
        return registry, []
    except OSError as error:
        return registry, [f"{path}: can't be read: {error.strerror}"]
    if len(data) > LARGEST:
        return registry, [f"{path}: larger than {LARGEST:,} bytes"]
    # Most users have no configuration: its parser is only loaded if there is one.
    import tomllib

    try:
        content = tomllib.loads(data.decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        return registry, [f"{path}: {error}"]
    return _apply(path.name, content, options, registry)


def _apply(file: str, content: dict[str, object], options: Options, registry: Registry) -> tuple[Registry, list[str]]:
    wrong = [f"{file}: no section [{name}]: there are [options] and [keys]" for name in content if name not in SECTIONS]
    for name, value in _section(content, "options", file, wrong).items():
        try:
            options.set(name, value)
        except BadOption as error:
            wrong.append(f"{file}: [options] {error}")
    keys: dict[str, tuple[str, ...]] = {}
    for name, value in _section(content, "keys", file, wrong).items():
        try:
            keys[name] = _keys(name, value, registry)
        except ValueError as error:
            wrong.append(f"{file}: [keys] {error}")
    return _with_keys(file, keys, registry, wrong), wrong


SECTIONS = ("options", "keys")


def _section(content: dict[str, object], name: str, file: str, wrong: list[str]) -> dict[str, object]:
    section = content.get(name, {})
    if isinstance(section, dict):
        return section
    wrong.append(f"{file}: [{name}] is a section, not a value")
    return {}


def _keys(name: str, value: object, registry: Registry) -> tuple[str, ...]:
    command = registry.get(name)
    if command is None:
        raise ValueError(f"no command {name!r}: :keys lists them")
    written = [value] if isinstance(value, str) else value
    if not isinstance(written, list) or not all(isinstance(key, str) for key in written):
        raise ValueError(f"{name} needs a key or a list of keys in quotes")
    for key in written:
        sequence = parse_sequence(key)
        if set(sequence) & FORBIDDEN:
            raise ValueError(f"{name}: {key} can't be bound: terminals keep it or can't distinguish it")
        if sequence[0] in "123456789":
            raise ValueError(f"{name}: {key} begins with a digit, which begins a count")
    return tuple(written)


def _with_keys(file: str, keys: dict[str, tuple[str, ...]], registry: Registry, wrong: list[str]) -> Registry:
    """Assigns the keys to their commands one by one, so that a clash rejects one line only."""
    before = registry
    for name, written in keys.items():
        changed = registry.with_keys({name: written})
        try:
            for context in registry[name].contexts:
                Keymap(changed.of(context))
        except ValueError as error:
            wrong.append(f"{file}: [keys] {error}")
        else:
            registry = changed
    wrong += [f"{file}: [keys] {words}" for words in _lost_keys(before, keys, registry)]
    return registry


def _lost_keys(before: Registry, given: dict[str, tuple[str, ...]], after: Registry) -> Iterator[str]:
    """Messages about keys that commands have lost to others."""
    takers = {sequence: name for name in given for sequence in after[name].sequences}
    for command in after:
        rest = f"is left with {' '.join(command.keys)}" if command.keys else "has no key now"
        for key in given.get(command.name, before[command.name].keys):
            taker = takers.get(parse_sequence(key), command.name)
            if taker != command.name and after[taker].contexts & command.contexts:
                yield f"{key} is for {taker} from now on: {command.name} {rest}"
