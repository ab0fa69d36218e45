"""The tables of the second pass as readers see them: complete, or snapshots while an index grows.

While it grows, all tables are rewritten now and then, each time under new names: `decision_site_kind.2` is
of the second snapshot. Readers use all tables of one snapshot together, or none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from parsers.index.store import IndexReader

FAMILIES = ("decision_", "deopt_", "class_", "story_")
"""Prefixes of the names of tables."""

READ = "decision_read"
"""The array of one number: how many tasks were read."""


def name_at(name: str, time: int) -> str:
    """Returns the name of a table of a snapshot."""
    return f"{name}.{time}"


class DecisionTables:
    """All tables of one snapshot. They never change."""

    def __init__(self, columns: Mapping[str, memoryview], tasks: int, time: int | None = None) -> None:
        """tasks: how many were read for them; time: the number of the snapshot, None if they are complete"""
        self.columns = columns
        self.tasks = tasks
        self.time = time

    @property
    def is_whole(self) -> bool:
        """True if all tasks were read."""
        return self.time is None

    @classmethod
    def of(cls, reader: IndexReader, before: DecisionTables | None) -> DecisionTables | None:
        """Returns the newest tables of an index; `before` if there are no newer ones."""
        if reader.is_complete:
            names = [name for name in reader.names if name.startswith(FAMILIES)]
            columns = {name: reader.view(name) for name in names}
            return cls(columns, columns[READ][0])
        time = newest(reader.names)
        if time is None or (before is not None and before.time == time):
            return before
        end = name_at("", time)
        names = [name for name in reader.names if name.endswith(end)]
        columns = {name.removesuffix(end): reader.view(name) for name in names}
        return cls(columns, columns[READ][0], time)


def newest(names: Iterable[str]) -> int | None:
    """Returns the number of the last snapshot; None if there is none yet."""
    return max((int(name.rpartition(".")[2]) for name in names if name.startswith(name_at(READ, 0)[:-1])), default=None)
