"""Names at the end of rows, before which the program may have printed; or in which: these are joined by the evidence of
the whole file.

A split name is a known name with other text in it. Evidence is a name that another row has, and output that the
program printed elsewhere too; numbers in output differ, so digits count as equal.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

from parsers.formats.jdkprofilers.xprof.expression import LAST_WORD, LEGAL_METHOD, NOTE, TOTAL_LAST, TOTAL_NAME

MOST_TAILS = 4
"""Maximum lines behind a row in which the rest of its name is looked for."""
MOST_DOUBTS = 2000
"""Maximum rows whose names are examined."""
MOST_OUTPUT = 10_000
"""Maximum lines of the program, between those of a profile, that are kept as evidence."""
MOST_WORK = 2_000_000
"""Maximum comparisons of texts with known names; later rows stay as they are."""
COST = 20
"""Cost of a comparison of a name of which a half fits, and of each insertion, in comparisons of halves."""
MOST_WORDS = 12
"""Maximum words of output that are compared."""
LONGEST = 400
"""Maximum bytes of a name with output in it."""
SHORTEST_PIECE = 3
"""Minimum bytes of a name on each side of output that the program did not print elsewhere."""
MOST_SHAPES = 64
"""Maximum kinds of output, the most frequent ones, that are removed from names that no other row has."""

_DIGITS = re.compile(rb"\d+")
_WORD = re.compile(rb"[^\s;\[/:]+")
"""Text that may be part of a name."""


@dataclass(frozen=True, slots=True)
class Unnamed:
    """Numbers of a row (percent, ticks in code, in native code) or of a label (percent, ticks), and the text behind
    them.

    The text is no name: the program printed it, or split the name.
    """

    numbers: tuple[float, ...]
    text: bytes
    flags: int
    offset: int
    line: int


def is_name(text: bytes) -> bool:
    """True if a text is a method, perhaps with the symbol of a stub behind it, or the name of a total."""
    return LEGAL_METHOD.fullmatch(without_note(text)) is not None or TOTAL_NAME.match(text) is not None


def without_note(text: bytes) -> bytes:
    """Returns a name without the symbol of a stub behind it."""
    found = NOTE.search(text) if text.endswith(b")") else None
    return text if found is None else text[: found.start()]


def split_output(text: bytes) -> tuple[bytes, bytes]:
    """Splits output of the program from the name behind it; no output if all is a name, or no name ends the text."""
    total = TOTAL_LAST.fullmatch(text)
    if total is not None:
        return total[1].strip(), total[2]
    found = None if is_name(text) else LAST_WORD.fullmatch(without_note(text))
    # A dot in the first word: that is a name with output in it.
    if found is None or b"." in found[1].split()[0] or not LEGAL_METHOD.fullmatch(found[2]):
        return b"", text
    return found[1].strip(), text[found.start(2) :]


@dataclass(slots=True)
class Doubt:
    """A row whose name may be split: its number among the rows of methods, and the text behind its numbers."""

    number: int
    text: bytes
    tails: list[bytes] = field(default_factory=list)
    """The lines behind it, if they are no lines of a profile."""


def insertions(text: bytes, name: bytes) -> Iterator[tuple[int, bytes]]:
    """Yields the position and the other text for each reading of a text as the name with other text in or around it."""
    more = len(text) - len(name)
    if more <= 0 or not _may_be(text, name):
        return
    # The positions are those at which the beginning of the name ends no later, and its end begins no earlier.
    first = bisect_left(range(len(name)), True, key=lambda at: text.endswith(name[at:]))
    last = bisect_left(range(len(name)), True, key=lambda at: not text.startswith(name[: at + 1]))
    for at in range(last, first - 1, -1):
        yield at, text[at : at + more]


def _may_be(text: bytes, name: bytes) -> bool:
    """True if a half of the name begins or ends the text, as one does wherever the name is split."""
    half = len(name) // 2
    return text.startswith(name[:half]) or text.endswith(name[half:])


def name_split_in(text: bytes, names: Collection[bytes]) -> bytes | None:
    """Returns the longest of all possible names that a text is with other text in it; None if it is none."""
    return max((name for name in names if any(insertions(text, name))), key=len, default=None)


class SplitNames:
    """Finds the names of doubtful rows."""

    def __init__(self, names: Collection[bytes], output: Sequence[bytes]) -> None:
        """Takes the names of all other rows, and lines of the program."""
        self._names = names
        shapes = Counter(map(_shape, output))
        self._printed = Counter[bytes]()
        """Times that the program printed these words at the beginning of a line."""
        for shape, times in shapes.items():
            words = shape.split(b" ", MOST_WORDS)[:MOST_WORDS]
            for count in range(1, len(words) + 1):
                self._printed[b" ".join(words[:count])] += times
        common = [shape for shape, _ in shapes.most_common(MOST_SHAPES) if shape and not _WORD.fullmatch(shape)]
        kinds = [re.escape(each).replace(b"0", rb"\d+") for each in sorted(common, key=len, reverse=True)]
        self._shapes = re.compile(rb"(?:%b)[ \n]*" % b"|".join(kinds)) if kinds else None
        self._work = 0

    def name(self, doubt: Doubt) -> bytes | None:
        """Returns the name of a row; None if nothing, or not enough, is known of it."""
        texts = [b"\n".join([doubt.text, *doubt.tails[:count]]) for count in range(len(doubt.tails) + 1)]
        is_name = LEGAL_METHOD.fullmatch(doubt.text) is not None
        if is_name:
            # The text may be the whole name: only the rest of a known one in a later line shows that it is not.
            texts = [] if doubt.text in self._names else texts[1:]
        sure, likely = set[bytes](), set[bytes]()
        for text in texts:
            self._work += len(self._names)
            if self._work > MOST_WORK:
                return None
            has_output = self._shapes is not None and self._shapes.search(text) is not None
            for name in self._names:
                if not _may_be(text, name):
                    continue
                self._work += COST
                for at, other in insertions(text, name):
                    self._work += COST
                    if self._is_output(other):
                        sure.add(name)
                    elif (other == b"\n" if is_name else not has_output) and _is_apart(name, at, other):
                        likely.add(name)
        if found := sure or likely:
            return found.pop() if len(found) == 1 else None
        return None if is_name else self._without_output(doubt)

    def is_doubtful(self, doubt: Doubt, name: bytes) -> bool:
        """True if a name that no other row has may lack a part: its beginning, in front of output that the program did
        not print elsewhere; or its end, if it ends in such output and a word is in the next line.
        """
        if name in self._names:
            return False
        if doubt.text != name:
            return not self._is_output(doubt.text[: -len(name)])
        return self._has_rest(doubt) and any(self._is_output(name[at:]) for at in range(1, len(name)))

    def _is_output(self, text: bytes, least: int = 1) -> bool:
        """True if the program printed each line of the text so often, at the beginning of a line."""
        lines = [shape for line in text.split(b"\n") if (shape := _shape(line))]
        return bool(lines) and all(self._printed[line] >= least for line in lines)

    def _has_rest(self, doubt: Doubt) -> bool:
        """True if the line behind a row may be the rest of its name: a word that the program printed nowhere else."""
        return bool(doubt.tails and _WORD.fullmatch(doubt.tails[0]) and not self._is_output(doubt.tails[0], 2))

    def _without_output(self, doubt: Doubt) -> bytes | None:
        """Returns the name that a text is without output of a known kind."""
        text = doubt.text
        if self._has_rest(doubt):
            if b"." not in doubt.tails[0]:
                return None  # A word alone may as well be the program's.
            text = b"%b\n%b" % (text, doubt.tails[0])
        if self._shapes is None:
            return None
        name, count = self._shapes.subn(b"", text)
        return name if count == 1 and LEGAL_METHOD.fullmatch(name) else None


def _shape(line: bytes) -> bytes:
    """Returns output with single blanks and equal digits."""
    return _DIGITS.sub(b"0", b" ".join(line.split()))


def _is_apart(name: bytes, at: int, other: bytes) -> bool:
    """True if unknown output is no part of a name: a blank is between them, or pieces of the name are on both sides."""
    if at == len(name):
        return other[:1].isspace()
    return SHORTEST_PIECE <= at <= len(name) - SHORTEST_PIECE
