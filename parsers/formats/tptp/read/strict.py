"""Elements of a block as a strict XML parser finds them, without entities, document types or anything from a network.

The parser doesn't report positions of elements. In a block that it accepts, and that has only empty elements, each `<`
begins one of them, in the same order.
"""

from __future__ import annotations

import re

from lxml import etree

from parsers.formats.tptp.read.scanner import MOST, WHITE, Element, local

_OTHERS = (b"</", b"<!", b"<?")


def strict_elements(block: bytes, codec: str | None) -> list[Element] | None:
    """Returns the elements of a block; None if it isn't well-formed or has anything but empty elements.

    codec  encoding of the session's texts
    """
    if any(other in block for other in _OTHERS):
        return None
    try:
        # The parser does not know all encodings of Python.
        parser = etree.XMLParser(
            encoding=codec or "utf-8", resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False
        )
        root = etree.fromstring(b"<T>%b</T>" % block, parser)
    except (etree.XMLSyntaxError, LookupError):
        return None
    starts = [found.start() for found in re.finditer(b"<", block)]
    ends = [*starts[1:], len(block)]
    found: list[Element] = []
    for number, element in enumerate(root):
        start, end = starts[number], len(block[starts[number] : ends[number]].rstrip(WHITE)) + starts[number]
        if _is_text(element.tail) or end - start > MOST:
            return None
        attributes = [(local(_unqualified(key)), value) for key, value in element.attrib.items()]
        found.append(Element(start, end, False, local(_unqualified(element.tag)), attributes))
    return found if not _is_text(root.text) else None


def _is_text(text: str | None) -> bool:
    return text is not None and bool(text.strip())


def _unqualified(name: str) -> str:
    return name.rpartition("}")[2]
