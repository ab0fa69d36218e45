"""Problems in the tables of a CSV call tree, as numbers and as text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import IntEnum

from parsers.formats.graalvm.text.read.line import DEEPEST
from parsers.formats.graalvm.text.summary import first_of_all
from parsers.model.report import Problem


class CsvProblemKind(IntEnum):
    """Kinds of problems."""

    MISSING_TABLE = 0
    UNKNOWN_ROW = 1
    DUPLICATE_ID = 2
    DANGLING_REFERENCE = 3
    UNKNOWN_CALL = 4
    CUT = 5
    OTHER_LAYOUT = 6
    TOO_DEEP = 7


MISSING = "missing table"
_WORDS = {
    CsvProblemKind.MISSING_TABLE: (MISSING, "the table {table} is not there", "opened without it: {without}"),
    CsvProblemKind.UNKNOWN_ROW: ("unknown row", "is no row of the table {table}", "left out"),
    CsvProblemKind.DUPLICATE_ID: ("duplicate id", "has id {id} again", "the first row counts"),
    CsvProblemKind.DANGLING_REFERENCE: (
        "dangling reference",
        "speaks of id {id}, which no table has",
        "kept without name",
    ),
    CsvProblemKind.UNKNOWN_CALL: ("dangling reference", "speaks of the call {id}, which no table has", "left out"),
    CsvProblemKind.CUT: ("cut", "the file ends here without a line end: it is cut", "everything before it is shown"),
    CsvProblemKind.OTHER_LAYOUT: ("other table", "the table {table} is of another layout than most", "left out"),
    CsvProblemKind.TOO_DEEP: (
        "too deep",
        f"its calls lie more than {DEEPEST:,} levels deep",
        "methods that lie deeper are rows at the top, of the kind continued",
    ),
}
_WITHOUT = {
    "methods": "methods have no names",
    "virtual_methods": "targets of virtual calls have no names",
    "entry_points": "no method is known to be an entry",
    "direct_edges": "direct calls are unknown",
    "virtual_edges": "virtual calls are unknown",
    "override_by_edges": "what virtual calls may mean is unknown",
    "invokes": "calls are unknown",
    "targets": "what calls may mean is unknown",
    "vm": "nothing is lost by that",
}


@dataclass(frozen=True, slots=True, order=True)
class CsvProblem:
    """A problem, in the order that problems are listed in."""

    table: str
    line: int
    kind: CsvProblemKind
    offset: int
    id: int = -1

    def as_problem(self, names: Mapping[str, str]) -> Problem:
        """Returns the problem as text. names: by table the name of its file"""
        kind, what, done = _WORDS[self.kind]
        return Problem(
            kind,
            what.format(id=self.id, table=self.table),
            done.format(without=_WITHOUT[self.table]),
            file=names.get(self.table, ""),
            offset=self.offset if self.line else None,
            line=self.line or None,
        )


def kept(problems: Iterable[CsvProblem], names: Mapping[str, str]) -> tuple[Problem, ...]:
    """Returns the first problems of a set as text, including the first of each kind.

    Missing tables are first; other problems are ordered by table and line.
    """
    ordered = sorted(problems, key=lambda problem: (problem.kind != CsvProblemKind.MISSING_TABLE, problem))
    return tuple(problem.as_problem(names) for problem in first_of_all(ordered))
