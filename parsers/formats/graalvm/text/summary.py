"""Summary of a text tree in its index: counts, facts and problems."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Protocol, TypeVar

from parsers.formats.graalvm.text.read.line import DEEPEST
from parsers.model.report import Problem
from parsers.model.value import value_class

KEPT_PROBLEMS = 1000
"""Most problems that are listed, in order of their lines; all are counted."""

UNKNOWN_ROW, DEPTH_JUMP, DUPLICATE_ID, DANGLING_REFERENCE, STRAY_LINE, CUT, TOO_DEEP = range(7)

_PROBLEMS = (
    ("unknown row", "fits no known form", "kept with its text"),
    ("depth jump", "is deeper than the row above by more than one level", "hung below the nearest row above it"),
    ("duplicate id", "declares id {id} again", "the first declaration counts"),
    ("dangling reference", "refers to id {id}, which nothing declares", "kept without link"),
    ("stray line", "is no part of the tree", "left out"),
    ("cut", "the file ends here without its empty last line: it is cut", "everything before it is shown"),
    (
        "too deep",
        f"is the first row that lies {DEEPEST:,} levels deep or deeper",
        "such rows are shown at that level, flagged: their parents may be others",
    ),
)
"""By number: kind, description, measure taken."""


class HasKind(Protocol):
    """A problem as numbers."""

    @property
    def kind(self) -> int:
        """Kind of the problem."""
        ...


Found = TypeVar("Found", bound=HasKind)


@dataclass(frozen=True, slots=True, order=True)
class ProblemNumbers:
    """A problem as numbers, in the order that problems are listed in."""

    line: int
    kind: int
    offset: int
    id: int = -1

    def as_problem(self) -> Problem:
        """Returns the problem as text."""
        kind, what, done = _PROBLEMS[self.kind]
        return Problem(kind, what.format(id=self.id), done, offset=self.offset, line=self.line)


@value_class
class TextSummary:
    """Counts by name, as `info` prints them, facts, and problems."""

    totals: Mapping[str, int] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()
    problem_count: int = 0


def kept(problems: Iterable[ProblemNumbers]) -> tuple[Problem, ...]:
    """Returns the first problems of a file as text, including the first of each kind."""
    return tuple(problem.as_problem() for problem in first_of_all(sorted(problems)))


def first_of_all(problems: Sequence[Found]) -> Sequence[Found]:
    """Returns the problems to list, in their order: the first ones, and the first of each kind.

    The problem of a truncated file is the last one, after all references to lost declarations.
    """
    firsts = {problem.kind: place for place, problem in reversed(list(enumerate(problems)))}
    others = (place for place in range(len(problems)) if place != firsts[problems[place].kind])
    return [problems[place] for place in sorted([*firsts.values(), *islice(others, KEPT_PROBLEMS - len(firsts))])]
