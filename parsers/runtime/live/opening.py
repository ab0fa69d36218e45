"""Opens live streams as ordinary files that end after the last complete record received."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from parsers.formats.registry import detect
from parsers.io.cache import Cache, open_private
from parsers.io.source import Change, Source
from parsers.model.report import Action, ReportError
from parsers.runtime.opening import open_report

if TYPE_CHECKING:
    from parsers.model.report import Report
    from parsers.runtime.live.stream.live_stream import LiveStream


class LiveSource(Source):
    """The stored file of a stream, up to its last complete record. Its index can't be used again, so it isn't kept."""

    def __init__(self, stream: LiveStream, descriptor: int) -> None:
        super().__init__(stream.path, descriptor, Cache(keep=False), stream.path, stream.whole)
        self._stream = stream

    @property
    def actions(self) -> Sequence[Action]:
        """Possible requests to the JVM."""
        return self._stream.actions

    def act(self, name: str, text: str = "", confirmed: bool = False) -> str:
        """Sends a request. Raises `ReportError`."""
        return self._stream.act(name, text, confirmed)

    def change(self) -> Change:
        """Returns "grown" once more is complete, and at the end, when its index may be kept; else "same"."""
        return "grown" if self._stream.whole > self.size or not self._stream.is_open else "same"

    def close(self) -> None:
        """Closes the file and removes its index."""
        super().close()
        self.cache.close()


def open_stream(stream: LiveStream, cache: Cache | None = None) -> Report:
    """Opens the data received from a JVM so far as a report; once it has ended, as a report of the whole file.

    cache  for the index of the whole file
    Raises `ReportError` as long as nothing has arrived that could be shown.
    """
    if not stream.path:
        raise ReportError(f"{stream.peer}: {stream.trouble}")
    if not stream.is_open:
        return open_report([stream.path], cache=cache)
    if not stream.whole:
        raise ReportError(f"{stream.peer}: no data received yet")
    try:
        source = LiveSource(stream, open_private(stream.path))
    except OSError as error:
        raise ReportError(f"{stream.path}: can't be opened: {(error.strerror or str(error)).lower()}") from error
    format = detect(source.head, source.name)
    assert format is not None and format.open is not None
    return format.open([source], source.cache)
