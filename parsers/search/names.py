"""Search over the unique names of a report: hundreds of thousands of methods or types, within a keystroke.

`NameSearch` keeps all names as one text, an LF after each, and answers by substring, by the letters of a fuzzy query,
or by a `Pattern`. It is made in the worker or in a headless command; numpy is imported there only.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from parsers.lazy_kernel import LazyKernel
from parsers.search import fuzzy
from parsers.search.fuzzy import MOST_LENGTH, MOST_LETTERS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parsers.search.pattern import Pattern

FEW = 4_000
"""Names up to which the plain twin is quick enough, so that a small report needs no compiled kernel."""

SLACK = 128
"""Bytes behind the names that kernels may read (`parsers.index.vector.SLACK`)."""

RESCORED = 2_000
"""Names that the quick scores put first and for which the best scores are found."""

RESCORED_PLAIN = 40
"""The same where there is no kernel: a screenful."""

MANY = 20_000
"""Names from which on two processors are quicker than one."""

MOST_QUERY = 200
"""Characters of a query that are looked at."""


@dataclass(frozen=True, slots=True)
class Name:
    """One name that fits."""

    number: int
    """Its number among the report's names."""
    text: str
    count: int
    """Rows that show or refer to things of that name."""
    spans: list[list[int]]
    """What of it was typed: pairs of characters, half open."""


@dataclass(frozen=True, slots=True)
class Found:
    """The answer to one query."""

    names: list[Name]
    """The best ones, best first."""
    count: int
    """All that fit."""
    is_fuzzy: bool
    """False: only substrings were looked for (asked so, or the kernel isn't loaded yet)."""


@dataclass(frozen=True, slots=True)
class _Typed:
    """What was typed last, and what fitted it."""

    terms: list[bytes]
    has_case: bool
    which: NDArray[Any]
    before: NDArray[Any]
    """The scores without the last term."""
    scores: NDArray[Any]


class NameSearch:
    """Names of one report.

    names   as bytes of the file, none with an LF in it
    decode  bytes of the file to text
    count   how many rows show the name of that number
    """

    def __init__(
        self, names: Iterable[bytes], decode: Callable[[bytes], str], count: Callable[[int], int] = lambda number: 0
    ) -> None:
        import numpy as np

        self._blob = bytearray(_joined(names))
        self._length = len(self._blob)
        self._blob += bytes(SLACK)
        self._bytes = np.frombuffer(self._blob, np.uint8)
        ends = np.flatnonzero(self._bytes == 0x0A) + 1
        self._starts = np.concatenate((np.zeros(1, np.int64), ends))
        self._folded = self._blob.lower()
        self._decode = decode
        self._count = count
        self._kernel = fuzzy_kernels()
        self._typed: _Typed | None = None

    def __len__(self) -> int:
        return len(self._starts) - 1

    def name(self, number: int) -> bytes:
        """The bytes of a name."""
        return bytes(self._blob[self._starts[number] : self._starts[number + 1] - 1])

    def matching(self, pattern: Pattern, encoding: str) -> NDArray[Any]:
        """Numbers of all names that hold a pattern, ascending; an `auto` one is an expression if that matches any."""
        import numpy as np

        from parsers.search.line_finder import finder_of

        matching = np.empty(0, np.int64)
        if pattern.regex is not None:
            matching = finder_of(pattern, "regex", encoding).find(self._blob, self._length)
        if pattern.plain is not None and not len(matching):
            matching = finder_of(pattern, "text", encoding).find(self._blob, self._length)
        numbers = np.searchsorted(self._starts, matching)
        return np.setdiff1d(np.arange(len(self)), numbers) if pattern.is_negated else numbers

    def search(self, query: str, encode: Callable[[str], bytes], is_fuzzy: bool = True, limit: int = 200) -> Found:
        """The names that fit a query best. Case matters if there is a capital letter in it."""

        query = query[:MOST_QUERY]
        has_case = query != query.lower()
        try:
            terms = [encode(term) for term in query.split()]
        except UnicodeEncodeError:
            return Found([], 0, is_fuzzy)
        if not terms:
            return Found([], len(self), is_fuzzy)
        kernel = self._kernel.get() if is_fuzzy and len(self) > FEW else None
        is_fuzzy = is_fuzzy and (len(self) <= FEW or kernel is not None)
        if is_fuzzy:
            which, scores = self._fuzzy(terms, has_case, kernel)
        else:
            which, scores = self._substring(terms, has_case)
        best = self._first(which, scores, RESCORED if kernel is not None else limit)
        which, scores, count = which[best], scores[best], len(which)
        if is_fuzzy:
            # The quick scores said which names are worth a closer look.
            scores, all_places = self._best_fits(which, terms, has_case, kernel)
            best = self._first(which, scores, limit)
            told = [(int(which[index]), all_places[index]) for index in best.tolist()]
        else:
            told = [(number, self._places(number, terms, has_case)) for number in which.tolist()]
        names = []
        for number, places in told:
            name = self.name(number)
            spans = self._spans(name, places)
            names.append(Name(number, self._decode(name), self._count(number), spans))
        return Found(names, count, is_fuzzy)

    def prepare(self) -> None:
        """Begin to load the kernel, so that it is there for the first query."""
        if len(self) > FEW:
            self._kernel.get()

    # -- private ------------------------------------------------------------------------------------------------------

    def _text(self, has_case: bool) -> bytearray:
        return self._blob if has_case else self._folded

    def _substring(self, terms: Sequence[bytes], has_case: bool) -> tuple[NDArray[Any], NDArray[Any]]:
        """The names that hold all terms, and scores: where the first occurrence of each term begins something."""
        import numpy as np

        from parsers.search.line_finder import places_of

        array = np.frombuffer(self._text(has_case), np.uint8, self._length)
        which, scores = np.arange(len(self)), np.zeros(len(self), np.int64)
        for term in terms:
            places = places_of(term, array)
            best = np.full(len(self), -1, np.int64)
            if len(places):
                names = np.searchsorted(self._starts, places, "right") - 1
                firsts = np.flatnonzero(np.diff(names, prepend=-1))
                best[names[firsts]] = np.maximum.reduceat(_bonuses(self._bytes, places), firsts)
            kept = np.flatnonzero(best[which] >= 0)
            which = which[kept]
            scores = scores[kept] + best[which]
        return which, scores

    def _fuzzy(self, terms: Sequence[bytes], has_case: bool, kernel: Any) -> tuple[NDArray[Any], NDArray[Any]]:
        """The names that hold the letters of all terms, and their quick scores."""
        import numpy as np

        typed, begun = list(terms), self._typed
        which, scores, new = np.arange(len(self)), np.zeros(len(self), np.int64), typed
        if begun is not None and begun.has_case == has_case:
            # More was typed: only names that fitted before can fit now, and only the last term is new.
            if typed[:-1] == begun.terms:
                which, scores, new = begun.which, begun.scores, typed[-1:]
            elif typed[:-1] == begun.terms[:-1] and typed[-1].startswith(begun.terms[-1]):
                which, scores, new = begun.which, begun.before, typed[-1:]
        before = scores
        for term in new:
            before, scores = scores, self._scored(which, scores, term, has_case, kernel)
        kept = np.flatnonzero(scores != fuzzy.NO_MATCH)
        which, scores = which[kept], scores[kept]
        self._typed = _Typed(typed, has_case, which, before[kept], scores)
        return which, scores

    def _scored(
        self, which: NDArray[Any], before: NDArray[Any], term: bytes, has_case: bool, kernel: Any
    ) -> NDArray[Any]:
        """The scores with those of one term more."""
        import numpy as np

        folded = self._text(has_case)
        if kernel is not None:
            scores, letters = before.copy(), np.frombuffer(term, np.uint8)
            array = np.frombuffer(folded, np.uint8)

            def take(part: slice) -> None:
                places = np.empty(2 * len(letters), np.int64)
                kernel[0](self._bytes, array, self._starts, which[part], letters, places, scores[part])

            # The kernel holds no lock, so a second processor can take half of the names.
            middle = len(which) // 2 if len(which) > MANY else 0
            half = threading.Thread(target=take, args=(slice(0, middle),))
            half.start()
            take(slice(middle, None))
            half.join()
            return scores
        sums = []
        for number, score in zip(which.tolist(), before.tolist(), strict=True):
            start, stop = int(self._starts[number]), int(self._starts[number + 1]) - 1
            more = fuzzy.fit(bytes(self._blob[start:stop]), bytes(folded[start:stop]), [term])[0]
            sums.append(score + more if score != fuzzy.NO_MATCH != more else fuzzy.NO_MATCH)
        return np.array(sums, np.int64)

    def _first(self, which: NDArray[Any], scores: NDArray[Any], limit: int) -> NDArray[Any]:
        """Places of the names that come first: by score, then shorter names, then as in the document."""
        import numpy as np

        lengths = self._starts[which + 1] - self._starts[which]
        keys = scores * (1 << 20) - np.minimum(lengths, (1 << 20) - 1)
        best = np.argpartition(-keys, limit - 1)[:limit] if len(keys) > limit else np.arange(len(keys))
        order: NDArray[Any] = best[np.lexsort((which[best], -keys[best]))]
        return order

    def _best_fits(
        self, which: NDArray[Any], terms: Sequence[bytes], has_case: bool, kernel: Any
    ) -> tuple[NDArray[Any], list[list[int]]]:
        """The best scores of some names, and the places of what was typed in each."""
        import numpy as np

        folded = self._text(has_case)
        scores = np.zeros(len(which), np.int64)
        places: list[list[int]] = [[] for _ in range(len(which))]
        if kernel is None or max(map(len, terms)) > MOST_LETTERS:
            for index, number in enumerate(which.tolist()):
                start, stop = int(self._starts[number]), int(self._starts[number + 1]) - 1
                name, fold = bytes(self._blob[start:stop]), bytes(folded[start:stop])
                if index < RESCORED_PLAIN:
                    fits = [fuzzy.best_fit(name, fold, term) for term in terms]
                else:
                    fits = [fuzzy.fit(name, fold, list(terms))]
                scores[index] = sum(score for score, _ in fits)
                places[index] = sorted({place for _, found in fits for place in found})
            return scores, places
        fit = kernel[1]
        room = [np.empty((MOST_LETTERS, MOST_LENGTH), np.int32) for _ in range(3)]
        for term in terms:
            letters, found = np.frombuffer(term, np.uint8), np.zeros((len(which), len(term)), np.int32)
            fitted = np.empty(len(which), np.int64)
            folded_array = np.frombuffer(folded, np.uint8)
            fit(self._bytes, folded_array, self._starts, which, letters, *room, fitted, found)
            scores += fitted
            for index, there in enumerate(found.tolist()):
                places[index] += there if fitted[index] != fuzzy.NO_MATCH else []
        return scores, [sorted(set(found)) for found in places]

    def _places(self, number: int, terms: Sequence[bytes], has_case: bool) -> list[int]:
        """Where the first occurrence of each term stands in a name."""
        name = self.name(number)
        folded = name if has_case else name.lower()
        found = [(folded.find(term), len(term)) for term in terms]
        return sorted({place for start, length in found for place in range(start, start + length)})

    def _spans(self, name: bytes, places: Sequence[int]) -> list[list[int]]:
        """Places of bytes as ranges of characters."""
        spans: list[list[int]] = []
        for place in places:
            # A beginning of a character counts as one, too.
            start = place if name.isascii() else len(self._decode(name[: place + 1])) - 1
            if spans and start <= spans[-1][1]:
                spans[-1][1] = start + 1
            else:
                spans.append([start, start + 1])
        return spans


def _joined(names: Iterable[bytes]) -> Any:
    """All names as one text, an LF after each."""
    if hasattr(names, "joined"):
        return names.joined(0x0A)
    return b"".join(name + b"\n" for name in names)


@cache
def fuzzy_kernels() -> LazyKernel:
    """`fuzzy_scores` and `best_fits`, loaded once for this process."""
    return LazyKernel(_load_kernel)


def _load_kernel() -> Any:
    """Both kernels of `parsers.search.fuzzy_kernel`: the quick one and the one for the best names."""
    import numpy as np

    from parsers.search.fuzzy_kernel import best_fits, fuzzy_scores

    text, numbers, none = np.zeros(1 + SLACK, np.uint8), np.zeros(2, np.int64), np.zeros(0, np.int64)
    room, places = np.zeros((1, 1), np.int32), np.zeros((0, 1), np.int32)
    fuzzy_scores(text, text, numbers, none, text, numbers, none)
    best_fits(text, text, numbers, none, text, room, room, room, none, places)
    return fuzzy_scores, best_fits


def _bonuses(text: NDArray[Any], places: NDArray[Any]) -> NDArray[Any]:
    """`fuzzy.bonus_at` for many places of a text of many names."""
    before = text[places - 1]
    before[places == 0] = 0x0A
    points: NDArray[Any] = fuzzy.bonus_table()[before, text[places]]
    return points
