"""The texts of a heap dump as arrays of names: for rules about millions of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from parsers.reporting.rules.name_table import NameTable
from parsers.reporting.rules.named_rows import ArrayRows, Number

if TYPE_CHECKING:
    from parsers.formats.hprof.dump.graph.strings_view import StringsView
    from parsers.model.report import Column

TEXTS = 1 << 14
"""Texts read together."""


def string_rows(view: StringsView, kind: str) -> ArrayRows | None:
    """Returns the texts of a heap; None for the Strings below them."""
    import numpy as np

    if kind not in ("", "string"):
        return None
    nodes: Any = view.tops()

    def numbers(column: Column, asked: Any) -> Sequence[Number | None]:
        return view.numbers_of(column.name, nodes.searchsorted(asked))

    return ArrayRows(lambda: NameTable.of(_texts(view)), np.arange(len(nodes)), nodes, numbers)


def _texts(view: StringsView) -> Iterator[str]:
    groups = view.root_count or 0
    for start in range(0, groups, TEXTS):
        yield from view.top_labels(start, min(start + TEXTS, groups))
