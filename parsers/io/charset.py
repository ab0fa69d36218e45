"""Which charset a text report is in, told by the bytes of its box characters.

JDK 17 and older write in the platform's charset, JDK 18 and newer in UTF-8. The first row tells: its branch is `├── `
or `└── ` in one of the charsets below. Where the charset has no box characters each is a `?`; such a file is called
`ascii-?`, and only its ASCII part can be trusted.

All bytes that the parsers look for (blank, `.`, `(`, `)`, `:`, `=`, digits) lie below 0x40 and are no second byte in
any of these charsets, so rows are taken apart as bytes and only what is shown is decoded.
"""

from __future__ import annotations

from parsers.model.value import value_class

UTF8_BOM = b"\xef\xbb\xbf"


@value_class
class Boxes:
    """The box characters of one charset, joined to what stands before a row's body.

    A row is any number of groups (`bar` or four blanks) and then a branch (`tee` or `corner`): four characters each.
    """

    encoding: str
    """As reports name it."""
    codec: str
    """As Python names it; a superset of the charset where the platform's own one is larger."""
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
"""The first one stands for files without rows."""

_BY_NAME = {boxes.encoding: boxes for boxes in CHARSETS}


def codec_of(encoding: str) -> str:
    """What Python calls an encoding of a report; one without boxes has the same name there."""
    boxes = _BY_NAME.get(encoding)
    return encoding if boxes is None else boxes.codec


def boxes_of(encoding: str) -> Boxes:
    """The box characters of a charset by its name here. Raises `KeyError`."""
    return _BY_NAME[encoding]


def detect(head: bytes) -> str:
    """The charset of a report, from the first line of its head that begins with a branch; `utf-8` if none does.

    Only rows of depth 0 are looked at: the first row of a report is one.
    """
    for line in head.removeprefix(UTF8_BOM).split(b"\n"):
        for boxes in CHARSETS:
            if line.startswith((boxes.tee, boxes.corner)):
                return boxes.encoding
    return CHARSETS[0].encoding


def decode(data: bytes, encoding: str = "utf-8") -> str:
    """The text of some bytes of the file; what is invalid in the charset becomes U+FFFD."""
    boxes = _BY_NAME.get(encoding)
    return data.decode(boxes.codec if boxes else encoding, "replace")
