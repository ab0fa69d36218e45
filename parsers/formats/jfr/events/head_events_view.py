"""The view "Events" while a recording is being read: the types of its first events."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from parsers.formats.jfr.read.chunks import HEADER_BYTES, MAGIC, header_in
from parsers.formats.jfr.read.loops import CHECKPOINT, number_at
from parsers.formats.jfr.read.metadata import MetadataError, event_body, metadata_of
from parsers.model.row import Badge, Column
from parsers.views.list_view import ListRow
from parsers.views.preview_switch import PreviewView

if TYPE_CHECKING:
    from parsers.formats.jfr.report import JfrReport

HEAD, PIECE = 256 << 10, 32 << 10
"""Bytes of events that are read, and that are read at a time."""
MOST_METADATA = 1 << 20
"""Bytes of metadata that are read: real ones have 110 KB."""
COLUMNS = (
    Column("bytes", "bytes", "bytes", width=13, priority=3, adds_up=True),
    Column("events", "events", width=11, priority=6, adds_up=True),
)


class HeadEventsView(PreviewView):
    """Types of the first events, those with the most events first."""

    name = "Events"
    description = "Events at the start of the file"
    columns = COLUMNS
    orders = ("events", "bytes", "name")

    def __init__(self, report: JfrReport) -> None:
        super().__init__(report)
        self._report = report

    def make(self) -> Sequence[ListRow]:
        """Returns a row for each type."""
        counts: dict[int, list[int]] = {}
        for type, size in self._first_events():
            of_type = counts.setdefault(type, [0, 0])
            of_type[0] += 1
            of_type[1] += size
        names = self._names() if counts else {}
        found = []
        for type, (events, size) in sorted(counts.items(), key=lambda item: -item[1][0]):
            name = names.get(type, f"(type {type})")
            badges: dict[str, Badge] = {"events": events, "bytes": size}
            found.append(ListRow("type", name, badges=badges, ref=f"type:{name}", key=("event type", name)))
        self._refs = [row.ref for row in found]
        return found

    def _first_events(self) -> Iterator[tuple[int, int]]:
        """Yields types and sizes of the first events of the first chunk."""
        offset, left = HEADER_BYTES, HEAD
        while left > 0:
            data, at = self._report.source.pread(PIECE, offset), 0
            while True:
                size, behind = number_at(data, at, len(data))  # type: ignore[arg-type]
                type, behind = number_at(data, behind, len(data)) if behind >= 0 else (0, behind)  # type: ignore[arg-type]
                if behind < 0 or size <= 0 or data.startswith(MAGIC, at):
                    break
                if type > CHECKPOINT:
                    yield type, size
                at += size
            if not at:
                return
            # Metadata and checkpoints may be larger than a piece.
            offset, left = offset + at, left - min(at, len(data))

    def _names(self) -> dict[int, str]:
        """Returns names of types by their ids, as the first chunk declares them."""
        header = header_in(self._report.source.head, 0)
        if header is None:
            return {}
        try:
            metadata = metadata_of(event_body(self._report.source.pread(MOST_METADATA, header.metadata)))
        except MetadataError:
            return {}
        return {id: type.name for id, type in metadata.types.items()}
