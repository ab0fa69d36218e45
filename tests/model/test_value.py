"""Values are as frozen dataclasses with slots are, for all that is done with them here."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Mapping
from dataclasses import FrozenInstanceError, asdict, dataclass, field, fields, replace
from typing import Any

import pytest

from parsers.model.value import value_class


@value_class
class Point:
    """A place."""

    x: int
    y: int = 0
    tags: Mapping[str, int] = field(default_factory=dict)

    @property
    def sum(self) -> int:
        """Both."""
        return self.x + self.y


@dataclass(frozen=True, slots=True)
class Plain:
    """The same as a dataclass."""

    x: int
    y: int = 0
    tags: Mapping[str, int] = field(default_factory=dict)


@value_class
class Doubled:
    """A value with a computed field, and one that is excluded from comparison."""

    x: int
    twice: int = field(init=False, repr=False, compare=False)
    known: dict[str, int] = field(default_factory=dict, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "twice", 2 * self.x)


@pytest.mark.parametrize(
    ("given", "named"), [((1,), {}), ((1, 2), {}), ((1,), {"tags": {"a": 1}}), ((), {"y": 3, "x": 1})]
)
def test_fields_are_given_as_to_a_dataclass(given: tuple[Any, ...], named: dict[str, Any]) -> None:
    assert asdict(Point(*given, **named)) == asdict(Plain(*given, **named))
    assert repr(Point(*given, **named)) == repr(Plain(*given, **named)).replace("Plain", "Point")


@pytest.mark.parametrize(("given", "named"), [((), {}), ((1, 2, {}, 4), {}), ((1,), {"z": 1}), ((1,), {"x": 1})])
def test_other_fields_are_refused(given: tuple[Any, ...], named: dict[str, Any]) -> None:
    for cls in (Plain, Point):
        with pytest.raises(TypeError):
            cls(*given, **named)


def test_nothing_changes() -> None:
    point = Point(1)
    with pytest.raises(FrozenInstanceError):
        point.x = 2  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        del point.x
    with pytest.raises(AttributeError):
        point.z = 2  # type: ignore[attr-defined]
    assert point == Point(1, 0)


def test_defaults_are_made_for_each() -> None:
    assert Point(1).tags is not Point(1).tags


def test_values_of_one_class_with_equal_fields_are_equal() -> None:
    assert Point(1, 2) == Point(1, 2) != Point(1, 3)
    assert Point(1, 2) != Plain(1, 2)  # type: ignore[comparison-overlap]
    assert hash(Doubled(1)) == hash(Doubled(1))
    assert len({Doubled(1), Doubled(1, {"a": 1}), Doubled(2)}) == 2


def test_computed_fields_are_no_part_of_the_value() -> None:
    assert Doubled(4).twice == 8
    assert repr(Doubled(4)) == "Doubled(x=4)"
    assert Doubled(4, {"a": 1}) == Doubled(4)


def test_copies_and_changed_copies() -> None:
    point = Point(1, 2, {"a": 1})
    assert pickle.loads(pickle.dumps(point)) == point
    assert copy.deepcopy(point) == copy.copy(point) == point
    assert replace(point, y=5) == Point(1, 5, {"a": 1})
    assert replace(Doubled(1), x=3).twice == 6
    assert [each.name for each in fields(Point)] == ["x", "y", "tags"]


def test_a_value_is_matched_by_its_fields() -> None:
    match Point(1, 2):
        case Point(1, y):
            assert y == 2
        case _:
            pytest.fail("it is a Point")
    assert Point(1, 2).sum == 3
    assert Point.__doc__ == "A place."
