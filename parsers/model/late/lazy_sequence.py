"""Sequences whose items are read or computed on access."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar, overload

Item = TypeVar("Item", covariant=True)


class LazySequence(Sequence[Item]):
    """A sequence that derived classes define by `__len__` and `item`, and `items` where many take less together."""

    def item(self, index: int) -> Item:
        """Returns one item. index: from 0, below the length"""
        raise NotImplementedError

    def items(self, indexes: range) -> Sequence[Item]:
        """Returns the items of a slice."""
        return [self.item(index) for index in indexes]

    @overload
    def __getitem__(self, index: int) -> Item: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Item]: ...
    def __getitem__(self, index: int | slice) -> Item | Sequence[Item]:
        found = range(len(self))[index]
        return self.item(found) if isinstance(found, int) else self.items(found)


class LazyItems(LazySequence[Item]):
    """A number of items that a function returns by their indexes."""

    def __init__(self, count: int, item_of: Callable[[int], Item]) -> None:
        self._count, self._item_of = count, item_of

    def __len__(self) -> int:
        return self._count

    def item(self, index: int) -> Item:
        """Returns one item."""
        return self._item_of(index)
