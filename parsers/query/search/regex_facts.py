"""What can be said of a regular expression without running it: texts that each match holds, and whether it may hang.

A scan of gigabytes looks for such a text first and asks the expression only of the lines that hold it. The facts come
from the tree of Python's own parser. That is a private module, so wherever it isn't as it is known here nothing is
said: no required text, and no promise of speed.
"""

from __future__ import annotations

import importlib
import re
import warnings
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

_Text = tuple[bytes, ...]

_QUICK = (2_000, 2_000, 400, 150)
"""Characters that are searched within about a tenth of a second, by unbounded repeats one after the other."""

_TOO_MANY = len(_QUICK)

_ANY_LENGTH = 100
"""A repeat up to that often counts as bounded."""

MOST_BYTES = 12
"""Characters of neighbouring places that are worth comparing with every byte of a file."""

MOST_PLACES = 3
"""Neighbouring places that are told."""


@lru_cache(maxsize=64)
def required_texts(pattern: str, ignores_case: bool = False) -> tuple[tuple[str, ...], ...]:
    """What each match holds: at least one of the texts of each tuple, long ones first. () if nothing is known.

    With `ignores_case` they are in lower case and hold ASCII only, of which letters stand for ASCII letters alone (see
    `parsers.query.search.pattern.in_line`).
    """
    tree = _parse(pattern, ignores_case)
    if tree is None:
        return ()
    try:
        return tuple(_Finder(bool(tree.state.flags & re.IGNORECASE)).all(tree))
    except (RecursionError, AttributeError, TypeError, ValueError, IndexError):
        return ()


@lru_cache(maxsize=64)
def required_bytes(pattern: str, ignores_case: bool = False) -> tuple[bytes, ...]:
    """Two or three neighbouring places of each match: the ASCII characters of which one stands there. () if not known.

    With `ignores_case` both cases of a letter are among them, and letters stand for ASCII letters alone.
    """
    tree = _parse(pattern, ignores_case)
    try:
        if tree is None or bool(tree.state.flags & re.IGNORECASE) is not ignores_case:
            return ()
        runs: list[list[bytes]] = [[]]
        _collect(tree, ignores_case, runs)
    except (RecursionError, AttributeError, TypeError, ValueError, IndexError):
        return ()
    windows = [tuple(run[at : at + size]) for run in runs for size in (2, 3) for at in range(len(run) - size + 1)]
    few = [window for window in windows if sum(map(len, window)) <= MOST_BYTES]
    return max(few, key=lambda window: (len(window), -sum(map(len, window))), default=())


@lru_cache(maxsize=64)
def few_texts(pattern: str, ignores_case: bool = False) -> tuple[_Text, ...]:
    """All that an expression can match, where that is one text or a few short ones: of each by place the ASCII
    characters of which one stands there, as in `required_bytes`. () if it is anything else.
    """
    tree = _parse(pattern, ignores_case)
    try:
        if tree is None or bool(tree.state.flags & re.IGNORECASE) is not ignores_case:
            return ()
        texts = _texts(tree, ignores_case)
    except (RecursionError, AttributeError, TypeError, ValueError, IndexError):
        return ()
    return tuple(dict.fromkeys(texts)) if all(texts) else ()


def _texts(items: Iterable[Any], ignores_case: bool) -> list[_Text]:
    """The texts of a sequence; none if they are many, or not known."""
    texts: list[_Text] = [()]
    for operator, argument in items:
        name = str(operator)
        few = _few_characters(name, argument, ignores_case)
        following: list[_Text] = []
        if few:
            following = [(few,)]
        elif name == "SUBPATTERN" and not argument[1] and not argument[2]:
            following = _texts(argument[3], ignores_case)
        elif name == "BRANCH":
            branches = [_texts(branch, ignores_case) for branch in argument[1]]
            following = [text for branch in branches for text in branch] if all(branches) else []
        elif name in ("MAX_REPEAT", "MIN_REPEAT") and argument[0] == argument[1] <= MOST_BYTES:
            following = [()]
            for _ in range(argument[0]):
                following = _joined(following, _texts(argument[2], ignores_case))
        texts = _joined(texts, following)
    return texts


def _joined(texts: list[_Text], following: list[_Text]) -> list[_Text]:
    """Each text with each of those that may follow it; none if they are too many."""
    if len(texts) * len(following) > MOST_BYTES:
        return []
    joined = [text + more for text in texts for more in following]
    is_few = sum(len(few) for text in joined for few in text) <= MOST_BYTES
    return joined if is_few or is_one_text(joined) else []


def is_one_text(texts: Sequence[_Text]) -> bool:
    """Whether they are but one, in which each place has one character, in one case or both."""
    return len(texts) == 1 and all(len({*few.lower()}) == 1 for few in texts[0])


def _collect(items: Iterable[Any], ignores_case: bool, runs: list[list[bytes]]) -> None:
    """Go on with the last run of places; where something else comes a new one begins."""
    for operator, argument in items:
        name = str(operator)
        found = _few_characters(name, argument, ignores_case)
        if found:
            runs[-1].append(found)
        elif name == "SUBPATTERN" and not argument[1] and not argument[2]:
            _collect(argument[3], ignores_case, runs)
        elif name in ("MAX_REPEAT", "MIN_REPEAT") and argument[0] > 0:
            for _ in range(min(argument[0], MOST_PLACES)):
                _collect(argument[2], ignores_case, runs)
            if argument[1] != argument[0] or argument[0] > MOST_PLACES:
                runs.append([])
        else:
            runs.append([])


def _few_characters(name: str, argument: Any, ignores_case: bool) -> bytes:
    """The characters that stand for one place; none if they are many, or not all of ASCII."""
    codes: list[int] = []
    for operator, value in argument if name == "IN" else [(name, argument)]:
        if str(operator) == "LITERAL":
            codes.append(value)
        elif str(operator) == "RANGE" and value[1] - value[0] < MOST_BYTES:
            codes += range(value[0], value[1] + 1)
        else:
            return b""
    if not all(0x20 <= code < 0x7F for code in codes):
        return b""
    text = "".join(map(chr, codes))
    both = text.lower() + text.upper() if ignores_case else text
    return bytes(sorted(set(both.encode())))


@lru_cache(maxsize=64)
def quick_length(pattern: str) -> int:
    """In how many characters it can be looked for at once, whatever they are. 0: a few dozen may take for ever.

    Repeats inside repeats and references to groups are what takes for ever; repeats after each other take long.
    """
    tree = _parse(pattern, False)
    if tree is None:
        return 0
    try:
        repeats = _repeats(tree)
    except (RecursionError, AttributeError, TypeError, ValueError):
        return 0
    return _QUICK[repeats] if repeats < _TOO_MANY else 0


def _parse(pattern: str, ignores_case: bool) -> Any:
    """The parser's tree, None if there is no such parser or it doesn't take the pattern."""
    try:
        parser = importlib.import_module("re._parser")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return parser.parse(pattern, re.IGNORECASE if ignores_case else 0)
    except (ImportError, AttributeError, re.error, OverflowError, RecursionError, MemoryError):
        return None


def _repeats(items: Iterable[Any]) -> int:
    """How many unbounded repeats follow each other at most; one inside another, or a reference, counts as too many."""
    count = 0
    for operator, argument in items:
        name = str(operator)
        if name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            _, most, inner = argument
            inside = _repeats(inner)
            is_many = int(most) > _ANY_LENGTH
            count += _TOO_MANY if inside and int(most) > 1 else inside + is_many
            # A repeated choice may split a text in many ways: (a|aa)+
            count += _TOO_MANY if int(most) > 1 and _has_choice(inner) else 0
        elif name == "BRANCH":
            count += max(_repeats(branch) for branch in argument[1])
        elif name.startswith("GROUPREF"):
            count += _TOO_MANY
        else:
            count += sum(_repeats(each) for each in _inner(name, argument))
    return count


def _has_choice(items: Iterable[Any]) -> bool:
    return any(
        str(operator) == "BRANCH"
        or "REPEAT" in str(operator)
        or any(_has_choice(each) for each in _inner(str(operator), argument))
        for operator, argument in items
    )


def _inner(name: str, argument: Any) -> tuple[Any, ...]:
    """The sequences inside groups and looks around."""
    if name == "SUBPATTERN":
        return (argument[-1],)
    if name == "ATOMIC_GROUP":
        return (argument,)
    if name in ("ASSERT", "ASSERT_NOT"):
        return (argument[1],)
    return ()


class _Finder:
    """Collects texts that a sequence of the parser's tree can't match without."""

    def __init__(self, ignores_case: bool) -> None:
        self._ignores_case = ignores_case

    def all(self, items: Iterable[Any]) -> list[tuple[str, ...]]:
        """The choices of texts that a match can't do without; those whose shortest text is longest come first."""
        found: list[tuple[str, ...]] = []
        run = self._walk(items, "", found)
        if run:
            found.append((run,))
        return sorted(set(found), key=lambda texts: (-min(map(len, texts)), len(texts), texts))

    def _walk(self, items: Iterable[Any], run: str, found: list[tuple[str, ...]]) -> str:
        """Go on with a run of literals; what ends goes to `found`. Returns the run that is still open."""
        for operator, argument in items:
            name = str(operator)
            if name == "LITERAL" and self._is_sure(argument):
                character = chr(argument)
                run += character.lower() if self._ignores_case else character
                continue
            if name in ("AT", "ASSERT", "ASSERT_NOT"):
                continue
            if name == "SUBPATTERN" and not argument[1] and not argument[2]:
                run = self._walk(argument[3], run, found)
                continue
            if name == "ATOMIC_GROUP":
                run = self._walk(argument, run, found)
                continue
            if run:
                found.append((run,))
                run = ""
            if name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT") and argument[0] > 0:
                found += self.all(argument[2])
            elif name == "BRANCH":
                branches = [self.all(branch) for branch in argument[1]]
                if all(branches):
                    found.append(tuple(sorted({text for choices in branches for text in choices[0]})))
        return run

    def _is_sure(self, code: int) -> bool:
        """Whether this character stands for itself alone in the bytes of a line."""
        if code in (0x0A, 0x0D, 0xFFFD):
            return False
        return not self._ignores_case or code < 0x80
