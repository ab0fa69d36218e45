"""A Python regular expression as an automaton over characters, without backtracking.

Only whether a line contains a match matters, not which match is found first or what its groups contain. So all paths
are followed at once, and no expression takes longer than another. Characters are classified by Python's own matcher, so
classes, case and word borders mean what they mean in `re`.

The tree comes from Python's own parser, a private module. If an expression can't be converted (references,
look-arounds, atomic groups), or the tree is not as known here, there is no automaton, and `re` is used instead.
"""

from __future__ import annotations

import importlib
import re
import warnings
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, NamedTuple

from parsers.query.search.regex_facts import ParsedItems

MOST_STEPS = 5_000
"""Maximum steps of one automaton; `[a-z]{1000}` has a thousand."""

START, END = "start", "end"
"""The kinds before the first character of a line, and after the last one."""

Kind = str | tuple[bool, bool]
"""`START`, `END`, or whether a character belongs to a word: in Unicode, in ASCII."""

_BORDERS = {"AT_BOUNDARY": True, "AT_NON_BOUNDARY": False}


class NoAutomaton(ValueError):
    """The expression can't be converted to an automaton."""


class AutomatonStep(NamedTuple):
    """One step. Without a test it leads to each of `then` at once."""

    then: tuple[int, ...]
    test: int = -1
    """Number of the character set that leads on; -1: none."""
    border: tuple[str, bool] | None = None
    """Name of a required position (`AT_END` …), and whether words are ASCII."""


class Automaton:
    """The steps of one expression, and the classification of characters.

    A *set* of steps is the state of the automaton between two characters. It is closed: steps that lead on at once have
    been followed, but those that require a position wait until the next character is known.
    """

    def __init__(self, steps: list[AutomatonStep], first: int, tests: list[re.Pattern[str]], folded: str) -> None:
        self.steps = steps
        self._tests = tests
        self._folded = frozenset(folded)
        self._kinds: dict[str, tuple[tuple[bool, ...], Kind]] = {}
        self._after: dict[tuple[frozenset[int], Kind, tuple[tuple[bool, ...], Kind]], frozenset[int] | None] = {}
        self.start = self._closed((first,))
        self._later = frozenset(step for step in self.start if not self._is_beginning(step))
        self._has_borders = any(step.border is not None and step.border[0] in _BORDERS for step in steps)

    def forget(self) -> None:
        """Clears the cache of transitions."""
        self._after.clear()

    def sort(self, character: str) -> tuple[tuple[bool, ...], Kind]:
        """The class of a character: characters of the same class lead to the same steps."""
        known = self._kinds.get(character)
        if known is None:
            seen = "\ufffd" if character in self._folded else character
            tests = tuple(test.fullmatch(seen) is not None for test in self._tests)
            kind = (_is_word(seen), seen.isascii() and _is_word(seen)) if self._has_borders else (False, False)
            known = self._kinds[character] = tests, kind
        return known

    def after(self, here: frozenset[int], before: Kind, sort: tuple[tuple[bool, ...], Kind]) -> frozenset[int] | None:
        """The steps after one more character; None: a match. Empty: no match is possible any more."""
        key = here, before, sort
        if key in self._after:
            return self._after[key]
        tests, kind = sort
        passed = self._passed(here, before, kind)
        result: frozenset[int] | None = None
        if not self._accepts(passed):
            reached = self._closed(then for step in passed if (then := self._led(step, tests)) >= 0)
            result = None if self._accepts(reached) else self._later.union(reached)
        self._after[key] = result
        return result

    def ends(self, here: frozenset[int], before: Kind) -> bool:
        """True if the line matches if it ends here."""
        return self._accepts(self._passed(here, before, END))

    # -- private ------------------------------------------------------------------------------------------------------

    def _led(self, number: int, tests: tuple[bool, ...]) -> int:
        step = self.steps[number]
        return step.then[0] if step.test >= 0 and tests[step.test] else -1

    def _accepts(self, here: Iterable[int]) -> bool:
        return 0 in here

    def _is_beginning(self, number: int) -> bool:
        border = self.steps[number].border
        return border is not None and border[0].startswith("AT_BEGINNING")

    def _closed(self, numbers: Iterable[int]) -> frozenset[int]:
        """The steps reached without a character and without requiring a position, except those that lead on."""
        waiting, seen, kept = list(numbers), set[int](), set[int]()
        while waiting:
            number = waiting.pop()
            if number in seen:
                continue
            seen.add(number)
            step = self.steps[number]
            if number == 0 or step.test >= 0 or step.border is not None:
                kept.add(number)
            else:
                waiting += step.then
        return frozenset(kept)

    def _passed(self, here: frozenset[int], before: Kind, behind: Kind) -> frozenset[int]:
        """The same set, extended by the steps after required positions that are satisfied."""
        passed, asked = set(here), [number for number in here if self.steps[number].border is not None]
        seen = set(asked)
        while asked:
            step = self.steps[asked.pop()]
            assert step.border is not None
            if not _is_at(*step.border, before, behind):
                continue
            reached = self._closed(step.then)
            passed |= reached
            new = {number for number in reached if self.steps[number].border is not None} - seen
            seen |= new
            asked += new
        return frozenset(passed)


def machine_of(expression: re.Pattern[str], folded: str = "") -> Automaton | None:
    """The automaton of an expression; None if there is none.

    folded  characters that are treated as U+FFFD
    """
    try:
        builder = _Builder(expression)
        return Automaton(builder.steps, builder.first, builder.tests, folded)
    except (NoAutomaton, ImportError, re.error):
        return None
    except (AttributeError, TypeError, ValueError, IndexError, RecursionError, OverflowError, MemoryError):
        # The parser's tree is not as known here, or the expression is too large for it.
        return None


class _Builder:
    """Makes the steps from the end of the expression to its beginning; step 0 is the match."""

    def __init__(self, expression: re.Pattern[str]) -> None:
        self._parser: Any = importlib.import_module("re._parser")
        self._compiler: Any = importlib.import_module("re._compiler")
        self._numbers: dict[str, int] = {}
        self.tests: list[re.Pattern[str]] = []
        self.steps = [AutomatonStep(())]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = self._parser.parse(expression.pattern, expression.flags)
        self.first = self._sequence(tree, tree.state.flags, 0)

    def _add(self, step: AutomatonStep) -> int:
        if len(self.steps) >= MOST_STEPS:
            raise NoAutomaton("too many steps")
        self.steps.append(step)
        return len(self.steps) - 1

    def _sequence(self, items: ParsedItems, flags: int, then: int) -> int:
        for item in reversed(list(items)):
            then = self._item(item, flags, then)
        return then

    def _item(self, item: tuple[object, Any], flags: int, then: int) -> int:
        operator, argument = item
        name = str(operator)
        if name in ("LITERAL", "NOT_LITERAL", "ANY", "IN"):
            return self._add(AutomatonStep((then,), self._test(item, flags)))
        if name == "AT":
            return self._add(AutomatonStep((then,), border=(_place(str(argument)), bool(flags & re.ASCII))))
        if name == "SUBPATTERN":
            _, added, removed, inner = argument
            return self._sequence(inner, self._combined(flags, added, removed), then)
        if name == "BRANCH":
            return self._add(AutomatonStep(tuple(self._sequence(branch, flags, then) for branch in argument[1])))
        if name in ("MAX_REPEAT", "MIN_REPEAT"):
            return self._repeat(argument, flags, then)
        raise NoAutomaton(name)

    def _repeat(self, argument: tuple[int, int, ParsedItems], flags: int, then: int) -> int:
        least, most, inner = argument
        if most == self._parser.MAXREPEAT:
            loop = self._add(AutomatonStep(()))
            self.steps[loop] = AutomatonStep((self._sequence(inner, flags, loop), then))
            then = loop
        else:
            end = then
            for _ in range(most - least):
                then = self._add(AutomatonStep((self._sequence(inner, flags, then), end)))
        for _ in range(least):
            then = self._sequence(inner, flags, then)
        return then

    def _combined(self, flags: int, added: int, removed: int) -> int:
        kinds = re.ASCII | re.UNICODE | re.LOCALE
        return ((flags & ~kinds if added & kinds else flags) | added) & ~removed

    def _test(self, item: tuple[object, Any], flags: int) -> int:
        """The number of a character set, compiled by Python's own matcher for it alone."""
        key = f"{item} {flags}"
        if key not in self._numbers:
            state = self._parser.State()
            state.flags = flags
            self._numbers[key] = len(self.tests)
            self.tests.append(self._compiler.compile(self._parser.SubPattern(state, [item])))
        return self._numbers[key]


def _place(name: str) -> str:
    if name not in ("AT_BEGINNING", "AT_BEGINNING_STRING", "AT_END", "AT_END_STRING", *_BORDERS):
        raise NoAutomaton(name)
    return name


def _is_at(name: str, is_ascii: bool, before: Kind, behind: Kind) -> bool:
    """True if the position is between two characters. A line contains no line end, so its ends are those of the
    text.
    """
    if name.startswith("AT_BEGINNING"):
        return before == START
    if name.startswith("AT_END"):
        return behind == END
    if before == START and behind == END and not _is_border_of_nothing():
        return False
    left, right = (not isinstance(kind, str) and kind[is_ascii] for kind in (before, behind))
    return (left != right) is _BORDERS[name]


@lru_cache(maxsize=1)
def _is_border_of_nothing() -> bool:
    """True if `\\B` matches the empty text: from Python 3.14 on."""
    return re.search(r"\B", "") is not None


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"
