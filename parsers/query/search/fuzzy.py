"""Fuzzy scores of names: letters in order, better at the start of words and next to each other.

The scores are those of fzf. A matching letter earns `MATCH`. It earns a bonus at the start of a unit (the name, a
package, a class, a word of camelCase) or directly after the previous letter; a gap costs. Letters in a method's
parameters get no bonus. Blanks separate terms that must all match.

`fit` is fast: it tries two placements of the letters, leftmost and (before the parameters) rightmost, each compacted
from its other end. `best_fit` finds the best placement, for the names that are best by the quick score. These are the
plain twins; `parsers.query.search.fuzzy_kernel` does the same for hundreds of thousands of names.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

MATCH = 16
GAP_START = -3
GAP = -1
BOUNDARY = 8
CAMEL = 7
TOGETHER = 4
FIRST = 2
"""Factor of the first letter's bonus."""

NO_MATCH = -(1 << 30)

MOST_LETTERS = 40
"""Maximum letters of a term for which the best fit is searched."""

MOST_LENGTH = 500
"""Bytes of a name that are used for it."""

_SEPARATORS = frozenset(b".$(,): /_-[@")


def bonus_at(name: bytes, place: int) -> int:
    """The bonus for the position of a letter in a name."""
    if place == 0:
        return BOUNDARY
    before, here = name[place - 1], name[place]
    if before in _SEPARATORS:
        return BOUNDARY
    is_upper = 0x41 <= here <= 0x5A
    is_digit = 0x30 <= here <= 0x39
    if is_upper and not 0x41 <= before <= 0x5A:
        return CAMEL
    return CAMEL if is_digit and not 0x30 <= before <= 0x39 else 0


@lru_cache(maxsize=1)
def bonus_table() -> Any:
    """The bonus by the previous byte and the byte itself, uint8[256, 256]; a previous LF means the start of a name."""
    import numpy as np

    codes = np.arange(256)
    is_upper, is_digit = (codes >= 0x41) & (codes <= 0x5A), (codes >= 0x30) & (codes <= 0x39)
    table = np.zeros((256, 256), np.uint8)
    table[~is_upper[:, None] & is_upper | ~is_digit[:, None] & is_digit] = CAMEL
    table[[*_SEPARATORS, 0x0A]] = BOUNDARY
    return table


def fit(name: bytes, folded: bytes, terms: list[bytes]) -> tuple[int, list[int]]:
    """The score of a name and the places of all matching letters; `NO_MATCH` if one is missing.

    name    in its original case: shows where words begin
    folded  the text to search: in small letters, unless case matters
    """
    stop = name.find(b"(")
    head = len(name) if stop < 0 else stop
    total, all_places = 0, []
    for term in terms:
        left = _leftmost(folded, term)
        if left is None:
            return NO_MATCH, []
        right = _rightmost(folded[:head], term)
        score, places = max((_score(name, places, head), places) for places in (left, right or left))
        total += score
        all_places += places
    return total, sorted(set(all_places))


def best_fit(name: bytes, folded: bytes, term: bytes) -> tuple[int, list[int]]:
    """The best score of one term in a name and the places of its letters; `NO_MATCH` if one is missing."""
    stop = name.find(b"(")
    head = len(name) if stop < 0 else stop
    scores: list[int] = []
    runs: list[int] = []
    previous_places: list[list[int]] = []
    for index, letter in enumerate(term):
        before, runs_before = scores, runs
        scores, runs, previous = [NO_MATCH] * len(name), [0] * len(name), [-1] * len(name)
        gap, gap_from = NO_MATCH, -1
        for place in range(len(name)):
            if index and place >= 2:
                gap += GAP if gap > NO_MATCH else 0
                if before[place - 2] > NO_MATCH and before[place - 2] + GAP_START > gap:
                    gap, gap_from = before[place - 2] + GAP_START, place - 2
            if folded[place] != letter:
                continue
            bonus = bonus_at(name, place) if place < head else 0
            if not index:
                scores[place], runs[place] = MATCH + FIRST * bonus, bonus
                continue
            if gap > NO_MATCH:
                scores[place], runs[place], previous[place] = gap + MATCH + bonus, bonus, gap_from
            if place and before[place - 1] > NO_MATCH:
                run = runs_before[place - 1]
                run = bonus if bonus >= BOUNDARY and bonus > run else run
                score = before[place - 1] + MATCH + max(bonus, run, TOGETHER)
                if score >= scores[place]:
                    scores[place], runs[place], previous[place] = score, run, place - 1
        previous_places.append(previous)
    best = max(scores, default=NO_MATCH)
    if best == NO_MATCH:
        return NO_MATCH, []
    places = [scores.index(best)]
    for previous in reversed(previous_places[1:]):
        places.append(previous[places[-1]])
    return best, places[::-1]


def _leftmost(folded: bytes, term: bytes) -> list[int] | None:
    """The placement with the earliest end, and of those the latest start."""
    place = -1
    for letter in term:
        place = folded.find(letter, place + 1)
        if place < 0:
            return None
    places, end = [], place + 1
    for letter in reversed(term):
        end = folded.rfind(letter, 0, end)
        places.append(end)
    return places[::-1]


def _rightmost(folded: bytes, term: bytes) -> list[int] | None:
    """The placement with the latest start, and of those the earliest end."""
    end = len(folded)
    for letter in reversed(term):
        end = folded.rfind(letter, 0, end)
        if end < 0:
            return None
    places, place = [], end
    for letter in term:
        place = folded.find(letter, place)
        places.append(place)
        place += 1
    return places


def _score(name: bytes, places: list[int], head: int) -> int:
    score, run_bonus, before = 0, 0, -2
    for index, place in enumerate(places):
        bonus = bonus_at(name, place) if place < head else 0
        if place == before + 1:
            if bonus >= BOUNDARY and bonus > run_bonus:
                run_bonus = bonus
            bonus = max(bonus, run_bonus, TOGETHER)
        else:
            run_bonus = bonus
            if index:
                score += GAP_START + GAP * (place - before - 2)
        score += MATCH + (bonus * FIRST if index == 0 else bonus)
        before = place
    return score
