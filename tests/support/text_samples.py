"""Samples of HPROF text, each read by plain code once a process. Tests must not change what they share."""

from __future__ import annotations

from functools import cache

from conftest import TESTS

from parsers.formats.hprof.data.recording import ProfileRecording, open_recording

CORPUS = TESTS / "corpus" / "hprof"


@cache
def recording_of(name: str) -> ProfileRecording:
    """The recording of a sample such as `text/name.txt`."""
    return open_recording(str(CORPUS / f"{name}.xz"))
