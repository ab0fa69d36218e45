"""Checks a log as strict XML: is it one document, and where would a strict parser stop.

Many logs that can be read are not XML (cut, torn, names not escaped), so other tools fail on them. A small log is given
to expat. That takes ten seconds for a gigabyte, so a kernel checks a large one, in two threads with a half each. Expat
decides only where the kernel is in doubt, and only if it gets there soon.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from xml.parsers import expat

from parsers.io.ordered_pipeline import in_parallel
from parsers.model.late import numpy as np

MOST = 8 << 20
"""Bytes of a log that expat reads in any case."""
MOST_BEFORE = 64 << 20
"""Maximum bytes before a doubt that expat reads."""
BLOCK = 1 << 20
PIECE = 4 << 20
"""Bytes that the kernel reads in one call; a longer tag is doubtful."""

PROLOG = b"<?xml version='1.0' encoding='UTF-8'?>\n"
"""The beginning of a log that is a document (xmlStream and CompileLog of HotSpot)."""
AROUND_TASKS = (b"hotspot_log", b"compilation_log")
"""Elements that are open where a task begins."""

Read = Callable[[int, int], bytes]
"""Returns `count` bytes from an offset on."""


def strictly(read: Read, size: int, has_kernels: bool = False, middle: int = 0) -> dict[str, Any]:
    """Returns if a file is well-formed, and if not the reason and the first error; empty if that would take long.

    middle  where a task begins, somewhere in the middle; 0: nowhere
    """
    if size <= MOST:
        return by_parser(read, size, size)
    if not has_kernels:
        return {}
    doubt = first_doubt(read, size, middle)
    if doubt is None:
        return {"well_formed": True}
    return by_parser(read, size, min(size, doubt + PIECE)) if doubt <= MOST_BEFORE else {}


def by_parser(read: Read, size: int, stop: int) -> dict[str, Any]:
    """Returns the result of expat; empty if it finds no error up to `stop` and that isn't the end of the file."""
    parser = expat.ParserCreate()
    try:
        for start in range(0, stop, BLOCK):
            parser.Parse(read(min(BLOCK, stop - start), start), False)
        if stop < size:
            return {}
        parser.Parse(b"", True)
    except expat.ExpatError as error:
        return {
            "well_formed": False,
            "expat_error": expat.ErrorString(error.code),
            "byte": parser.ErrorByteIndex,
            "line": error.lineno,
            "column": error.offset,
        }
    except (LookupError, ValueError):
        # Expat asks Python for an encoding that it doesn't know; it can use few of Python's.
        return {
            "well_formed": False,
            "expat_error": "unknown encoding",
            "byte": parser.ErrorByteIndex,
            "line": parser.ErrorLineNumber,
            "column": parser.ErrorColumnNumber,
        }
    return {"well_formed": True}


def first_doubt(read: Read, size: int, middle: int) -> int | None:
    """Returns an offset from which on the file may not be well-formed; None if it is well-formed."""
    if read(len(PROLOG), 0) != PROLOG:
        return 0
    if not middle:
        first = _Range(read, len(PROLOG), size, ())
        first.check_syntax()
        return first.doubt if first.doubt is not None or not first.open else size
    first, second = _Range(read, len(PROLOG), middle, ()), _Range(read, middle, size, AROUND_TASKS)
    in_parallel((first.check_syntax, second.check_syntax))
    if first.doubt is not None:
        return first.doubt
    if first.open != AROUND_TASKS:
        return middle
    return second.doubt if second.doubt is not None or not second.open else size


class _Range:
    """A part of a file."""

    def __init__(self, read: Read, start: int, stop: int, open: tuple[bytes, ...]) -> None:
        self._read, self._start, self._stop = read, start, stop
        self.open = open
        """Names of the elements that are open at the start, and later of those at the end."""
        self.doubt: int | None = start

    def check_syntax(self) -> None:
        """Checks the range."""
        from parsers.formats.hotspot.log.read import strict_kernel as strict

        facts = np.zeros(strict.FACTS, np.int64)
        stack = np.zeros((strict.MOST_DEPTH, strict.NAME), np.uint64)
        names = np.zeros((strict.MOST_ATTRIBUTES, strict.NAME), np.uint64)
        facts[strict.DOUBT], facts[strict.DEPTH], facts[strict.HAS_ROOT] = -1, len(self.open), bool(self.open)
        for depth, name in enumerate(self.open):
            stack.view(np.uint8).reshape(strict.MOST_DEPTH, -1)[depth, 8 : 8 + len(name)] = list(name)
            stack[depth, strict.LENGTH] = len(name)
        at, buffer = self._start, np.zeros(PIECE + 64, np.uint8)
        while at < self._stop:
            count = min(PIECE, self._stop - at)
            buffer[:count] = np.frombuffer(self._read(count, at), np.uint8)
            done = strict.check_syntax(buffer, 0, count, facts, stack, names)
            if facts[strict.DOUBT] >= 0 or not done:
                self.doubt = at + done
                return
            at += done
        self.doubt = None if not facts[strict.IN_CDATA] else self._stop
        lengths = stack[:, strict.LENGTH].tolist()
        texts = stack[:, strict.FIRST_WORD :].tobytes()
        places = (strict.MOST_NAME * row for row in range(int(facts[strict.DEPTH])))
        self.open = tuple(texts[at : at + length] for at, length in zip(places, lengths, strict=False))
