"""The scores of `parsers.fuzzy` for many names at once, compiled."""

from __future__ import annotations

from typing import Any

from parsers.fuzzy import BOUNDARY, CAMEL, FIRST, GAP, GAP_START, MATCH, NO_MATCH, TOGETHER
from parsers.index.jit import kernel


@kernel
def fuzzy_scores(blob: Any, folded: Any, starts: Any, which: Any, term: Any, places: Any, scores: Any) -> None:
    """Add to the score of each name how well it fits one term.

    blob    uint8[n]   all names, an LF after each
    folded  uint8[n]   the same in which the letters are looked for
    starts  int64[m+1] where each name begins in the blob, and its end
    which   int64[k]   the names that are asked for
    term    uint8[t]   the letters, t >= 1
    places  int64[2t]  room to work in
    scores  int64[k]   of these names; `NO_MATCH` stays, and is set where a letter is missing

    Twin: `parsers.fuzzy.fit`.
    """
    length = term.shape[0]
    for index in range(which.shape[0]):
        if scores[index] == NO_MATCH:
            continue
        start = starts[which[index]]
        stop = starts[which[index] + 1] - 1
        place = start
        found = 0
        wanted = term[0]
        while place < stop:
            if folded[place] == wanted:
                found += 1
                if found == length:
                    break
                wanted = term[found]
            place += 1
        if found < length:
            scores[index] = NO_MATCH
            continue
        left_at = length - 1
        while left_at >= 0:
            if folded[place] == term[left_at]:
                places[left_at] = place
                left_at -= 1
            place -= 1
        place = stop - 1
        right_at = length - 1
        while right_at >= 0:
            if folded[place] == term[right_at]:
                right_at -= 1
            place -= 1
        place += 1
        right_at = 0
        while right_at < length:
            if folded[place] == term[right_at]:
                places[length + right_at] = place
                right_at += 1
            place += 1
        head = start
        while head < stop and blob[head] != 0x28:
            head += 1
        best = NO_MATCH
        for side in range(2):
            score = 0
            run_bonus = 0
            before = start - 2
            for letter in range(length):
                place = places[side * length + letter]
                bonus = 0
                if place < head:
                    here = blob[place]
                    previous = blob[place - 1] if place > start else 0x2E
                    if (
                        previous == 0x2E
                        or previous == 0x24
                        or previous == 0x28
                        or previous == 0x2C
                        or previous == 0x29
                        or previous == 0x3A
                        or previous == 0x20
                        or previous == 0x2F
                        or previous == 0x5F
                        or previous == 0x2D
                        or previous == 0x5B
                        or previous == 0x40
                    ):
                        bonus = BOUNDARY
                    elif (0x41 <= here <= 0x5A and not (0x41 <= previous <= 0x5A)) or (
                        0x30 <= here <= 0x39 and not (0x30 <= previous <= 0x39)
                    ):
                        bonus = CAMEL
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
