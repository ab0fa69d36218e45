"""Fuzzy scores of names: letters in order, better at the start of words and next to each other.

The scores are those of fzf. A matching letter earns `MATCH`. It earns a bonus at the start of a unit (the name, a
package, a class, a word of camelCase) or directly after the previous letter; a gap costs. Letters in a method's
parameters get no bonus. Blanks separate terms that must all match.

`fit` is fast: it tries two placements of the letters, leftmost and (before the parameters) rightmost, each compacted
from its other end. `best_fit` finds the best placement, for the names that are best by the quick score.
`parsers.query.search.fuzzy_kernel` does the same for hundreds of thousands of names, by the same functions, compiled.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from parsers.model.late import numpy as np

Bytes = Any
"""Bytes, or an array of them."""
Numbers = Any
"""A list of numbers, or an array."""

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

PARAMETERS = 0x28
"""First character of the parameters of a method."""
LINE_FEED = 0x0A

_SEPARATORS = frozenset(b".$(,): /_-[@")


@lru_cache(maxsize=1)
def bonus_table() -> bytes:
    """The bonus of a letter by 256 × previous byte + its byte; a previous LF means the start of a name."""
    codes = np.arange(256)
    is_upper, is_digit = (codes >= 0x41) & (codes <= 0x5A), (codes >= 0x30) & (codes <= 0x39)
    table = np.zeros((256, 256), np.uint8)
    table[~is_upper[:, None] & is_upper | ~is_digit[:, None] & is_digit] = CAMEL
    table[[*_SEPARATORS, LINE_FEED]] = BOUNDARY
    return table.tobytes()


def fit(name: bytes, folded: bytes, terms: list[bytes]) -> tuple[int, list[int]]:
    """The score of a name and the places of all matching letters; `NO_MATCH` if one is missing.

    name    in its original case: shows where words begin
    folded  the text to search: in small letters, unless case matters
    """
    stop = name.find(b"(")
    head = len(name) if stop < 0 else stop
    total, all_places, bonuses = 0, [], bonus_table()
    for term in terms:
        left = _leftmost(folded, term)
        if left is None:
            return NO_MATCH, []
        both = left, _rightmost(folded[:head], term) or left
        score, places = max((placed_score(name, 0, head, places, 0, len(term), bonuses), places) for places in both)
        total += score
        all_places += places
    return total, sorted(set(all_places))


def best_fit(name: bytes, folded: bytes, term: bytes) -> tuple[int, list[int]]:
    """The best score of one term in a name and the places of its letters; `NO_MATCH` if one is missing."""
    size, places = len(name) * len(term), [0] * len(term)
    work = [NO_MATCH] * size, [0] * size, [0] * size
    best = place_best(name, folded, 0, len(name), term, bonus_table(), *work, places, 0)
    return best, places if best > NO_MATCH else []


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


def placed_score(blob: Bytes, start: int, head: int, places: Numbers, first: int, letters: int, bonuses: Bytes) -> int:
    """The score of the letters of a term at their places in a name.

    blob    bytes of names; this one begins at `start`, its parameters at `head`
    places  in `blob`, from places[first] on, ascending
    """
    score = 0
    run_bonus = 0
    before = start - 2
    for letter in range(letters):
        place = places[first + letter]
        bonus = 0
        if place < head:
            bonus = bonuses[256 * (blob[place - 1] if place > start else LINE_FEED) + blob[place]]
        if place == before + 1:
            if bonus >= BOUNDARY and bonus > run_bonus:
                run_bonus = bonus
            bonus = max(bonus, run_bonus, TOGETHER)
        else:
            run_bonus = bonus
            if letter > 0:
                score += GAP_START + GAP * (place - before - 2)
        score += MATCH + (bonus * FIRST if letter == 0 else bonus)
        before = place
    return score


def place_best(
    blob: Bytes, folded: Bytes, start: int, length: int, term: Bytes, bonuses: Bytes, scores: Numbers, runs: Numbers,
    previous: Numbers, places: Numbers, first: int,
) -> int:  # fmt: skip
    """The best score of a term in a name, whose places are filled from places[first] on; `NO_MATCH` if one is missing.

    blob, folded            bytes of names, of which this one begins at `start`
    scores, runs, previous  working memory: `length` numbers for each letter
    """
    letters = len(term)
    head = 0
    while head < length and blob[start + head] != PARAMETERS:
        head += 1
    for letter in range(letters):
        here = letter * length
        above = here - length
        gap = NO_MATCH
        gap_from = -1
        for place in range(length):
            scores[here + place] = NO_MATCH
            if letter > 0 and place >= 2:
                if gap > NO_MATCH:
                    gap += GAP
                from_here = scores[above + place - 2]
                if from_here > NO_MATCH and from_here + GAP_START > gap:
                    gap = from_here + GAP_START
                    gap_from = place - 2
            if folded[start + place] != term[letter]:
                continue
            bonus = 0
            if place < head:
                before = blob[start + place - 1] if place > 0 else LINE_FEED
                bonus = bonuses[256 * before + blob[start + place]]
            if letter == 0:
                scores[place] = MATCH + FIRST * bonus
                runs[place] = bonus
                continue
            if gap > NO_MATCH:
                scores[here + place] = gap + MATCH + bonus
                runs[here + place] = bonus
                previous[here + place] = gap_from
            if place > 0 and scores[above + place - 1] > NO_MATCH:
                together = runs[above + place - 1]
                if bonus >= BOUNDARY and bonus > together:
                    together = bonus
                score = scores[above + place - 1] + MATCH + max(bonus, together, TOGETHER)
                if score >= scores[here + place]:
                    scores[here + place] = score
                    runs[here + place] = together
                    previous[here + place] = place - 1
    best = NO_MATCH
    at = -1
    for place in range(length):
        if scores[(letters - 1) * length + place] > best:
            best = scores[(letters - 1) * length + place]
            at = place
    if at >= 0:
        for letter in range(letters - 1, -1, -1):
            places[first + letter] = at
            at = previous[letter * length + at]
    return best
