"""Preparation of views that take longer to make than a key may wait: work for a thread, and its completion."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Preparation:
    """Work that may run in a thread, and a function that the view's owner calls afterwards."""

    run: Callable[[], None]
    finish: Callable[[], bool]
    """Returns False if the view must still be made because another choice was made meanwhile."""


class LazyValue(Generic[Value]):
    """A value that a view is made of, computed once: by the first access, or by its `Preparation`."""

    def __init__(self, make: Callable[[], Value]) -> None:
        self._make = make
        self._values: list[Value] = []
        self.is_running = False

    @property
    def is_prepared(self) -> bool:
        """True if the value exists."""
        return bool(self._values)

    @property
    def value(self) -> Value:
        """The value, computed now if necessary."""
        if not self._values:
            self._values.append(self._make())
        return self._values[0]

    def preparation(self) -> Preparation | None:
        """Work that computes the value; None if it exists, or if the work runs already."""
        if self.is_prepared or self.is_running:
            return None
        self.is_running = True
        return Preparation(self._run, self._finish)

    def _run(self) -> None:
        self._values.append(self._make())

    def _finish(self) -> bool:
        self.is_running = False
        return True
