"""What readers of recordings give, as plain values that can be compared."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from conftest import plain_bytes

from parsers.formats.registry import place_in_zip
from parsers.formats.tptp.join.plain.tables import PlainJoin
from parsers.formats.tptp.read.blocks import PlainReader
from parsers.formats.tptp.read.kernel_reader import KernelReader
from parsers.formats.tptp.read.parts import DocumentPart, parts_of
from parsers.formats.tptp.schema.batch import NEVER, EventBatch, SessionMark
from parsers.formats.tptp.schema.columns import SESSION_ENDS
from parsers.formats.tptp.schema.counters import FINDING_KINDS
from parsers.formats.tptp.schema.vocabulary import NOTHING, PLAIN, Vocabulary, vocabulary
from parsers.formats.tptp.store.recording import TraceRecording
from parsers.io.cache import Cache
from parsers.io.concatenated import MemoryBytes
from parsers.io.open_source import open_source
from parsers.io.source import Source

CORPUS = Path(__file__).parent.parent / "corpus" / "tptp"
NAMES = sorted(path.name.removesuffix(".truth.json") for path in CORPUS.glob("*.truth.json"))
SMALL = [
    path.stem
    for path in sorted(CORPUS.glob("*.trcxml"))
    if path.stat().st_size < 200_000 and not path.stem.endswith(("_zip", "utf16"))
]


class Read(NamedTuple):
    """All that was read, in file order."""

    events: list[tuple[Any, ...]]
    """Events, and marks of sessions at their positions."""
    findings: list[tuple[str, int, int]]

    @property
    def names(self) -> list[str]:
        """Names of the elements."""
        return [event[0] for event in self.events if not isinstance(event, SessionMark)]

    @property
    def ends(self) -> list[SessionMark]:
        """Ends of sessions."""
        return [mark for mark in self.events if isinstance(mark, SessionMark) and mark.end is not None]

    @property
    def states(self) -> list[str]:
        """Names of the ends of sessions."""
        return [SESSION_ENDS[end.end] for end in self.ends if end.end is not None]


def path_of(name: str) -> Path:
    """The file of a sample, packed or not."""
    path = CORPUS / f"{name}.trcxml"
    return path if path.exists() else path.with_name(f"{path.name}.xz")


def sample(name: str) -> bytes:
    """The plain bytes of a sample that is no zip and not in UTF-16."""
    return plain_bytes(path_of(name))


def opened(name: str) -> Source:
    """A sample as a source with all its plain bytes."""
    source = open_source(str(path_of(name)), Cache(keep=False), place=place_in_zip)
    source.unpack()
    return source


def whole(data: bytes) -> list[DocumentPart]:
    """The one part of a file with these bytes."""
    return [DocumentPart(None, 0, len(data))]


def read_plainly(
    data: bytes, parts: Sequence[DocumentPart] | None = None, names: Vocabulary = PLAIN, **how: Any
) -> Read:
    """By plain code."""
    reader = PlainReader(lambda count, offset: data[offset : offset + count], parts or whole(data), names, **how)
    return _read(lambda take: [take(batch) for batch in reader.batches()], names)


def read_by_kernel(
    data: bytes, parts: Sequence[DocumentPart] | None = None, names: Vocabulary = PLAIN, **how: Any
) -> Read:
    """By kernels."""
    return _read(KernelReader(MemoryBytes(data), parts or whole(data), names, **how).read, names)


def _read(read: Callable[[Callable[[EventBatch], None]], object], names: Vocabulary) -> Read:
    events: list[tuple[Any, ...]] = []
    findings: list[tuple[str, int, int]] = []

    def take(batch: EventBatch) -> None:
        events.extend(_events(batch, names))
        findings.extend((FINDING_KINDS[kind], offset, value) for kind, offset, value in batch.findings)

    read(take)
    return Read(events, findings)


def _events(batch: EventBatch, names: Vocabulary) -> Iterator[tuple[Any, ...]]:
    marks, words = list(batch.sessions), batch.words
    for event in batch.events():
        while marks and marks[0].row <= event.row:
            yield marks.pop(0)._replace(row=0)
        numbers = tuple([each if each >= 0 else None if each == NEVER else words[-1 - each] for each in event.numbers])
        name = event.element_name or (names.names[event.name] if event.name != NOTHING else "")
        yield name, event.offset, event.end, numbers
    for mark in marks:
        yield mark._replace(row=0)


def open_recording(path: str) -> TraceRecording:
    """A file, plain or compressed, read by plain code. Closing `source` closes it."""
    source = open_source(path, Cache(keep=False), place=place_in_zip)
    source.unpack()
    recording = TraceRecording(source)
    join = PlainJoin(vocabulary())
    for batch in PlainReader(source.pread, parts_of(source), vocabulary()).batches():
        join.take(batch)
    join.end()
    recording.take_plain(join.tables, join.facts())
    return recording
