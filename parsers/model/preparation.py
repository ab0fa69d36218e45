"""Views that take longer to make than a key may wait: what is to be made in a thread, and how to take it over."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

Made = TypeVar("Made")


@dataclass(frozen=True, slots=True)
class Preparation:
    """Work that may be done in a thread, and what is to be done behind it by whoever has the view."""

    run: Callable[[], None]
    finish: Callable[[], bool]
    """False: the view is still to be made, as something else was chosen meanwhile."""


class Prepared(Generic[Made]):
    """What a view is made of, worked out once: by who asks first, or by its `Preparation`."""

    def __init__(self, make: Callable[[], Made]) -> None:
        self._make = make
        self._made: list[Made] = []
        self.is_under_way = False

    @property
    def is_made(self) -> bool:
        """Whether it is there."""
        return bool(self._made)

    @property
    def value(self) -> Made:
        """It, made now if it is not there."""
        if not self._made:
            self._made.append(self._make())
        return self._made[0]

    def preparation(self) -> Preparation | None:
        """What makes it; None if it is made, or under way."""
        if self.is_made or self.is_under_way:
            return None
        self.is_under_way = True
        return Preparation(self._run, self._finish)

    def _run(self) -> None:
        self._made.append(self._make())

    def _finish(self) -> bool:
        self.is_under_way = False
        return True
