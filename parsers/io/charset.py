"""The charset of a text report, recognised by the bytes of its box characters.

JDK 17 and older write in the platform's charset, JDK 18 and newer in UTF-8. The branch of the first row decides: `├── `
or `└── ` in one of the charsets below. If the charset has no box characters, each is a `?`; such a file is called
`ascii-?`, and only its ASCII part is reliable.

All bytes that the parsers search for (blank, `.`, `(`, `)`, `:`, `=`, digits) are below 0x40 and are never a second
byte in these charsets. So rows are parsed as bytes, and only what is shown is decoded.
"""

from __future__ import annotations

from parsers.model.value import value_class

UTF8_BOM = b"\xef\xbb\xbf"


@value_class
class Boxes:
    """The box characters of one charset, joined to the prefix of a row.

    A row is any number of groups (`bar` or four blanks) and then a branch (`tee` or `corner`): four characters each.
    """

    encoding: str
    """Name shown for reports."""
    codec: str
    """Python's name; a superset of the charset if the platform's own one is larger."""
    bar: bytes
    tee: bytes
    corner: bytes


def _boxes(encoding: str, codec: str, bar: bytes, tee: bytes, corner: bytes, dash: bytes) -> Boxes:
    return Boxes(encoding, codec, bar + b"   ", tee + dash + dash + b" ", corner + dash + dash + b" ")


CHARSETS: tuple[Boxes, ...] = (
    _boxes("utf-8", "utf-8", b"\xe2\x94\x82", b"\xe2\x94\x9c", b"\xe2\x94\x94", b"\xe2\x94\x80"),
    _boxes("ascii-?", "ascii", b"?", b"?", b"?", b"?"),
    _boxes("gbk", "gb18030", b"\xa9\xa6", b"\xa9\xc0", b"\xa9\xb8", b"\xa9\xa4"),
    _boxes("shift-jis", "cp932", b"\x84\xa0", b"\x84\xa5", b"\x84\xa4", b"\x84\x9f"),
    _boxes("euc-kr", "cp949", b"\xa6\xa2", b"\xa6\xa7", b"\xa6\xa6", b"\xa6\xa1"),
    _boxes("euc-jp", "euc_jp", b"\xa8\xa2", b"\xa8\xa7", b"\xa8\xa6", b"\xa8\xa1"),
    _boxes("big5", "cp950", b"\xa2\x78", b"\xa2\x75", b"\xa2\x7c", b"\xa2\x77"),
    _boxes("cp437", "cp437", b"\xb3", b"\xc3", b"\xc0", b"\xc4"),
    _boxes("koi8-r", "koi8_r", b"\x81", b"\x86", b"\x84", b"\x80"),
)
"""Known charsets; the first is used for files without rows."""

PLAIN_CODECS = frozenset({"utf-8", "ascii", "cp437", "koi8_r", "latin-1", "iso8859-1", "cp1252"})
"""Charsets in which the bytes of a text appear in other bytes only where the text itself appears."""

_BY_NAME = {boxes.encoding: boxes for boxes in CHARSETS}
_BRANCHES = tuple(branch for boxes in CHARSETS for branch in (boxes.tee, boxes.corner))


def codec_of(encoding: str) -> str:
    """Python's name of a report's encoding; an encoding without boxes has the same name."""
    boxes = _BY_NAME.get(encoding)
    return encoding if boxes is None else boxes.codec


def boxes_of(encoding: str) -> Boxes:
    """The box characters of a charset by its name in `CHARSETS`. Raises `KeyError`."""
    return _BY_NAME[encoding]


def detect(head: bytes) -> str:
    """The charset of a report, from the first line of its head that begins with a branch; `utf-8` if there is none.

    Only rows of depth 0 are examined: the first row of a report is one.
    """
    for line in head.removeprefix(UTF8_BOM).split(b"\n"):
        if line.startswith(_BRANCHES):
            return next(boxes.encoding for boxes in CHARSETS if line.startswith((boxes.tee, boxes.corner)))
    return CHARSETS[0].encoding


def decode(data: bytes, encoding: str = "utf-8") -> str:
    """Decodes bytes of the file; invalid bytes become U+FFFD."""
    boxes = _BY_NAME.get(encoding)
    return data.decode(boxes.codec if boxes else encoding, "replace")
