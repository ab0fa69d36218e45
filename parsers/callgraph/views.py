"""The views that a report has whose things call or refer to one another."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from parsers.callgraph.things import Things
    from parsers.report import View


def views_of(graph: Callable[[], Things]) -> dict[str, Callable[[], View]]:
    """What makes each of them, by name; what they are made with is imported then."""

    def dominators() -> View:
        from parsers.callgraph.dominators_view import DominatorsView

        return DominatorsView(graph())

    def cut() -> View:
        from parsers.callgraph.cut_view import CutView

        return CutView(graph())

    def between() -> View:
        from parsers.callgraph.between_view import BetweenView

        return BetweenView(graph())

    return {"Dominators": dominators, "Cut": cut, "Between": between}
