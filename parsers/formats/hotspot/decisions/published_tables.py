"""The tables of the second pass as their readers see them: whole, or what is known so far while an index grows.

While it grows, all tables are written anew now and then, each time under names of their own: `inside_site_kind.2` is
the second one. Readers take all tables of one time together, or none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from parsers.index.store import Reader

FAMILIES = ("inside_", "deopt_", "class_", "story_")
"""What the names of tables begin with."""

READ = "inside_read"
"""The array of one number: how many tasks were read."""


def name_at(name: str, time: int) -> str:
    """What a table of one of the times is called."""
    return f"{name}.{time}"


class Tables:
    """All tables, as they were at one time. They stay as they are."""

    def __init__(self, columns: Mapping[str, memoryview], tasks: int, time: int | None = None) -> None:
        """tasks: how many were read for them; time: the number of that time, None if they are whole"""
        self.columns = columns
        self.tasks = tasks
        self.time = time

    @property
    def is_whole(self) -> bool:
        """Whether all tasks were read."""
        return self.time is None

    def says(self, tasks: int) -> str:
        """How much of a log with so many tasks they are made of."""
        return f"{100 * self.tasks // max(tasks, 1)} % of the tasks read"

    @classmethod
    def of(cls, reader: Reader, before: Tables | None) -> Tables | None:
        """The newest ones of an index; those from before if there are no newer ones."""
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
    """The number of the last time; None if there are no tables yet."""
    return max((int(name.rpartition(".")[2]) for name in names if name.startswith(name_at(READ, 0)[:-1])), default=None)
