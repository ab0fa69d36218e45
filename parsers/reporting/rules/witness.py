"""Witnesses of violations: paths from a root to a forbidden row, shortest first, bounded in number.

Most forbidden rows are reached through few entry points: a row whose path passes another forbidden row is reached
through that. So rows without a forbidden row on their path are shown first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from parsers.model.capabilities import HasOrigins, HasPaths
from parsers.views.collection import explained_path

if TYPE_CHECKING:
    from parsers.model.report import Report
    from parsers.model.view import View
    from parsers.reporting.rules.question import Question

EXAMINED = 100
"""Rows whose paths are examined to find those to show first."""


@dataclass(frozen=True)
class PathWitness:
    """A row that violates a rule, and its path."""

    view: View
    node: int
    path_view: View
    """The view of the path's nodes."""
    path: Sequence[int]
    """From a root; empty if there is no path."""

    @property
    def ends_in_itself(self) -> bool:
        """True if the path ends with the row itself, and not with a substitute: a method for its class."""
        return not len(self.path) or (self.view is self.path_view and self.path[-1] == self.node)


def shortest_path(report: Report, view: View, node: int) -> tuple[View, Sequence[int]]:
    """Returns the shortest path from a root to a row, of a group to its nearest member, and the view of its nodes."""
    if isinstance(view, HasOrigins):
        origin = view.origin(node)
        if origin is None:
            return view, ()
        view, node = origin
    leading, path = explained_path(report, view, node)
    if len(path) and isinstance(leading, HasPaths):
        return leading, next(iter(islice(leading.paths(path[-1]), 1)), ())
    return leading, path


def find_witnesses(question: Question, nodes: Sequence[int], limit: int | None) -> list[PathWitness]:
    """Returns at most `limit` violating rows: first those reached through no other of them."""
    report, view = question.report, question.view
    if question.rule.sql:
        # The query has decided their order.
        return [PathWitness(view, node, *shortest_path(report, view, node)) for node in map(int, islice(nodes, limit))]
    examined = list(map(int, islice(nodes, None if limit is None else max(limit, EXAMINED))))
    found = [PathWitness(view, node, *shortest_path(report, view, node)) for node in examined]
    if question.column is None:
        forbidden = _Forbidden(view, nodes)
        found.sort(key=lambda witness: (forbidden.is_passed(witness), len(witness.path)))
    return found[:limit]


class _Forbidden:
    """The rows that violate a rule, for searching paths."""

    def __init__(self, view: View, nodes: Sequence[int]) -> None:
        self._view = view
        self._nodes = set(map(int, nodes))
        self._cache: dict[tuple[str, int], bool] = {}

    def is_passed(self, witness: PathWitness) -> bool:
        """True if the path to a row passes another one."""
        before = (node for node in witness.path[:-1])
        return any(self._shows_forbidden(witness.path_view, node) for node in before)

    def _shows_forbidden(self, view: View, node: int) -> bool:
        """True if a node of a path shows one of the rows, or part of one."""
        known = self._cache.get((view.name, node))
        if known is None:
            known = self._cache[view.name, node] = any(each in self._nodes for each in self._ancestors(view, node))
        return known

    def _ancestors(self, view: View, node: int) -> Iterator[int]:
        here: int | None = node
        if view is not self._view:
            key = view.key(node)
            here = None if key is None else self._view.find_key(key)
        return iter(()) if here is None else iter(self._view.path(here))
