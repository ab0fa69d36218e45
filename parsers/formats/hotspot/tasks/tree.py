"""The contents of a task as a tree of rows: phases, parses, calls and their outcomes, traps, and all else.

A call's row has the rows of the parse that it was inlined with. Definitions, `bc` and elements that only complete
another one have no rows of their own; `shown_as` returns the row they are part of. Frequent details (branches,
dependencies, loops) are below a group row for their name, behind the other rows. The rows of an abandoned attempt are
below the row of the failure that ended it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from parsers.formats.hotspot.tasks.call import CallSite, TaskDefinitions
from parsers.formats.hotspot.tasks.slice import TaskSlice


@dataclass(eq=False)
class TaskTree:
    """Rows are numbers of elements; a group row of details is the negative number of the first of them.

    Made by `parsers.formats.hotspot.tasks.reading.read_tree`.
    """

    task: TaskSlice
    names: TaskDefinitions
    calls: dict[int, CallSite] = field(default_factory=dict)
    """By element."""
    attempts: list[int] = field(default_factory=list)
    """Failures that ended an attempt which was abandoned."""
    ends: dict[int, int] = field(default_factory=dict)
    """The `parse_done` or `phase_done` of a parse or phase."""
    bytecodes: dict[int, int] = field(default_factory=dict)
    """The `bc` that a row belongs to."""
    rows_below: dict[int, list[int]] = field(default_factory=dict)
    parents: dict[int, int] = field(default_factory=dict)
    details: dict[int, list[int]] = field(default_factory=dict)
    """The rows below a group row of details."""
    shown: list[int] = field(default_factory=list)
    last_attempt: int = 0
    """The first element after the abandoned attempts."""

    @cached_property
    def repaired(self) -> frozenset[int]:
        """Rows in whose text something was repaired."""
        task = self.task
        return frozenset(self.shown[task.element_at(repair.start)] for repair in task.repairs)

    @cached_property
    def sizes(self) -> dict[int, int]:
        """Number of descendants of each row."""
        order = [0]
        for row in order:
            order += self.children(row)
        sizes = dict.fromkeys(order, 0)
        for row in reversed(order[1:]):
            sizes[self.parents[row]] += sizes[row] + 1
        return sizes

    def children(self, row: int) -> Sequence[int]:
        """Returns the children of a row, in file order, details last."""
        return self.details[row] if row < 0 else self.rows_below.get(row, ())

    def parent(self, row: int) -> int:
        """Returns the parent row. Raises `KeyError` for the task itself, and for a number that is no row."""
        return self.parents[row]

    def tag(self, row: int) -> str:
        """Returns the name of the element; of a group row that of its details."""
        return str(self.task.elements[abs(row)].tag)

    def shown_as(self, element: int) -> int:
        """Returns the row that an element is part of."""
        return self.shown[element]

    def path(self, row: int) -> list[int]:
        """Returns the path from the task, which is 0, to the row, both included."""
        path = [row]
        while path[-1]:
            path.append(self.parents[path[-1]])
        return path[::-1]

    def method_of(self, row: int) -> str:
        """Returns the id of a row's method: of an inlined call that of its parse, which may be more specific."""
        call = self.calls.get(row)
        if call is not None:
            return (self.task.get(call.parse, "method") if call.parse >= 0 else "") or call.method
        return self.task.get(row, "method") if row > 0 else ""

    def bci_of(self, row: int) -> str:
        """Returns the bytecode index of a row; empty if it has none."""
        if row <= 0:
            return ""
        call = self.calls.get(row)
        if call is not None:
            return call.bci
        bytecode = self.bytecodes.get(row, -1)
        return self.task.get(row, "bci") or (self.task.get(bytecode, "bci") if bytecode >= 0 else "")

    def code_of(self, row: int) -> int:
        """Returns the row of the call or parse whose code contains a row; 0 if there is none.

        JDK 8 writes the check of the receiver into the parse that is inlined, before its first bytecode: a trap with
        the bytecode index of the call is part of the code that calls.
        """
        above = self._code_around(row)
        call = self.calls.get(above)
        is_at_call = call is not None and call.bci == self.task.get(row, "bci") and self.tag(row) == "uncommon_trap"
        return self._code_around(above) if is_at_call and self.bytecodes.get(row, -1) < 0 else above

    def _code_around(self, row: int) -> int:
        above = self.parents.get(row, 0)
        while above and not (above in self.calls or self.tag(above) == "parse"):
            above = self.parents.get(above, 0)
        return above
