"""Views shared by all graph reports: Dominators, Cut, Between, Entered from."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from parsers.model.late import late
from parsers.views.collection import ENTERED_FROM

if TYPE_CHECKING:
    from parsers.graph.graph_model import GraphModel
    from parsers.model.view import View


def views_of(graph: Callable[[], GraphModel]) -> dict[str, Callable[[], View]]:
    """Returns a constructor of each view by name; constructors import their modules."""
    return {
        "Dominators": lambda: late("parsers.graph.views.dominators_view:DominatorsView")(graph()),
        "Cut": lambda: late("parsers.graph.views.cut_view:CutView")(graph()),
        "Between": lambda: late("parsers.graph.views.between_view:BetweenView")(graph()),
        ENTERED_FROM: lambda: late("parsers.graph.views.entering_view:EnteringView")(graph()),
    }
