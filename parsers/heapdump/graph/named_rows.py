"""The objects of a heap by class, with their texts, as arrays: for rules about millions of objects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from parsers.heapdump.graph.columns import CLASS_OBJECT, OBJECT_ARRAY, PLAIN_OBJECT, PRIMITIVE_ARRAY
from parsers.query.selection.texts_met import MatchedTexts
from parsers.reporting.rules.array_rows import ArrayRows, Number, numbers_of_rows
from parsers.reporting.rules.named_rows import ANY

if TYPE_CHECKING:
    from parsers.heapdump.graph.heap_object import HeapObjects
    from parsers.model.arrays import Numbers
    from parsers.model.row import Column
    from parsers.model.view import View

KINDS = {
    "object": (PLAIN_OBJECT,),
    "array": (OBJECT_ARRAY, PRIMITIVE_ARRAY),
    "class object": (CLASS_OBJECT,),
}
"""Kinds of objects by the kinds of their rows."""

COLUMNS = ("retained", "bytes")
"""Columns with values from arrays. Bytes of class objects are excluded, as no row shows them."""


LARGER = ("", ANY)
"""As a kind: all objects."""


def object_rows(view: View, heap: HeapObjects, vertices: Sequence[int], kind: str) -> ArrayRows | None:
    """Returns the objects at the top of a view, of a kind, by class; values shown in rows are not part of names.

    None where there are dumps at the top, or no objects of that kind.
    """
    if kind not in (*KINDS, *LARGER):
        return None
    graph = heap.graph
    objects: Any = vertices if isinstance(vertices, range) else np.sort(np.asarray(vertices, np.int64))
    if len(objects) and objects[-1] >= graph.objects:
        return None
    types, kinds = (np.asarray(graph.column(name, objects)).astype(np.int64) for name in ("type", "kind"))
    chosen = np.flatnonzero(np.isin(kinds, KINDS[kind])) if kind in KINDS else np.arange(len(objects))
    if not len(chosen) and len(objects):
        return None
    nodes = chosen if isinstance(vertices, range) else objects[chosen]
    # Labels of primitive arrays and class objects differ from those of instances.
    forms, first, name_of = np.unique(types[chosen] << 8 | kinds[chosen], return_index=True, return_inverse=True)
    names = MatchedTexts.of_texts(heap.label(int(node)) for node in nodes[first])
    assert len(names) == len(forms)

    def numbers(column: Column, asked: Numbers) -> Sequence[Number | None]:
        if column.name not in COLUMNS or column.name not in view.orders:
            return numbers_of_rows(view, column, asked)
        found = np.asarray(graph.column(column.name, np.asarray(asked, np.int64))).tolist()
        if column.name == "bytes" and kind in (*LARGER, "class object"):
            is_class = np.asarray(graph.column("kind", np.asarray(asked, np.int64))) == CLASS_OBJECT
            return [None if each else number for each, number in zip(is_class, found, strict=True)]
        return found  # type: ignore[no-any-return]

    return ArrayRows(lambda: names, name_of, nodes, numbers)
