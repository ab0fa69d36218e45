"""Tasks of a compilation log made of texts, as the second pass gets them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from parsers.formats.hotspot.decisions.decision_tables import MergedDecisions
from parsers.formats.hotspot.decisions.tasks import Tasks
from parsers.model.none import NONE

METHOD = b"a.B m ()V"


def made_tasks(texts: Sequence[bytes], fragments: Sequence[int] = (), level: int = 4) -> Tasks:
    """Adjacent tasks in one file that all compile METHOD; those of `fragments` are in a fragment."""
    data = b"".join(texts)
    ends = np.cumsum([len(text) for text in texts], dtype=np.uint64)
    in_fragment = np.zeros(len(texts), np.uint8)
    in_fragment[list(fragments)] = 1

    def read_into(buffer: memoryview, place: int) -> None:
        buffer[:] = data[place : place + len(buffer)]

    return Tasks(
        starts=ends - np.array([len(text) for text in texts], np.uint64),
        ends=ends,
        methods=np.zeros(len(texts), np.uint32),
        levels=np.full(len(texts), level, np.uint8),
        fragments=in_fragment,
        runs=np.zeros(len(texts), np.uint8),
        files=np.array([0, len(texts)]),
        method_starts=np.array([0, len(METHOD)], np.uint64),
        method_blob=np.frombuffer(METHOD, np.uint8),
        read_into=read_into,
    )


def task(*lines: str) -> bytes:
    """Returns the text of a task that contains these lines."""
    return "\n".join(["<task compile_id='1' method='a.B m ()V' stamp='1.000'>", *lines, "</task>\n"]).encode()


def method_text(found: MergedDecisions, number: int) -> str:
    """A method of statistics as the log writes it; `?` if it isn't known."""
    if number == NONE:
        return "?"
    return METHOD.decode() if number == 0 else found.methods[number - found.known].decode()


def sites(found: MergedDecisions) -> list[tuple[str, str, int, str, int, int]]:
    """All call sites: reason, caller, bci, callee, decisions, executions."""
    arrays = found.arrays
    names = ("reason", "caller", "bci", "callee", "count", "profile_count")
    return [
        (found.words[reason].decode(), method_text(found, caller), bci, method_text(found, callee), count, hot)
        for reason, caller, bci, callee, count, hot in zip(
            *(arrays[f"site_{name}"].tolist() for name in names), strict=True
        )
    ]


def differences(first: MergedDecisions, second: MergedDecisions) -> list[str]:
    """Names of what differs between two statistics."""
    found = [name for name in first.arrays if not np.array_equal(first.arrays[name], second.arrays[name])]
    found += [name for name in ("words", "methods", "known") if getattr(first, name) != getattr(second, name)]
    if list(first.counts) != list(second.counts):
        return [*found, "files"]
    for file, counts in first.counts.items():
        other = second.counts[file]
        if not np.array_equal(counts.words, other.words) or not np.array_equal(counts.scalars, other.scalars):
            found.append(f"counts of file {file}")
    return found
