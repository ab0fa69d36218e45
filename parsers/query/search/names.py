"""Search in the unique names of a report: hundreds of thousands of methods or types within a keystroke.

`NameSearch` keeps all names as one text, an LF after each. It searches by substring, by the letters of a fuzzy query,
or by a `Pattern`. It is made in the worker or in a headless command; numpy is imported only there.
"""

from __future__ import annotations

import mmap
import tempfile
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from parsers.io.background_task import in_halves
from parsers.io.cache import write_all
from parsers.kernels.library import loaded
from parsers.model.capabilities import JoinedNames
from parsers.model.distinct import begins
from parsers.model.late import numpy as np
from parsers.query.search import fuzzy
from parsers.query.search.fuzzy import MOST_LENGTH, MOST_LETTERS

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray, I32Array, I64Array, U8Array
    from parsers.query.search.pattern import Pattern
    from parsers.query.search.state_finder import LineFinder

FEW = 4_000
"""Number of names up to which the plain twin is fast enough, so that a small report needs no compiled kernel."""

SLACK = 128
"""Bytes after the names that kernels may read (`parsers.kernels.vector.SLACK`)."""

RESCORED = 2_000
"""Number of names with the best quick scores for which exact scores are computed."""

RESCORED_PLAIN = 40
"""The same without a kernel: a screenful."""

MANY = 20_000
"""Number of names from which on two processors are faster than one."""

BLOCK = 1 << 20
"""Bytes of names searched at a time."""

FuzzyKernels = tuple[Callable[..., None], Callable[..., None]]
"""`fuzzy_scores` and `best_fits`, for quick scores and for exact ones."""

MOST_QUERY = 200
"""Characters of a query that are used."""


@dataclass(frozen=True, slots=True)
class NameMatch:
    """One matching name."""

    number: int
    """Its number among the report's names."""
    text: str
    count: int
    """Rows that show or refer to this name."""
    spans: list[list[int]]
    """The parts of it that match the query: pairs of character positions, half open."""
    ref: str = ""
    """The REF of a group of that name, such as a package; empty: it is one of the report's names."""


@dataclass(frozen=True, slots=True)
class NameMatches:
    """The result of one query."""

    names: list[NameMatch]
    """The best names, best first."""
    count: int
    """Number of all matching names."""
    is_fuzzy: bool
    """False: only substrings were searched (as requested, or because the kernel isn't loaded yet)."""


@dataclass(frozen=True, slots=True)
class _Typed:
    """The last query, and the names that matched it."""

    terms: list[bytes]
    has_case: bool
    which: I32Array
    before: I32Array
    """The scores without the last term."""
    scores: I32Array


class NameSearch:
    """Names of one report.

    names   as bytes of the file, none with an LF in it
    decode  converts bytes of the file to text
    count   number of rows that show the name of a number
    folder  for unnamed files that keep the texts out of this process's own memory
    """

    def __init__(
        self,
        names: Sequence[bytes],
        decode: Callable[[bytes], str],
        count: Callable[[int], int] = lambda number: 0,
        folder: str | None = None,
    ) -> None:
        self._folder = folder
        self._starts, self._blob = joined_names(names, folder)
        self._length = len(self._blob) - SLACK
        self._decode = decode
        self._count = count
        self._typed: _Typed | None = None
        self._small: U8Array | None = None

    def __len__(self) -> int:
        return len(self._starts) - 1

    def name(self, number: int) -> bytes:
        """The bytes of a name."""
        return self._blob[self._starts[number] : self._starts[number + 1] - 1].tobytes()

    def matching(self, pattern: Pattern, encoding: str) -> I64Array:
        """Numbers of all names that match a pattern, ascending; an `auto` one is an expression if that matches any."""
        from parsers.query.search.line_finder import finder_of

        numbers = np.empty(0, np.int64)
        if pattern.regex is not None:
            numbers = self._found(finder_of(pattern, "regex", encoding))
        if pattern.plain is not None and not len(numbers):
            numbers = self._found(finder_of(pattern, "text", encoding))
        return np.setdiff1d(np.arange(len(self)), numbers) if pattern.is_negated else numbers

    def search(
        self, query: str, encode: Callable[[str], bytes], is_fuzzy: bool = True, limit: int = 200
    ) -> NameMatches:
        """The names that match a query best. Case matters if it contains a capital letter.

        If none matches, case is ignored, and `::`, as in logs, means a dot.
        """
        query = query[:MOST_QUERY]
        has_case = query != query.lower()
        try:
            terms = [encode(term) for term in query.split()]
        except UnicodeEncodeError:
            return NameMatches([], 0, is_fuzzy)
        if not terms:
            return NameMatches([], len(self), is_fuzzy)
        kernel = fuzzy_kernels() if is_fuzzy and len(self) > FEW else None
        is_fuzzy = is_fuzzy and (len(self) <= FEW or kernel is not None)
        if is_fuzzy:
            which, scores = self._fuzzy(terms, has_case, kernel)
        else:
            which, scores = self._substring(terms, has_case)
        plainer = query.lower().replace("::", ".")
        if not len(which) and plainer != query:
            return self.search(plainer, encode, is_fuzzy, limit)
        best = self._first(which, scores, RESCORED if kernel is not None else limit)
        which, scores, count = which[best], scores[best], len(which)
        if is_fuzzy:
            # The quick scores selected the names that are worth an exact score.
            scores, all_places = self._best_fits(which, terms, has_case, kernel)
            best = self._first(which, scores, limit)
            shown = [(int(which[index]), all_places[index]) for index in best.tolist()]
        else:
            shown = [(number, self._places(number, terms, has_case)) for number in which.tolist()]
        names = []
        for number, places in shown:
            name = self.name(number)
            spans = self._spans(name, places)
            names.append(NameMatch(number, self._decode(name), self._count(number), spans))
        return NameMatches(names, count, is_fuzzy)

    def prepare(self) -> None:
        """Loads the kernels and lower-cases the names, so that the first query is fast."""
        if len(self) > FEW:
            fuzzy_kernels()
            self._text(has_case=False)

    # -- private ------------------------------------------------------------------------------------------------------

    def _text(self, has_case: bool) -> U8Array:
        """The text in which letters are searched."""
        if has_case:
            return self._blob
        if self._small is None:
            blocks = (self._blob[at : at + BLOCK].tobytes().lower() for at in range(0, len(self._blob), BLOCK))
            self._small = stored(blocks, self._folder)
        return self._small

    def _found(self, finder: LineFinder) -> I64Array:
        """Numbers of the names that match a finder, searched a block of names at a time."""
        found, first = [np.empty(0, np.int64)], 0
        while first < len(self):
            start = int(self._starts[first])
            stop = max(bisect_right(self._starts, start + BLOCK) - 1, first + 1)
            length = int(self._starts[stop]) - start
            lines = finder(bytearray(self._blob[start : start + length + SLACK].tobytes()), length)
            found.append(np.searchsorted(self._starts, lines + start))
            first = stop
        return np.concatenate(found)

    def _substring(self, terms: Sequence[bytes], has_case: bool) -> tuple[I32Array, I32Array]:
        """The names that contain all terms, with scores for the starts of each term's first occurrences."""
        from parsers.query.search.line_finder import places_of

        array = self._text(has_case)[: self._length]
        which, scores = np.arange(len(self), dtype=np.int32), np.zeros(len(self), np.int32)
        for term in terms:
            places = places_of(term, array)
            best = np.full(len(self), -1, np.int32)
            if len(places):
                names = np.searchsorted(self._starts, places, "right") - 1
                firsts = np.flatnonzero(begins(names))
                best[names[firsts]] = np.maximum.reduceat(_bonuses(self._blob, places), firsts)
            kept = np.flatnonzero(best[which] >= 0)
            which = which[kept]
            scores = scores[kept] + best[which]
        return which, scores

    def _fuzzy(self, terms: Sequence[bytes], has_case: bool, kernel: FuzzyKernels | None) -> tuple[I32Array, I32Array]:
        """The names that contain the letters of all terms, with their quick scores."""
        typed, begun = list(terms), self._typed
        which, scores, new = np.arange(len(self), dtype=np.int32), np.zeros(len(self), np.int32), typed
        if begun is not None and begun.has_case == has_case:
            # More was typed: only previous matches can still match, and only the last term is new.
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
        self, which: I32Array, before: I32Array, term: bytes, has_case: bool, kernel: FuzzyKernels | None
    ) -> I32Array:
        """The scores after adding those of one more term."""
        folded = self._text(has_case)
        if kernel is not None:
            scores, letters = before.copy(), np.frombuffer(term, np.uint8)

            def take(start: int, stop: int) -> None:
                places, part = np.empty(2 * len(letters), np.int64), slice(start, stop)
                kernel[0](self._blob, folded, self._starts, which[part], letters, _table(), places, scores[part])

            # The kernel releases the GIL, so a second processor can take half of the names.
            if len(which) > MANY:
                in_halves(len(which), take)
            else:
                take(0, len(which))
            return scores
        sums = []
        for number, score in zip(which.tolist(), before.tolist(), strict=True):
            start, stop = int(self._starts[number]), int(self._starts[number + 1]) - 1
            more = fuzzy.fit(self._blob[start:stop].tobytes(), folded[start:stop].tobytes(), [term])[0]
            sums.append(score + more if score != fuzzy.NO_MATCH != more else fuzzy.NO_MATCH)
        return np.array(sums, np.int32)

    def _first(self, which: I32Array, scores: AnyArray, limit: int) -> I64Array:
        """Indexes of the best names: by score, then shorter names, then document order."""
        best = np.empty(0, np.int64)
        for start in range(0, len(which), MANY):
            # The best so far and some more: the working set stays in the cache.
            some = np.concatenate((best, np.arange(start, min(start + MANY, len(which)))))
            keys = self._keys(which[some], scores[some])
            best = some[np.argpartition(keys, limit - 1)[:limit]] if len(some) > limit else some
        return best[np.lexsort((which[best], self._keys(which[best], scores[best])))]

    def _keys(self, which: I32Array, scores: AnyArray) -> I64Array:
        """Sort keys of names, ascending from the best."""
        lengths = self._starts[which + 1] - self._starts[which]
        found: I64Array = np.minimum(lengths, (1 << 20) - 1) - scores.astype(np.int64) * (1 << 20)
        return found

    def _best_fits(
        self, which: I32Array, terms: Sequence[bytes], has_case: bool, kernel: FuzzyKernels | None
    ) -> tuple[AnyArray, list[list[int]]]:
        """The exact scores of some names, and the places of the query's letters in each."""
        folded = self._text(has_case)
        scores = np.zeros(len(which), np.int64)
        places: list[list[int]] = [[] for _ in range(len(which))]
        if kernel is None or max(map(len, terms)) > MOST_LETTERS:
            for index, number in enumerate(which.tolist()):
                start, stop = int(self._starts[number]), int(self._starts[number + 1]) - 1
                name, fold = self._blob[start:stop].tobytes(), folded[start:stop].tobytes()
                if index < RESCORED_PLAIN:
                    fits = [fuzzy.best_fit(name, fold, term) for term in terms]
                else:
                    fits = [fuzzy.fit(name, fold, list(terms))]
                scores[index] = sum(score for score, _ in fits)
                places[index] = sorted({place for _, found in fits for place in found})
            return scores, places
        fit = kernel[1]
        work = [np.empty(MOST_LETTERS * MOST_LENGTH, np.int32) for _ in range(3)]
        for term in terms:
            letters, found = np.frombuffer(term, np.uint8), np.zeros((len(which), len(term)), np.int32)
            fitted = np.empty(len(which), np.int64)
            fit(self._blob, folded, self._starts, which, letters, _table(), *work, fitted, found.ravel())
            scores += fitted
            for index, there in enumerate(found.tolist()):
                places[index] += there if fitted[index] != fuzzy.NO_MATCH else []
        return scores, [sorted(set(found)) for found in places]

    def _places(self, number: int, terms: Sequence[bytes], has_case: bool) -> list[int]:
        """Places of the bytes of each term's first occurrence in a name."""
        name = self.name(number)
        folded = name if has_case else name.lower()
        found = [(folded.find(term), len(term)) for term in terms]
        return sorted({place for start, length in found for place in range(start, start + length)})

    def _spans(self, name: bytes, places: Sequence[int]) -> list[list[int]]:
        """Converts places of bytes to ranges of characters."""
        spans: list[list[int]] = []
        for place in places:
            # The beginning of a character counts as one, too.
            start = place if name.isascii() else len(self._decode(name[: place + 1])) - 1
            if spans and start <= spans[-1][1]:
                spans[-1][1] = start + 1
            else:
                spans.append([start, start + 1])
        return spans


def joined_names(names: Sequence[bytes], folder: str | None) -> tuple[I64Array, U8Array]:
    """Offset of each name, int64[n+1], and all of them as one text: an LF after each, `SLACK` at the end."""
    starts, length = [np.zeros(1, np.int64)], 0

    def blocks() -> Iterator[bytes]:
        nonlocal length
        for first in range(0, len(names), MANY):
            block = _joined(names, first, min(first + MANY, len(names)))
            starts.append(np.flatnonzero(np.frombuffer(block, np.uint8) == 0x0A) + (length + 1))
            length += len(block)
            yield block
        yield bytes(SLACK)

    text = stored(blocks(), folder)
    return np.concatenate(starts), text


def stored(blocks: Iterable[bytes], folder: str | None) -> U8Array:
    """Stores bytes as uint8[n], in an unnamed file; without a folder in memory. Raises `OSError`."""
    if folder is not None:
        with tempfile.TemporaryFile(dir=folder, buffering=0) as file:
            for block in blocks:
                write_all(file.fileno(), block)
            return np.frombuffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), np.uint8)
    return np.frombuffer(b"".join(blocks), np.uint8)


def _joined(names: Sequence[bytes], start: int, stop: int) -> bytes:
    """Some names as one text, an LF after each."""
    if isinstance(names, JoinedNames):
        return bytes(names.joined(0x0A, start, stop))
    return b"".join(name + b"\n" for name in names[start:stop])


def fuzzy_kernels() -> FuzzyKernels | None:
    """The kernels; None without compiled ones."""
    scores = loaded("parsers.query.search.fuzzy_kernel:fuzzy_scores")
    return None if scores is None else (scores, loaded("parsers.query.search.fuzzy_kernel:best_fits"))


def _bonuses(text: U8Array, places: I64Array) -> U8Array:
    """The bonuses for places of a text of many names."""
    before = text[places - 1].astype(int)
    before[places == 0] = fuzzy.LINE_FEED
    return _table()[256 * before + text[places]]


def _table() -> U8Array:
    """`fuzzy.bonus_table` as an array."""
    return np.frombuffer(fuzzy.bonus_table(), np.uint8)
