"""The views of binary heap dumps that text dumps don't have."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from parsers.model.report import View

if TYPE_CHECKING:
    from parsers.heapdump.graph.heap_context import Heap


def dump_makers(heap: Heap) -> dict[str, Callable[[], View]]:
    """The views by name; nothing is imported before one is asked for."""

    def dominators() -> View:
        from parsers.heapdump.views.dominators_view import DominatorsView

        return DominatorsView(heap)

    def suspects() -> View:
        from parsers.heapdump.views.suspects_view import SuspectsView

        return SuspectsView(heap)

    def strings() -> View:
        from parsers.formats.hprof.dump.graph.strings_view import StringsView

        return StringsView(heap)

    return {"Dominators": dominators, "Strings": strings, "Suspects": suspects}
