"""The unique names of many rows, matched against patterns: all names at once, with any number of patterns.

Names are matched as UTF-8 bytes. Prefixes and suffixes of a text are prefixes and suffixes of its bytes; names in
another charset are decoded first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from parsers.model.arrays import BoolArray, I64Array, U8Array
    from parsers.model.names.patterns import PatternSet
    from parsers.query.selection.texts_met import MatchedTexts


class NameTable:
    """Names, each once."""

    def __init__(self, starts: I64Array, data: U8Array) -> None:
        """
        starts  int64[n+1]  start of each; the last one: the end
        data    uint8[m]    their bytes in UTF-8
        """
        self._starts, self._data = starts, data

    @classmethod
    def of(cls, names: Iterable[str]) -> NameTable:
        """Builds the table from texts."""
        return cls.of_bytes([name.encode("utf-8", "surrogatepass") for name in names], "utf-8")

    @classmethod
    def of_bytes(cls, names: Sequence[bytes], encoding: str) -> NameTable:
        """Builds the table from names as in a file."""
        from parsers.io.charset import decode
        from parsers.query.selection.texts_met import arrays_of

        if encoding in ("utf-8", "ascii-?"):
            return cls(*arrays_of(names))
        return cls.of(decode(bytes(name), encoding) for name in names)

    def __len__(self) -> int:
        return len(self._starts) - 1

    def name(self, number: int) -> str:
        """Returns the text of a name."""
        return self.raw(number).decode("utf-8", "replace")

    def raw(self, number: int) -> bytes:
        """Returns the bytes of a name."""
        return bytes(self._data[self._starts[number] : self._starts[number + 1]])

    def heads(self, numbers: I64Array, head_lengths: Callable[[I64Array, U8Array], I64Array]) -> NameTable:
        """Returns prefixes of some names as a new table.

        head_lengths: bytes of each prefix, from the starts of the names, with the end of the last, and their bytes
        """
        from parsers.model.tables.column_values import taken

        starts = self._starts[numbers]
        names = taken(self._data, starts, self._starts[numbers + 1] - starts)
        heads = taken(self._data, starts, head_lengths(names.starts, names.data))
        return NameTable(heads.starts, heads.data)

    def matching(self, patterns: PatternSet) -> BoolArray:
        """Returns the names that match any pattern: bool[n]."""
        return self._texts.of(patterns)

    @cached_property
    def _texts(self) -> MatchedTexts:
        from parsers.query.selection.texts_met import MatchedTexts

        starts, ends = self._starts[:-1], self._starts[1:]
        return MatchedTexts(starts, ends, self._data, "utf-8", lambda name: name.decode("utf-8", "replace"))
