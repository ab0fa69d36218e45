"""Garbage is looked for in rests, and at once only when there is much of it."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from tui.app.garbage import FEW, LONG_REST, MANY, REST, Garbage


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """Which generations were looked through, while Python does it not by itself."""
    made: list[int] = []
    monkeypatch.setattr(gc, "collect", lambda generation=2: made.append(generation))
    gc.disable()
    yield made
    gc.enable()


def with_new_objects(monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    monkeypatch.setattr(gc, "get_count", lambda: (count, 0, 0))


@pytest.mark.parametrize(
    ("count", "rest", "expected"),
    [(FEW, 10 * REST, []), (FEW + 1, REST, []), (FEW + 1, 2 * REST, [1]), (MANY, 0, []), (MANY + 1, 0, [1])],
)
def test_when_new_objects_are_looked_through(
    looks: list[int], monkeypatch: pytest.MonkeyPatch, count: int, rest: float, expected: list[int]
) -> None:
    with_new_objects(monkeypatch, count)
    Garbage().poll(rest)
    assert looks == expected


def test_all_objects_are_looked_through_once_in_a_long_rest(looks: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    garbage = Garbage()
    with_new_objects(monkeypatch, FEW + 1)
    garbage.poll(2 * REST)
    with_new_objects(monkeypatch, 0)
    for rest in (3 * REST, LONG_REST + 1, LONG_REST + 2):
        garbage.poll(rest)
    assert looks == [1, 2]


def test_automatic_collection_of_python_is_left_alone(looks: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    with_new_objects(monkeypatch, MANY + 1)
    gc.enable()
    Garbage().poll(LONG_REST)
    assert looks == []
