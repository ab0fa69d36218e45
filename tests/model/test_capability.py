"""Protocols of optional abilities, tested with `isinstance`."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Protocol, runtime_checkable

from parsers.model.capability import Capability
from parsers.views.proxy import LateView


@runtime_checkable
class Named(Protocol, metaclass=Capability):
    """A method and an attribute."""

    size: int

    def name(self) -> str: ...


@runtime_checkable
class Titled(Named, Protocol, metaclass=Capability):
    """One member more."""

    title: str


class Stated(Named):
    """Says that it has the ability."""

    def name(self) -> str:
        return "stated"


def test_an_object_has_an_ability_if_it_has_all_of_its_members() -> None:
    assert isinstance(SimpleNamespace(size=1, name=str), Named)
    assert not isinstance(SimpleNamespace(name=str), Named)
    assert not isinstance(SimpleNamespace(size=1), Named)


def test_members_of_a_base_count_too() -> None:
    assert isinstance(SimpleNamespace(size=1, name=str, title=""), Titled)
    assert not isinstance(SimpleNamespace(size=1, title=""), Titled)


def test_a_view_that_delegates_has_the_abilities_of_the_other_one() -> None:
    assert isinstance(LateView(lambda: SimpleNamespace(size=1, name=str)), Named)
    assert not isinstance(LateView(lambda: SimpleNamespace(size=1)), Named)


def test_a_class_that_states_an_ability_is_tested_as_a_class() -> None:
    assert isinstance(Stated(), Stated)
    assert not isinstance(SimpleNamespace(size=1, name=str), Stated)
