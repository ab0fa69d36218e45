"""The scores of `parsers.query.search.fuzzy` for many names at once, compiled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parsers.kernels.decorators import kernel, part
from parsers.kernels.vector import find
from parsers.query.search.fuzzy import MOST_LENGTH, NO_MATCH, PARAMETERS, place_best, placed_score

if TYPE_CHECKING:
    from parsers.model.arrays import I32Array, I64Array, U8Array

score_of = part(placed_score)
place_letters = part(place_best)


@kernel
def fuzzy_scores(
    blob: U8Array, folded: U8Array, starts: I64Array, which: I32Array, term: U8Array, bonuses: U8Array,
    places: I64Array, scores: I32Array,
) -> None:  # fmt: skip
    """Adds to the score of each name its score for one term.

    blob    uint8[n]   all names, an LF after each, and `vector.SLACK` more
    folded  uint8[n]   the same, in which the letters are searched
    starts  int64[m+1] offset of each name in the blob, and the end
    which   int64[k]   the names to score
    term    uint8[t]   the letters, t >= 1
    bonuses uint8[65536]  as in `fuzzy.bonus_table`
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
        best = score_of(blob, start, head, places, 0, length, bonuses)
        if sides == 2:
            best = max(best, score_of(blob, start, head, places, length, length, bonuses))
        scores[index] += best


@kernel
def best_fits(
    blob: U8Array, folded: U8Array, starts: I64Array, which: I32Array, term: U8Array, bonuses: U8Array,
    score: I32Array, run: I32Array, previous: I32Array, scores: I64Array, places: I32Array,
) -> None:  # fmt: skip
    """The exact score of one term in each of some names, and the places of its letters.

    blob, folded, starts, which, term, bonuses: as above, for at most `MOST_LETTERS` letters
    score, run, previous  int32[MOST_LETTERS * MOST_LENGTH]  working memory
    scores  int64[k]  of these names; `NO_MATCH` if a letter is missing in the first `MOST_LENGTH` bytes
    places  int32[k * t]  relative to the start of the name

    Twin: `parsers.query.search.fuzzy.best_fit`.
    """
    for number in range(which.shape[0]):
        start = starts[which[number]]
        length = min(starts[which[number] + 1] - 1 - start, MOST_LENGTH)
        first = number * term.shape[0]
        scores[number] = place_letters(blob, folded, start, length, term, bonuses, score, run, previous, places, first)
