"""One frame in flight, and no waiting for a terminal that never answers."""

from __future__ import annotations

from tui.terminal.pace import QUESTION, Pace


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_frame_waits_until_the_terminal_has_answered() -> None:
    pace = Pace(Clock())
    assert pace.ask() == QUESTION
    assert pace.is_holding
    pace.answered()
    assert not pace.is_holding


def test_a_terminal_that_never_answers_is_waited_for_once() -> None:
    clock = Clock()
    pace = Pace(clock)
    pace.ask()
    clock.now = 0.9
    assert not pace.give_up_if_late()
    clock.now = 1.1
    assert pace.give_up_if_late()
    assert pace.is_mute
    assert pace.ask() == ""
    assert not pace.is_holding


def test_a_late_answer_turns_pacing_on_again() -> None:
    clock = Clock()
    pace = Pace(clock)
    pace.ask()
    clock.now = 2.0
    pace.give_up_if_late()
    pace.answered()
    assert pace.ask() == QUESTION


def test_a_terminal_that_has_answered_is_given_more_time() -> None:
    clock = Clock()
    pace = Pace(clock)
    pace.ask()
    pace.answered()
    pace.ask()
    clock.now = 3.5
    assert not pace.give_up_if_late()
    clock.now = 4.5
    assert pace.give_up_if_late()
    assert not pace.is_mute


def test_two_lost_answers_in_a_row_mean_a_mute_terminal() -> None:
    clock = Clock()
    pace = Pace(clock)
    pace.ask()
    pace.answered()
    for _ in range(2):
        pace.ask()
        clock.now += 5
        pace.give_up_if_late()
    assert pace.is_mute


def test_after_a_suspend_nothing_is_waited_for() -> None:
    pace = Pace(Clock())
    pace.ask()
    pace.release()
    assert not pace.is_holding
    assert not pace.is_mute
