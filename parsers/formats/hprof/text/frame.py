"""Parser of one line of a stack."""

from __future__ import annotations

from parsers.formats.hprof.data.columns import COMPILED_METHOD, IS_CUT_LINE, NATIVE_METHOD, NO_LINE, UNKNOWN_LINE
from parsers.formats.hprof.text.lines import FRAME, PLACE

SPECIAL_LINES = {
    b"Unknown line": UNKNOWN_LINE,
    b"Native method": NATIVE_METHOD,
    b"Compiled method": COMPILED_METHOD,
}


def split_frame(text: bytes) -> tuple[bytes, bytes | None, int]:
    """Returns method (`class.method`), source and line of a frame; a cut one is all method, without a source."""
    found = FRAME.fullmatch(text)
    if found is None:
        return text.partition(b"(")[0], None, IS_CUT_LINE
    method = text[: found.end(2)]
    place = PLACE.fullmatch(found[3])
    if place is None:
        return method, found[3], NO_LINE
    line = SPECIAL_LINES.get(place[2])
    return method, place[1], min(int(place[2]), IS_CUT_LINE - 1) if line is None else line
