"""Bulk search for a pattern in rows of the view "Strings"."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from parsers.formats.hprof.dump.graph.text_rows import NO_TEXT
from parsers.heapdump.graph.columns import STRING
from parsers.heapdump.graph.text_finder import interpretations_of, matching_texts

if TYPE_CHECKING:
    from parsers.formats.hprof.dump.graph.text_reader import TextReader
    from parsers.model.arrays import BoolArray, I64Array
    from parsers.query.search.pattern import Pattern


class StringsFinder:
    """Finds one pattern: a `RowFinder`."""

    def __init__(
        self,
        reader: TextReader,
        texts_between: Callable[[int, int], tuple[I64Array, I64Array, I64Array]],
        pattern: Pattern,
        most: int,
        is_patient: bool,
    ) -> None:
        """
        texts_between  as in `StringsView`
        most        most characters of a text that are searched
        is_patient  True if expressions may be tried that could take very long
        """
        self._reader, self._texts_between = reader, texts_between
        self._is_negated = pattern.is_negated
        self._interpretations = interpretations_of(pattern, most, is_patient)

    def find(self, nodes: I64Array) -> dict[str, BoolArray]:
        """Returns, by use of the pattern, which of some nodes (int64[], ascending) match: bool[]."""
        if not len(nodes):
            return {kind: np.zeros(0, np.bool_) for kind in self._interpretations}
        start, stop = int(nodes[0]), int(nodes[-1]) + 1
        places, strings, without_text = self._texts_between(start, stop)
        found = {}
        for kind, interpretation in self._interpretations.items():
            found[kind] = np.full(stop - start, interpretation.matches(STRING))
            found[kind][places] = interpretation.matches("")
            found[kind][without_text] = interpretation.matches(NO_TEXT)
        for which, kind, is_match in self._matches(strings):
            found[kind][places[which]] = is_match
        return {kind: each[nodes - start] ^ self._is_negated for kind, each in found.items()}

    def _matches(self, strings: I64Array) -> Iterator[tuple[I64Array, str, BoolArray]]:
        reader = self._reader
        if reader.can_place:
            yield from matching_texts(reader, strings, self._interpretations)
            return
        texts = reader.texts(strings, max((each.most for each in self._interpretations.values()), default=0))
        for kind, interpretation in self._interpretations.items():
            yield (
                np.arange(len(texts)),
                kind,
                np.array([interpretation.matches(text or "") for text in texts], np.bool_),
            )
