"""Views shared by all graph reports: Dominators, Cut, Between."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from parsers.graph.graph_model import GraphModel
    from parsers.model.report import View


def views_of(graph: Callable[[], GraphModel]) -> dict[str, Callable[[], View]]:
    """Returns a constructor of each view by name; constructors import their modules."""

    def dominators() -> View:
        from parsers.graph.views.dominators_view import DominatorsView

        return DominatorsView(graph())

    def cut() -> View:
        from parsers.graph.views.cut_view import CutView

        return CutView(graph())

    def between() -> View:
        from parsers.graph.views.between_view import BetweenView

        return BetweenView(graph())

    return {"Dominators": dominators, "Cut": cut, "Between": between}
