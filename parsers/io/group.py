"""Several files of one run, concatenated: read like one `Source`, at *run offsets*."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from parsers.io.identity import Identity, identity_of_all

if TYPE_CHECKING:
    from parsers.io.plain import PlainBytes
    from parsers.io.source import Change, Source
    from parsers.model.report import Problem


class SourceGroup:
    """Sources in order. A group of one behaves as that source."""

    def __init__(self, sources: Sequence[Source]) -> None:
        self.sources = tuple(sources)
        first = sources[0]
        self.path, self.name, self.cache = first.path, first.name, first.cache
        self.stored_path = first.stored_path

    @property
    def end(self) -> int | None:
        """Offset at which reading ends in a file that is still being written; None for complete ones."""
        return self.sources[0].end

    @property
    def stored_paths(self) -> tuple[str, ...]:
        """The files with the original bytes."""
        return tuple(source.stored_path for source in self.sources)

    @property
    def parts(self) -> list[tuple[Source, int]]:
        """Each source and the run offset at which it begins."""
        parts, base = [], 0
        for source in self.sources:
            parts.append((source, base))
            base += source.size
        return parts

    @property
    def plain_files(self) -> list[tuple[str, int]]:
        """The files with the plain bytes, and the run offset at which each begins. Raises `ReportError`."""
        self.unpack()
        return [(source.plain_path, base) for source, base in self.parts]

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Damage of archives."""
        return tuple(problem for source in self.sources for problem in source.problems)

    @property
    def is_packed(self) -> bool:
        """True if any source is an archive."""
        return any(source.is_packed for source in self.sources)

    @property
    def is_spooling(self) -> bool:
        """True if a pipe among them is still being read."""
        return any(source.is_spooling for source in self.sources)

    @property
    def is_whole(self) -> bool:
        """True if all plain bytes can be read now."""
        return all(source.is_whole for source in self.sources)

    @property
    def identity(self) -> Identity:
        """Identity of all of them together."""
        return identity_of_all([source.identity for source in self.sources])

    @property
    def stored_size(self) -> int:
        """Bytes on disk."""
        return sum(source.stored_size for source in self.sources)

    @property
    def head(self) -> bytes:
        """The first 64 KB of the first source."""
        return self.sources[0].head

    @property
    def size(self) -> int:
        """Number of plain bytes known."""
        return sum(source.size for source in self.sources)

    def pread(self, count: int, offset: int) -> bytes:
        """Reads up to `count` plain bytes at a run offset, across files; fewer at the end."""
        return self._bytes.pread(count, offset)

    def read_into(self, view: memoryview, offset: int) -> int:
        """Fills a view from a run offset on; returns how many bytes there were."""
        return self._bytes.read_into(view, offset)

    @property
    def _bytes(self) -> PlainBytes:
        """The plain bytes known now."""
        if len(self.sources) == 1:
            return self.sources[0]
        from parsers.io.concatenated import ByteRange, Concatenated

        return Concatenated(ByteRange(source, 0, source.size) for source in self.sources)

    def place(self, offset: int) -> tuple[int, int]:
        """The number of the source that contains a run offset, and the offset in it."""
        bases = [base for _, base in self.parts]
        number = max(bisect_right(bases, offset) - 1, 0)
        return number, offset - bases[number]

    def unpack(self, progress: Callable[[int, int], None] | None = None) -> None:
        """Makes all plain bytes readable. Raises `ReportError`."""
        for source in self.sources:
            source.unpack(progress)

    def change(self) -> Change:
        """The most serious change of all sources."""
        changes = {source.change() for source in self.sources}
        order: tuple[Change, ...] = ("replaced", "removed", "truncated", "grown", "same")
        return next(change for change in order if change in changes)

    @property
    def is_rewritten(self) -> bool:
        """True if any source was rewritten."""
        return any(source.is_rewritten for source in self.sources)

    def close(self) -> None:
        """Closes all files."""
        for source in self.sources:
            source.close()
