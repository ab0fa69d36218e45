"""Pieces of work that run side by side, with steps in the order of the pieces."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from parsers.io.ordered_pipeline import OrderedPipeline

LONG = 60
"""Seconds after which a thread would wait for ever."""


def test_each_turn_is_taken_in_order() -> None:
    pipeline, taken = OrderedPipeline(threads=3, turns=2), ([0][:0], [0][:0])

    def piece(number: int) -> None:
        for turn, numbers in enumerate(taken):
            pipeline.wait(number, turn)
            numbers.append(number)
            pipeline.done(number, turn)

    pipeline.run(100, lambda: piece)
    assert taken == ([*range(100)], [*range(100)])


def test_a_piece_takes_its_first_turn_while_the_piece_before_is_in_the_second() -> None:
    pipeline, is_next, met = OrderedPipeline(turns=2), threading.Event(), [False][:0]

    def piece(number: int) -> None:
        pipeline.wait(number, 0)
        if number == 1:
            is_next.set()
        pipeline.done(number, 0)
        pipeline.wait(number, 1)
        met.append(is_next.wait(LONG))
        pipeline.done(number, 1)

    pipeline.run(2, lambda: piece)
    assert met == [True, True]


@pytest.mark.parametrize("turn", [0, 1])
def test_a_failure_in_a_turn_ends_all_pieces(turn: int) -> None:
    pipeline = OrderedPipeline(threads=3, turns=2)

    def worker() -> Callable[[int], object]:
        def piece(number: int) -> None:
            for each in range(2):
                pipeline.wait(number, each)
                if (number, each) == (5, turn):
                    raise ValueError("piece 5")
                pipeline.done(number, each)

        return piece

    with pytest.raises(ValueError, match="piece 5"):
        pipeline.run(50, worker)
