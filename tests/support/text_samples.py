"""Samples of HPROF text, each read by plain code once a process. Tests must not change what they share."""

from __future__ import annotations

from functools import cache

from conftest import TESTS, plain_bytes

from parsers.formats.hprof.data.recording import ProfileRecording
from parsers.formats.hprof.data.tables import ProfileTables
from parsers.formats.hprof.text.plain_text import PlainText
from parsers.io.cache import Cache
from parsers.io.open_source import open_source

CORPUS = TESTS / "corpus" / "hprof"


@cache
def plain_sample(name: str) -> PlainText:
    """A sample such as `text/name.txt`."""
    data = plain_bytes(CORPUS / f"{name}.xz")
    text = PlainText(ProfileTables())
    text.read(lambda count, offset: data[offset : offset + count], len(data))
    return text


@cache
def recording_of(name: str) -> ProfileRecording:
    """The same as a recording."""
    source = open_source(str(CORPUS / f"{name}.xz"), Cache(keep=False))
    source.unpack()
    recording, text = ProfileRecording(source, path=source.path), plain_sample(name)
    recording.take_plain(text.tables, text.facts, text.lines)
    return recording
