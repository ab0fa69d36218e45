"""Facts about a regular expression without running it: texts that each match contains, and whether it may be slow.

A scan of gigabytes first searches such a text and tries the expression only on lines that contain it. The facts come
from the tree of Python's own parser, a private module. If its form is not the one known here, there are no facts: no
required text, and no promise of speed.
"""

from __future__ import annotations

import importlib
import re
import warnings
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

_Text = tuple[bytes, ...]
ParsedItems = Iterable[tuple[object, Any]]
"""A sequence of the parser's tree: operators, each with an argument whose type depends on it."""

_QUICK = (2_000, 2_000, 400, 150)
"""Characters searched within about a tenth of a second, by number of successive unbounded repeats."""

_TOO_MANY = len(_QUICK)

_ANY_LENGTH = 100
"""A repeat up to this count is treated as bounded."""

MOST_BYTES = 12
"""Maximum characters of neighbouring places worth comparing with every byte of a file."""

MOST_PLACES = 3
"""Maximum neighbouring places returned."""

UNKNOWN_FORM = (RecursionError, AttributeError, TypeError, ValueError, IndexError)
"""Errors of reading a tree whose form is not known."""


@lru_cache(maxsize=64)
def required_texts(pattern: str, ignores_case: bool = False) -> tuple[tuple[str, ...], ...]:
    """Texts that each match contains: at least one of each tuple, long ones first. () if nothing is known.

    With `ignores_case` they are lower-case ASCII, and letters match ASCII letters only (see
    `parsers.query.search.pattern.in_line`).
    """
    tree = _parse(pattern, ignores_case)
    try:
        return () if tree is None else tuple(_Finder(bool(tree.state.flags & re.IGNORECASE)).all(tree))
    except UNKNOWN_FORM:
        return ()


@lru_cache(maxsize=64)
def required_bytes(pattern: str, ignores_case: bool = False) -> tuple[bytes, ...]:
    """Two or three neighbouring places of each match, with the possible ASCII characters of each. () if not known.

    With `ignores_case` both cases of a letter are included, and letters match ASCII letters only.
    """
    tree = _parse(pattern, ignores_case)
    try:
        if tree is None or bool(tree.state.flags & re.IGNORECASE) is not ignores_case:
            return ()
        runs: list[list[bytes]] = [[]]
        _collect(tree, ignores_case, runs)
    except UNKNOWN_FORM:
        return ()
    windows = [tuple(run[at : at + size]) for run in runs for size in (2, 3) for at in range(len(run) - size + 1)]
    few = [window for window in windows if sum(map(len, window)) <= MOST_BYTES]
    return max(few, key=lambda window: (len(window), -sum(map(len, window))), default=())


@lru_cache(maxsize=64)
def few_texts(pattern: str, ignores_case: bool = False) -> tuple[_Text, ...]:
    """All texts that an expression can match, if these are one or a few short ones. () for other expressions.

    Each place of a text has its possible ASCII characters, as in `required_bytes`.
    """
    tree = _parse(pattern, ignores_case)
    try:
        if tree is None or bool(tree.state.flags & re.IGNORECASE) is not ignores_case:
            return ()
        texts = _texts(tree, ignores_case)
    except UNKNOWN_FORM:
        return ()
    return tuple(dict.fromkeys(texts)) if all(texts) else ()


def _texts(items: ParsedItems, ignores_case: bool) -> list[_Text]:
    """The texts of a sequence; empty if they are many, or unknown."""
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
    """Each text joined to each following one; empty if these are too many."""
    if len(texts) * len(following) > MOST_BYTES:
        return []
    joined = [text + more for text in texts for more in following]
    is_few = sum(len(few) for text in joined for few in text) <= MOST_BYTES
    return joined if is_few or is_one_text(joined) else []


def is_one_text(texts: Sequence[_Text]) -> bool:
    """True if there is only one text, with one character at each place, in one case or both."""
    return len(texts) == 1 and all(len({*few.lower()}) == 1 for few in texts[0])


def _collect(items: ParsedItems, ignores_case: bool, runs: list[list[bytes]]) -> None:
    """Extends the last run of places; anything else starts a new run."""
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
    """The possible characters of one place; empty if they are many, or not all ASCII."""
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
    """Number of arbitrary characters that can be searched at once. 0: a few dozen may take exponential time.

    Nested repeats and references to groups may take exponential time; successive repeats take long.
    """
    tree = _parse(pattern, False)
    try:
        repeats = _TOO_MANY if tree is None else _repeats(tree)
    except UNKNOWN_FORM:
        return 0
    return _QUICK[repeats] if repeats < _TOO_MANY else 0


def _parse(pattern: str, ignores_case: bool) -> Any:
    """The parser's tree; None if there is no such parser or it rejects the pattern."""
    try:
        parser = importlib.import_module("re._parser")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return parser.parse(pattern, re.IGNORECASE if ignores_case else 0)
    except (ImportError, AttributeError, re.error, OverflowError, RecursionError, MemoryError):
        return None


def _repeats(items: ParsedItems) -> int:
    """Maximum number of successive unbounded repeats; a nested one, or a reference, counts as too many."""
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


def _has_choice(items: ParsedItems) -> bool:
    return any(
        str(operator) == "BRANCH"
        or "REPEAT" in str(operator)
        or any(_has_choice(each) for each in _inner(str(operator), argument))
        for operator, argument in items
    )


def _inner(name: str, argument: Any) -> tuple[ParsedItems, ...]:
    """The sequences inside groups and look-arounds."""
    if name == "SUBPATTERN":
        return (argument[-1],)
    if name == "ATOMIC_GROUP":
        return (argument,)
    if name in ("ASSERT", "ASSERT_NOT"):
        return (argument[1],)
    return ()


class _Finder:
    """Collects texts that each match of a sequence of the parser's tree contains."""

    def __init__(self, ignores_case: bool) -> None:
        self._ignores_case = ignores_case

    def all(self, items: ParsedItems) -> list[tuple[str, ...]]:
        """The alternatives of texts that a match must contain; those whose shortest text is longest are first."""
        found: list[tuple[str, ...]] = []
        run = self._walk(items, "", found)
        if run:
            found.append((run,))
        return sorted(set(found), key=lambda texts: (-min(map(len, texts)), len(texts), texts))

    def _walk(self, items: ParsedItems, run: str, found: list[tuple[str, ...]]) -> str:
        """Extends a run of literals; completed runs are added to `found`. Returns the run that is still open."""
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
        """True if this character always appears unchanged in the bytes of a line."""
        if code in (0x0A, 0x0D, 0xFFFD):
            return False
        return not self._ignores_case or code < 0x80
