"""Mapping of keys to commands: counts, sequences, and special keys split up by a slow connection.

`KeyReader` is a state machine without a clock or a screen: it receives keys with their times and returns actions. An
unfinished sequence has no time limit. A split key (`Esc`, a pause, `[`, `1`, `;`, `5`, `C`) acts as the original key.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from tui.input.keys.name import WILDCARDS, parse_sequence
from tui.input.keys.registry import Command, CommandCall

TORN_SECONDS = 1.0
"""Seconds after an Esc in which `[` or `O` is interpreted as the rest of a split key."""

HINT_SECONDS = 0.3
"""Seconds until the key line shows the keys that can follow an unfinished sequence."""

LONGEST_COUNT = 15
"""Maximum digits of a count; more are dropped."""

LONGEST_TORN = 40
"""Maximum characters of a split key; a longer text is not a key."""

_FINAL = {"A": "Up", "B": "Down", "C": "Right", "D": "Left", "H": "Home", "F": "End", "Z": "Shift+Tab"}
_FINAL_FUNCTION = {"P": "F1", "Q": "F2", "R": "F3", "S": "F4"}
_NUMBERED = {
    **{"1": "Home", "2": "Ins", "3": "Del", "4": "End", "5": "PgUp", "6": "PgDn", "7": "Home", "8": "End"},
    **{"11": "F1", "12": "F2", "13": "F3", "14": "F4", "15": "F5", "17": "F6", "18": "F7", "19": "F8", "20": "F9"},
}
_PASTE = "200"


def whole_key(torn: str) -> str | None:
    """The key of a split CSI sequence, from the characters after its `Esc [`; None if unknown."""
    parameters, final = torn[:-1], torn[-1:]
    if final == "~":
        return _NUMBERED.get(parameters)
    if parameters in ("", "1"):
        return _FINAL.get(final) or _FINAL_FUNCTION.get(final)
    if parameters == "[":
        return {"A": "F1", "B": "F2", "C": "F3", "D": "F4", "E": "F5"}.get(final)
    return None


@dataclass(frozen=True, slots=True)
class RunCommand:
    """A command to run."""

    command: Command
    call: CommandCall


@dataclass(frozen=True, slots=True)
class Drop:
    """A sequence or key that is not bound here: the pressed keys."""

    pressed: str


Outcome = RunCommand | Drop
"""Result of a key; a key of an unfinished or cancelled count or sequence has none."""


@dataclass(slots=True)
class _Step:
    """A node of the keymap: the keys so far may be a command, or continue."""

    command: Command | None = None
    follow: dict[str, _Step] = field(default_factory=dict)


class Keymap:
    """The sequences of some commands, as a tree of keys. Raises ValueError if two commands have the same keys."""

    def __init__(self, commands: Iterable[Command]) -> None:
        self._root = _Step()
        for command in commands:
            for keys in command.keys:
                self._bind(keys, command)

    def _bind(self, written: str, command: Command) -> None:
        step = self._root
        for key in parse_sequence(written):
            if step.command is not None:
                raise ValueError(f"{written} of {command.name} begins with a key of {step.command.name}")
            step = step.follow.setdefault(key, _Step())
        if step.command is not None or step.follow:
            other = step.command.name if step.command else "a longer sequence"
            raise ValueError(f"{written} is bound twice: {command.name}, {other}")
        step.command = command

    def find(self, pressed: tuple[str, ...]) -> tuple[Command | None, str, bool]:
        """Returns the command of these keys, the key that matched a wildcard, and True if more keys may follow."""
        step: _Step | None = self._root
        letter = ""
        for key in pressed:
            assert step is not None
            after = step.follow.get(key)
            if after is None:
                wildcard = next((name for name in step.follow if key in WILDCARDS.get(name, ())), None)
                if wildcard is None:
                    return None, "", False
                after, letter = step.follow[wildcard], key
            step = after
        assert step is not None
        return step.command, letter, bool(step.follow)

    def follow(self, pressed: tuple[str, ...]) -> list[tuple[str, Command]]:
        """Possible next keys and the commands that they lead to, in the order of the help."""
        step = self._root
        for key in pressed:
            step = step.follow.get(key, _Step())
        found: list[tuple[str, Command]] = []
        stack = [(key, after) for key, after in reversed(step.follow.items())]
        while stack:
            keys, at = stack.pop()
            if at.command is not None:
                found.append((keys, at.command))
            stack.extend((keys + key, after) for key, after in reversed(at.follow.items()))
        return found


class KeyReader:
    """Processes keys one by one; stores the unfinished count and sequence."""

    def __init__(self, keymap: Keymap) -> None:
        self.keymap = keymap
        self._digits = ""
        self._pressed: tuple[str, ...] = ()
        self._torn: str | None = None
        self.is_holding = False
        """True after Esc and `O`, perhaps of a split key: `tick` should be called when the time for these is over."""
        self._pasting = False
        self._escape_at = float("-inf")
        self._last_at = float("-inf")

    @property
    def pressed(self) -> str:
        """The unfinished count and keys."""
        return self._digits + "".join(self._pressed)

    @property
    def hints(self) -> list[tuple[str, Command]]:
        """Keys that can follow the pressed ones; empty if no sequence has begun."""
        return self.keymap.follow(self._pressed) if self._pressed else []

    def clear(self) -> None:
        """Forgets an unfinished sequence."""
        self._digits, self._pressed, self._torn, self.is_holding, self._pasting = "", (), None, False, False

    def inherit(self, other: KeyReader) -> None:
        """Takes over from the reader of a prompt closed by Esc: the next keys may be the rest of a split key."""
        self._escape_at = max(self._escape_at, other._escape_at)

    def feed(self, key: str, now: float) -> list[Outcome]:
        """Returns the results of this key. `now` is any clock in seconds."""
        is_late = now - self._last_at > TORN_SECONDS
        self._last_at = now
        outcomes: list[Outcome] = []
        if self.is_holding:
            self.is_holding = False
            if not is_late and (whole := _FINAL.get(key) or _FINAL_FUNCTION.get(key)):
                return self._take(whole)
            outcomes += self._take("O")
        if self._pasting:
            self._pasting = not is_late and key != "Esc"
            if self._pasting:
                return outcomes
        if self._torn is not None:
            if not is_late and len(key) == 1 and len(self._torn) < LONGEST_TORN:
                return outcomes + self._take_torn(key)
            self._torn = None
        if key == "Esc":
            self._escape_at = now
        elif key in ("[", "O") and not self.pressed and now - self._escape_at <= TORN_SECONDS:
            self._torn = "" if key == "[" else None
            self.is_holding = key == "O"
            return outcomes
        return outcomes + self._take(key)

    def tick(self, now: float) -> list[Outcome]:
        """Returns the results of elapsed time: an `O` after an Esc with nothing following was not a split key."""
        if self.is_holding and now - self._last_at > TORN_SECONDS:
            self.is_holding = False
            return self._take("O")
        return []

    def _take_torn(self, character: str) -> list[Outcome]:
        self._torn = (self._torn or "") + character
        if not ("@" <= character <= "~") or self._torn == "[":
            return []
        torn, self._torn = self._torn, None
        if torn == _PASTE + "~":
            self._pasting = True
            return []
        key = whole_key(torn)
        return [] if key is None else self._take(key)

    def _take(self, key: str) -> list[Outcome]:
        if not self._pressed and (key in WILDCARDS["{1-9}"] or (key == "0" and self._digits)):
            self._digits = (self._digits + key)[:LONGEST_COUNT]
            return []
        if key == "Esc" and self.pressed:
            self.clear()
            return []
        before, self._pressed = self._pressed, (*self._pressed, key)
        command, letter, continues = self.keymap.find(self._pressed)
        if command is not None:
            call = CommandCall(int(self._digits) if self._digits else None, letter)
            self._digits, self._pressed = "", ()
            return [RunCommand(command, call)]
        if continues:
            return []
        self._pressed = before
        dropped = Drop(self.pressed + key)
        self._digits, self._pressed = "", ()
        return [dropped]
