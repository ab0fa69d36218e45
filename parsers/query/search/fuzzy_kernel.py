"""The scores of `parsers.query.search.fuzzy` for many names at once, compiled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parsers.kernels.decorators import kernel, part
from parsers.kernels.vector import find
from parsers.query.search.fuzzy import BOUNDARY, CAMEL, FIRST, GAP, GAP_START, MATCH, MOST_LENGTH, NO_MATCH, TOGETHER

if TYPE_CHECKING:
    from parsers.model.arrays import I32Array, I64Array, U8Array

PARAMETERS = 0x28
"""First character of the parameters of a method."""


@part
def bonus_of(blob: U8Array, start: int, place: int) -> int:
    """The bonus for the position of a letter in the name that begins at `start`. Twin: `fuzzy.bonus_at`."""
    if place == start:
        return BOUNDARY
    before = blob[place - 1]
    here = blob[place]
    if (
        before == 0x2E
        or before == 0x24
        or before == 0x28
        or before == 0x2C
        or before == 0x29
        or before == 0x3A
        or before == 0x20
        or before == 0x2F
        or before == 0x5F
        or before == 0x2D
        or before == 0x5B
        or before == 0x40
    ):
        return BOUNDARY
    is_word = 0x41 <= here <= 0x5A and not (0x41 <= before <= 0x5A)
    is_number = 0x30 <= here <= 0x39 and not (0x30 <= before <= 0x39)
    return CAMEL if is_word or is_number else 0


@kernel
def fuzzy_scores(
    blob: U8Array, folded: U8Array, starts: I64Array, which: I32Array, term: U8Array, places: I64Array, scores: I32Array
) -> None:
    """Adds to the score of each name its score for one term.

    blob    uint8[n]   all names, an LF after each, and `vector.SLACK` more
    folded  uint8[n]   the same, in which the letters are searched
    starts  int64[m+1] offset of each name in the blob, and the end
    which   int64[k]   the names to score
    term    uint8[t]   the letters, t >= 1
    places  int64[2t]  working memory
    scores  int64[k]   of these names; `NO_MATCH` stays, and is set if a letter is missing

    Twin: `parsers.query.search.fuzzy.fit`.
    """
    length = term.shape[0]
    for index in range(which.shape[0]):
        if scores[index] == NO_MATCH:
            continue
        start = starts[which[index]]
        stop = starts[which[index] + 1] - 1
        place = start - 1
        for letter in range(length):
            place = find(folded, place + 1, stop, term[letter])
            if place < 0:
                break
        if place < 0:
            scores[index] = NO_MATCH
            continue
        left_at = length - 1
        while left_at >= 0:
            if folded[place] == term[left_at]:
                places[left_at] = place
                left_at -= 1
            place -= 1
        head = find(blob, start, stop, PARAMETERS)
        if head < 0:
            head = stop
        place = head - 1
        right_at = length - 1
        while right_at >= 0 and place >= start:
            if folded[place] == term[right_at]:
                right_at -= 1
            place -= 1
        sides = 1
        if right_at < 0:
            sides = 2
            place += 1
            right_at = 0
            while right_at < length:
                if folded[place] == term[right_at]:
                    places[length + right_at] = place
                    right_at += 1
                place += 1
        best = NO_MATCH
        for side in range(sides):
            score = 0
            run_bonus = 0
            before = start - 2
            for letter in range(length):
                place = places[side * length + letter]
                bonus = bonus_of(blob, start, place) if place < head else 0
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
            best = max(best, score)
        scores[index] += best


@kernel
def best_fits(
    blob: U8Array, folded: U8Array, starts: I64Array, which: I32Array, term: U8Array, score: I32Array, run: I32Array,
    previous: I32Array, scores: I64Array, places: I32Array,
) -> None:  # fmt: skip
    """The exact score of one term in each of some names, and the places of its letters.

    blob, folded, starts, which, term: as above, for at most `MOST_LETTERS` letters
    score, run, previous  int32[MOST_LETTERS, MOST_LENGTH]  working memory
    scores  int64[k]  of these names; `NO_MATCH` if a letter is missing in the first `MOST_LENGTH` bytes
    places  int32[k, t]  relative to the start of the name

    Twin: `parsers.query.search.fuzzy.best_fit`.
    """
    letters = term.shape[0]
    for number in range(which.shape[0]):
        start = starts[which[number]]
        length = min(starts[which[number] + 1] - 1 - start, MOST_LENGTH)
        head = 0
        while head < length and blob[start + head] != 0x28:
            head += 1
        for letter in range(letters):
            wanted = term[letter]
            gap = NO_MATCH
            gap_from = -1
            for place in range(length):
                score[letter, place] = NO_MATCH
                if letter > 0 and place >= 2:
                    if gap > NO_MATCH:
                        gap += GAP
                    from_here = score[letter - 1, place - 2]
                    if from_here > NO_MATCH and from_here + GAP_START > gap:
                        gap = from_here + GAP_START
                        gap_from = place - 2
                if folded[start + place] != wanted:
                    continue
                bonus = bonus_of(blob, start, start + place) if place < head else 0
                if letter == 0:
                    score[letter, place] = MATCH + FIRST * bonus
                    run[letter, place] = bonus
                    continue
                if gap > NO_MATCH:
                    score[letter, place] = gap + MATCH + bonus
                    run[letter, place] = bonus
                    previous[letter, place] = gap_from
                if place > 0 and score[letter - 1, place - 1] > NO_MATCH:
                    together = run[letter - 1, place - 1]
                    if bonus >= BOUNDARY and bonus > together:
                        together = bonus
                    here = score[letter - 1, place - 1] + MATCH + max(bonus, together, TOGETHER)
                    if here >= score[letter, place]:
                        score[letter, place] = here
                        run[letter, place] = together
                        previous[letter, place] = place - 1
        best = NO_MATCH
        at = -1
        for place in range(length):
            if score[letters - 1, place] > best:
                best = score[letters - 1, place]
                at = place
        scores[number] = best
        if at < 0:
            continue
        for letter in range(letters - 1, -1, -1):
            places[number, letter] = at
            at = previous[letter, at]
