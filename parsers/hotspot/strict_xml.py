"""What a strict XML parser would say of a log: whether it is one document, and where such a parser stops.

Many logs that can be read are no XML (format page, "Hazards"); who feeds them to other tools wants to know.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from xml.parsers import expat

MOST = 16 << 20
"""Bytes of a log that is looked at: a strict parser takes ten seconds for a gigabyte."""
BLOCK = 1 << 20


def strictly(read: Callable[[int, int], bytes], size: int) -> dict[str, Any]:
    """Whether a file is well-formed, and if not why, and where it breaks first; nothing of a large file.

    read  gives `count` bytes from an offset on
    """
    if size > MOST:
        return {}
    parser = expat.ParserCreate()
    try:
        for start in range(0, size, BLOCK):
            parser.Parse(read(min(BLOCK, size - start), start), False)
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
        # Expat asks Python for an encoding that it doesn't know; few of Python's are such that expat can use them.
        return {
            "well_formed": False,
            "expat_error": "unknown encoding",
            "byte": parser.ErrorByteIndex,
            "line": parser.ErrorLineNumber,
            "column": parser.ErrorColumnNumber,
        }
    return {"well_formed": True}
