"""The views of heap dumps of any format, by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from parsers.model.report import View

if TYPE_CHECKING:
    from parsers.heapdump.graph.heap_context import HeapContext


def retained_makers(heap: HeapContext) -> dict[str, Callable[[], View]]:
    """Returns views with retained sizes; modules are imported on first use."""

    def dominators() -> View:
        from parsers.heapdump.views.dominators_view import HeapDominatorsView

        return HeapDominatorsView(heap)

    def suspects() -> View:
        from parsers.heapdump.views.suspects_view import SuspectsView

        return SuspectsView(heap)

    return {"Dominators": dominators, "Suspects": suspects}


def object_makers(heap: HeapContext, has_retained_sizes: bool = False) -> dict[str, Callable[[], View]]:
    """Returns views of objects and their referrers, for heap dumps of any format."""

    def roots() -> View:
        from parsers.heapdump.views.roots_view import RootsView

        return RootsView(heap)

    def objects() -> View:
        from parsers.heapdump.views.objects_view import ObjectsView

        return ObjectsView(heap, has_retained_sizes)

    def referrers() -> View:
        from parsers.heapdump.views.referrers_view import HeapReferrersView

        return HeapReferrersView(heap)

    def paths() -> View:
        from parsers.heapdump.views.paths_view import PathsView

        return PathsView(heap)

    def unreachable() -> View:
        from parsers.heapdump.views.unreachable_view import UnreachableView

        return UnreachableView(heap)

    return {
        "Roots": roots,
        "Objects": objects,
        "Referrers": referrers,
        "Paths": paths,
        "Unreachable": unreachable,
    }
