"""Names without generated parts, so that methods, types and roots of two builds can be compared.

Addresses of hidden classes, numbers of lambdas, proxies and accessors, hashes, and the variants of a method differ
between builds of the same program. Without them several methods may get one name, such as the lambdas of a class, so
names are compared with their counts.

Source: names in reports of 23.0.6 (lambdas, hidden classes, proxies, accessors, hashes of `IsolateEnterStub`);
`LambdaUtils` and `MultiMethod` of oracle/graal.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from parsers.io import charset
from parsers.model.late import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from parsers.model.arrays import BoolArray, I64Array, U8Array
    from parsers.reporting.comparison.text_numbers import EncodedTexts

_VOLATILE = re.compile(
    r"(?P<lambda>\$\$Lambda)(?:[^/.(),:\s]{0,200}[/.]0x[0-9a-fA-F]+|\$\d+/\d+)"
    r"|[/.]0x[0-9a-fA-F]+"
    r"|(?P<proxy>\$Proxy)\d+"
    r"|(?P<accessor>Generated\w{0,200}?Accessor)\d+"
    r"|(?P<hash>_)[0-9a-f]{40}(?=\()"
    r"|%%\w+(?=\(|$)",
    re.MULTILINE | re.ASCII,
)
"""Generated parts of names of all kinds. No match crosses a line end; each is short, as names may be of any length."""

_KEPT = {"lambda": "", "proxy": "", "accessor": "#", "hash": "#"}
"""Kept part of a match: the group of that name, followed by this text."""

REACH = 1024
"""The search continues so many characters before a removal; few matches are as long."""

_IDENTITY = re.compile(r"@[0-9]+")
"""An identity hash, in texts of objects."""

_MARKERS = (b"0x", b"Lambda", b"$Proxy", b"Accessor", b"%%")
"""One of these is in every name with a generated part, except those with a hash."""

_HASH = 40
"""Digits of a hash, between `_` and `(`."""


def normalised(name: str) -> str:
    """Returns the name of a method, class or type that is equal in every build of the program; without its loader."""
    return normalised_text(without_loader(name))


def normalised_text(text: str) -> str:
    """As `normalised`, for a text that has no loader, or keeps it. A normalised text is unchanged."""
    found = _VOLATILE.sub(_kept, text)
    return found if found == text else _stable(found)


def _stable(text: str) -> str:
    """Returns a text without parts that look generated only after something between them was removed.

    After each removal the search continues shortly before it, so that many removals in a long text cost little; it ends
    when a search from the start finds no match.
    """
    start = 0
    while True:
        found = _VOLATILE.search(text, start)
        if found is not None:
            text = text[: found.start()] + _kept(found) + text[found.end() :]
            start = max(0, found.start() - REACH)
        elif start:
            start = 0
        else:
            return text


def normalised_source(text: str) -> str:
    """As `normalised_text`, for the source of a root or text of an object, which may contain identity hashes."""
    return _IDENTITY.sub("@#", normalised_text(text))


def without_loader(name: str) -> str:
    """A method or class as it was printed before 24.2: without the text up to the last colon that ends a loader.

    A colon after the first parenthesis is that of a result.
    """
    parenthesis = name.find("(")
    return name[name.rfind(":", 0, parenthesis if parenthesis >= 0 else len(name)) + 1 :]


def _kept(found: re.Match[str]) -> str:
    group = found.lastgroup
    return "" if group is None else found[group] + _KEPT[group]


def normalised_names(
    names: Sequence[bytes] | EncodedTexts, encoding: str = "utf-8", *, is_as_printed: bool = False
) -> EncodedTexts:
    """Normalises all unique names of a tree at once, which have no loaders; returns UTF-8.

    encoding       charset of the names
    is_as_printed  True only converts them to UTF-8
    Unchanged names of an index aren't processed one by one.
    """
    from parsers.reporting.comparison.text_numbers import EncodedTexts, texts_of

    texts = names if isinstance(names, EncodedTexts) else texts_of(names)
    doubtful = np.flatnonzero(_is_doubtful(texts.starts, texts.data, is_as_printed))
    if not len(doubtful):
        return texts
    data = texts.data.data
    found = [data[texts.starts[number] : texts.starts[number + 1]] for number in doubtful]
    return texts.replaced(doubtful, normalised_lines(found, encoding, is_as_printed=is_as_printed))


def normalised_lines(
    names: Sequence[bytes | memoryview], encoding: str, *, is_as_printed: bool = False
) -> Sequence[bytes]:
    """Normalises some names one by one."""
    # No name contains a line end: files are split there.
    text = charset.decode(b"\n".join(names), encoding)
    found = text if is_as_printed else _VOLATILE.sub(_kept, text)
    if found == text:
        return found.encode().split(b"\n")
    lines = zip(text.split("\n"), found.split("\n"), strict=True)
    return [(after if after == before else _stable(after)).encode() for before, after in lines]


def _is_doubtful(starts: I64Array, texts: U8Array, is_as_printed: bool) -> BoolArray:
    """By name: True if normalising may change it, or if it isn't ASCII."""
    import stringzilla as sz

    from parsers.query.search.line_finder import places_of

    found = np.zeros(len(starts) - 1, bool)
    places = [np.flatnonzero(texts >= 0x80)]
    if not is_as_printed:
        places += [places_of(marker, texts) for marker in _MARKERS if sz.count(texts.data, marker)]
        opened = np.flatnonzero(texts == ord("("))
        places.append(opened[texts[np.maximum(opened - _HASH - 1, 0)] == ord("_")])
    for each in places:
        found[np.searchsorted(starts, each, "right") - 1] = True
    return found
