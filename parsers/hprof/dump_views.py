"""The views of binary heap dumps that text dumps don't have."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from parsers.report import View

if TYPE_CHECKING:
    from parsers.hprof.known_heap import Heap


def dump_makers(heap: Heap) -> dict[str, Callable[[], View]]:
    """The views by name; nothing is imported before one is asked for."""

    def dominators() -> View:
        from parsers.hprof.dominators_view import DominatorsView

        return DominatorsView(heap)

    def suspects() -> View:
        from parsers.hprof.suspects_view import SuspectsView

        return SuspectsView(heap)

    def strings() -> View:
        from parsers.hprof.strings_view import StringsView

        return StringsView(heap)

    return {"Dominators": dominators, "Strings": strings, "Suspects": suspects}
