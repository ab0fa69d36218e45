"""The views of heap dumps of any format, by name. Their modules are imported on first use."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from parsers.model.late import late
from parsers.model.view import View

if TYPE_CHECKING:
    from parsers.heapdump.graph.heap_context import HeapContext


def retained_makers(heap: HeapContext) -> dict[str, Callable[[], View]]:
    """Returns views with retained sizes."""
    return {
        "Dominators": late("parsers.heapdump.views.dominators.view:HeapDominatorsView", heap),
        "Suspects": late("parsers.heapdump.views.suspects_view:SuspectsView", heap),
    }


def object_makers(heap: HeapContext, has_retained_sizes: bool) -> dict[str, Callable[[], View]]:
    """Returns views of objects and their referrers, for heap dumps of any format."""
    return {
        "Roots": late("parsers.heapdump.views.roots_view:RootsView", heap),
        "Objects": late("parsers.heapdump.views.objects_view:ObjectsView", heap, has_retained_sizes),
        "Referrers": late("parsers.heapdump.views.referrers_view:HeapReferrersView", heap),
        "Paths": late("parsers.heapdump.views.paths_view:PathsView", heap),
        "Unreachable": late("parsers.heapdump.views.unreachable_view:UnreachableView", heap),
    }
