"""HPROF text read by plain code; samples of it, each once a process. Tests must not change what they share."""

from __future__ import annotations

from functools import cache

from conftest import TESTS

from parsers.formats.hprof.data.recording import ProfileRecording
from parsers.formats.hprof.data.tables import ProfileTables
from parsers.formats.hprof.text.plain_text import PlainText
from parsers.io.cache import Cache
from parsers.io.open_source import open_source

CORPUS = TESTS / "corpus" / "hprof"


def read_plainly(recording: ProfileRecording, size: int) -> PlainText:
    """Reads a file of that size."""
    text = PlainText(ProfileTables())
    text.read(recording.source.pread, size)
    recording.take_plain(text.tables, text.facts, text.lines)
    return text


def open_recording(path: str) -> ProfileRecording:
    """Opens a file, plain or compressed, and reads it. Closing `recording.source` closes it."""
    return _opened(path)[0]


def _opened(path: str) -> tuple[ProfileRecording, PlainText]:
    source = open_source(path, Cache(keep=False))
    source.unpack()
    recording = ProfileRecording(source, path=source.path)
    return recording, read_plainly(recording, source.size)


@cache
def sample_of(name: str) -> tuple[ProfileRecording, PlainText]:
    """The recording of a sample such as `text/name.txt`, and what plain code has read for it."""
    return _opened(str(CORPUS / f"{name}.xz"))


def recording_of(name: str) -> ProfileRecording:
    """The recording of a sample."""
    return sample_of(name)[0]
