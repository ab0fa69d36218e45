"""Elements of a block as a strict XML parser finds them, without entities, document types or anything from a network.

The parser doesn't say where elements stand. In a block without comments and the like that it takes, each `<` of a start
tag is an element, in the same order.
"""

from __future__ import annotations

import re

from lxml import etree

from parsers.tptp.scanner import WHITE, Element, local

_STARTS = re.compile(rb"<(?!/)")
_OTHERS = (b"<!", b"<?")


def strict_elements(block: bytes, codec: str | None) -> list[Element] | None:
    """The elements of a block; None if it isn't well-formed or has anything but elements.

    codec  of the session's texts
    """
    if any(other in block for other in _OTHERS):
        return None
    parser = etree.XMLParser(
        encoding=codec or "utf-8", resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False
    )
    try:
        root = etree.fromstring(b"<T>%b</T>" % block, parser)
    except (etree.XMLSyntaxError, LookupError):
        return None
    starts = [found.start() for found in _STARTS.finditer(block)]
    ends = [*starts[1:], len(block)]
    found: list[Element] = []
    for element in root.iter():
        if _is_text(element.text) or _is_text(element.tail):
            return None
        if element is root:
            continue
        number = len(found)
        if number == len(starts):
            return None
        end = _end_of_tag(block, starts[number], ends[number])
        name, is_open = local(_unqualified(element.tag)), block[end - 2] != ord("/")
        attributes = [(local(_unqualified(key)), value) for key, value in element.attrib.items()]
        found.append(Element(starts[number], end, is_open, name, attributes))
    return found if len(found) == len(starts) else None


def _end_of_tag(block: bytes, start: int, stop: int) -> int:
    """Behind the start tag; `stop` is where the next one begins, and between them are white space and end tags."""
    closing = block.find(b"</", start, stop)
    return len(block[start : closing if closing >= 0 else stop].rstrip(WHITE)) + start


def _is_text(text: str | None) -> bool:
    return text is not None and bool(text.strip())


def _unqualified(name: str) -> str:
    return name.rpartition("}")[2]
