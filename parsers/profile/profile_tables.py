"""Tables of the profile of any format: methods, stacks, their frames and costs."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from parsers.model.tables.column_values import Named, ReadColumn, TableColumn, Values, headed, text_arrays, whole
from parsers.model.tables.table import SqlView, Table, Tables, TableSet, TableType
from parsers.profile.source import ProfileQuery, ProfileSource

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray, I64Array
    from parsers.model.tables.column_values import TextArrays
    from parsers.profile.profile import Profile
    from parsers.profile.stacks import Stacks

METHOD = TableType(
    "method",
    "Methods of stacks.",
    (
        TableColumn("method_id", "BIGINT", "number of the method"),
        TableColumn("name", "VARCHAR", "`class.method`"),
        TableColumn("class", "VARCHAR", "its class"),
        TableColumn(
            "ref", "VARCHAR", "REF of the method; of a recording, if the views show it at first", is_nullable=True
        ),
    ),
)
STACK = TableType(
    "stack",
    "Stack traces.",
    (
        TableColumn("stack_id", "BIGINT", "number of the stack"),
        TableColumn("title", "VARCHAR", "title, with its thread if known"),
        TableColumn("frames", "BIGINT", "number of its frames"),
        TableColumn("is_truncated", "BOOLEAN", "true if outermost frames may be missing"),
        TableColumn("ref", "VARCHAR", "REF of the stack, if a view shows it", is_nullable=True),
    ),
)
FRAME = TableType(
    "frame",
    "Frames of stacks, the innermost of each first.",
    (
        TableColumn("frame_id", "BIGINT", "number of the frame"),
        TableColumn("stack_id", "BIGINT", "its stack", key="stack"),
        TableColumn("depth", "INTEGER", "0 for the innermost frame"),
        TableColumn("method_id", "BIGINT", "its method", key="method"),
        TableColumn("method", "VARCHAR", "name of the method", is_interned=True),
        TableColumn("place", "VARCHAR", "place in the method: `:482`, `native`; empty if unknown"),
    ),
)
COST = TableType(
    "sample",
    "Costs of stacks: samples, time, bytes … All dumps of a file together.",
    (
        TableColumn("sample_id", "BIGINT", "number of the row"),
        TableColumn("weight", "VARCHAR", "choice of the views: samples, CPU time, allocated bytes …", is_interned=True),
        TableColumn("stack_id", "BIGINT", "its stack", key="stack"),
        TableColumn("value", "DOUBLE", "cost in the unit of the weight"),
        TableColumn("unit", "VARCHAR", "count, bytes, ns, ms", is_interned=True),
    ),
)
VIEWS = (
    SqlView(
        "hot_methods",
        "methods by their own cost, as the profile views by method",
        "SELECT weight, method, sum(value) AS self, unit FROM sample JOIN frame USING (stack_id) WHERE depth = 0"
        " GROUP BY ALL ORDER BY weight, self DESC, method",
    ),
    SqlView(
        "method_totals",
        "methods by the cost of the stacks that contain them",
        "SELECT weight, method, sum(value) AS total, unit FROM sample"
        " JOIN (SELECT DISTINCT stack_id, method FROM frame) USING (stack_id)"
        " GROUP BY ALL ORDER BY weight, total DESC, method",
    ),
)
QUESTIONS = (
    (
        "Which classes have the hottest methods?",
        "SELECT weight, class, sum(value) AS self FROM sample JOIN frame USING (stack_id) JOIN method USING (method_id)"
        " WHERE depth = 0 GROUP BY ALL ORDER BY weight, self DESC, class LIMIT 10",
    ),
    (
        "Who calls the hottest method?",
        "SELECT caller.method, sum(value) AS cost FROM frame AS hot JOIN frame AS caller"
        " ON caller.stack_id = hot.stack_id AND caller.depth = 1 JOIN sample ON sample.stack_id = hot.stack_id"
        " WHERE hot.depth = 0 AND hot.method = (SELECT method FROM hot_methods LIMIT 1)"
        " GROUP BY ALL ORDER BY cost DESC, caller.method LIMIT 10",
    ),
    (
        "How deep are the stacks?",
        "SELECT frames, count(*) AS stacks FROM stack GROUP BY frames ORDER BY frames LIMIT 20",
    ),
)
PROFILE_TABLES = TableSet((METHOD, STACK, FRAME, COST), VIEWS, QUESTIONS)


StackRefs = Callable[[range], Values]
"""Returns the REFs of stacks; NULL for those that no view finds."""


def profile_tables(source: ProfileSource, stack_refs: StackRefs, *, opens_methods: bool = False) -> Tables:
    """Returns the tables of a profile that is completely known.

    opens_methods  True if views find every method by its REF; False: those of the stacks that they show at first
    """
    return _ProfileTables(source, stack_refs, opens_methods).tables()


class _ProfileTables:
    """Columns of the tables."""

    def __init__(self, source: ProfileSource, stack_refs: StackRefs, opens_methods: bool) -> None:
        self._source, self._stack_refs, self._opens_methods = source, stack_refs, opens_methods

    def tables(self) -> Tables:
        """Returns the tables."""
        return Tables((self._methods(), self._stacks(), self._frames(), self._costs()), VIEWS)

    @cached_property
    def _all(self) -> Profile:
        """Any profile: all have the same stacks."""
        return self._source.profile(ProfileQuery())

    @cached_property
    def _flat(self) -> Stacks:
        return self._all.flat_stacks

    @cached_property
    def _names(self) -> TextArrays:
        return text_arrays(self._source.methods)

    def _methods(self) -> Table:
        from parsers.profile.method_name import holder_of

        columns = {
            "name": whole(lambda: self._names),
            "class": whole(lambda: text_arrays(map(holder_of, self._source.methods))),
            "ref": whole(self._method_refs),
        }
        return Table(METHOD, lambda: len(self._source.methods), columns)

    def _method_refs(self) -> Values:
        """REFs of the methods that views find."""
        if self._opens_methods:
            return headed("method:", self._names)
        shown = np.zeros(len(self._source.methods), bool)
        shown[self._source.method_of[self._flat.select(self._all.traces).frames]] = True
        return headed("method:", self._names)._replace(is_known=shown)

    def _stacks(self) -> Table:
        columns = {
            "title": lambda start, stop: text_arrays(map(self._source.trace_title, range(start, stop))),
            "frames": whole(lambda: self._flat.lengths()),
            "is_truncated": whole(lambda: self._all.cut),
            "ref": lambda start, stop: self._stack_refs(range(start, stop)),
        }
        return Table(STACK, lambda: len(self._flat.first) - 1, columns)

    def _frames(self) -> Table:
        def methods(start: int, stop: int) -> I64Array:
            return self._source.method_of[self._flat.frames[start:stop]].astype("i8")

        columns = {
            "stack_id": self._stacks_of,
            "depth": lambda start, stop: np.arange(start, stop) - self._flat.first[self._stacks_of(start, stop)],
            "method_id": methods,
            "method": lambda start, stop: Named(methods(start, stop), self._names),
            "place": lambda start, stop: text_arrays(map(self._source.line, self._flat.frames[start:stop].tolist())),
        }
        return Table(FRAME, lambda: len(self._flat.frames), columns)

    def _stacks_of(self, start: int, stop: int) -> I64Array:
        return np.searchsorted(self._flat.first, np.arange(start, stop), "right") - 1

    @cached_property
    def _rows(self) -> tuple[I64Array, I64Array, AnyArray]:
        """Number of the weight, stack, and value of each row."""
        weights, stacks, values = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], [np.zeros(0)]
        for number, weight in enumerate(self._source.weights):
            profile = self._source.profile(ProfileQuery(weight=weight))
            weights.append(np.full(len(profile.traces), number))
            stacks.append(np.asarray(profile.traces, np.int64))
            values.append(np.asarray(profile.weights[0]) / profile.values[0].scale)
        return np.concatenate(weights), np.concatenate(stacks), np.concatenate(values)

    def _units(self) -> list[str]:
        profiles = (self._source.profile(ProfileQuery(weight=weight)) for weight in self._source.weights)
        return [profile.values[0].unit for profile in profiles]

    def _costs(self) -> Table:
        def of(place: int) -> ReadColumn:
            return lambda start, stop: self._rows[place][start:stop]

        columns = {
            "weight": whole(lambda: Named(self._rows[0], text_arrays(self._source.weights))),
            "stack_id": of(1),
            "value": of(2),
            "unit": whole(lambda: Named(self._rows[0], text_arrays(self._units()))),
        }
        return Table(COST, lambda: len(self._rows[0]), columns)
