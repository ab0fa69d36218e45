"""Preparation of views that take longer to make than a key may wait: work for a thread, and its completion."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

Made = TypeVar("Made")


@dataclass(frozen=True, slots=True)
class Preparation:
    """Work that may run in a thread, and a function that the view's owner calls afterwards."""

    run: Callable[[], None]
    finish: Callable[[], bool]
    """Returns False if the view must still be made because another choice was made meanwhile."""


class Prepared(Generic[Made]):
    """A value that a view is made of, computed once: by the first access, or by its `Preparation`."""

    def __init__(self, make: Callable[[], Made]) -> None:
        self._make = make
        self._made: list[Made] = []
        self.is_under_way = False

    @property
    def is_made(self) -> bool:
        """True if the value exists."""
        return bool(self._made)

    @property
    def value(self) -> Made:
        """The value, computed now if necessary."""
        if not self._made:
            self._made.append(self._make())
        return self._made[0]

    def preparation(self) -> Preparation | None:
        """Work that computes the value; None if it exists, or if the work runs already."""
        if self.is_made or self.is_under_way:
            return None
        self.is_under_way = True
        return Preparation(self._run, self._finish)

    def _run(self) -> None:
        self._made.append(self._make())

    def _finish(self) -> bool:
        self.is_under_way = False
        return True
