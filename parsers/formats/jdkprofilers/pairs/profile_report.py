"""An opened `java.prof` with its views."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from parsers.formats.jdkprofilers.pairs.classes_view import PairClassesView
from parsers.formats.jdkprofilers.pairs.methods_view import PairMethodsView
from parsers.formats.jdkprofilers.pairs.report import PairReport
from parsers.formats.jdkprofilers.pairs.view import PairsView
from parsers.model.view import View


class PairProfile(PairReport):
    """Views: "Caller pairs" (lines), "Methods" (callers and callees), "Classes" (by package, with the heap part)."""

    def makers(self) -> dict[str, Callable[[], View]]:
        """Returns the views by name, in display order."""
        return {view.name: partial(view, self) for view in (PairsView, PairMethodsView, PairClassesView)}

    def node_of_pair(self, pair: int) -> int:
        """Returns the row of a pair in the first view."""
        view = self.views[0]
        assert isinstance(view, PairsView)
        return view.node_of_pair(pair)
