"""Names of all classes and packages, cut from the names of their methods.

The name of a class is taken from its first method. If that has a single pair of parentheses, before its result, the
class is found without parsing the method.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from parsers.formats.graalvm.calls.index.row import method_parts, package_of
from parsers.graph.reachability import ranges
from parsers.query.selection.texts_met import MatchedTexts, arrays_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parsers.model.arrays import I64Array, U8Array

OPEN, CLOSE, COLON, DOT = map(ord, "():.")


def group_names(
    names: Sequence[bytes], classes: I64Array, packages: I64Array, encoding: str, decode: Callable[[bytes], str]
) -> tuple[MatchedTexts, MatchedTexts]:
    """Returns the names of classes and of packages, by their numbers; a number without method has an empty one.

    names              all unique names of methods
    classes, packages  int64: name of one method of each class or package, by its number; -1 without one
    """
    starts, data = arrays_of(names)
    holders = []
    for name in packages.tolist():
        method = data[starts[name] : starts[name + 1]].tobytes() if name >= 0 else b""
        holder = method[slice(*method_parts(method).holder)]
        holders.append(package_of(holder))
    return class_names(names, classes, encoding, decode), MatchedTexts.of_names(holders, encoding, decode)


def class_names(
    names: Sequence[bytes], classes: I64Array, encoding: str, decode: Callable[[bytes], str]
) -> MatchedTexts:
    """Returns the names of classes by their numbers, as `group_names`."""
    begins, text = _gathered(*arrays_of(names), classes)
    return MatchedTexts(begins[:-1], begins[:-1] + holder_lengths(begins, text), text, encoding, decode)


def _gathered(starts: I64Array, data: U8Array, numbers: I64Array) -> tuple[I64Array, U8Array]:
    """Some names concatenated, and the start of each, followed by the end of the last one; -1 gives an empty name."""
    known = np.where(numbers >= 0, numbers, 0)
    firsts = starts[:-1][known] if len(starts) > 1 else np.zeros(len(numbers), np.int64)
    lengths = np.where(numbers >= 0, (starts[1:] - starts[:-1])[known] if len(starts) > 1 else 0, 0)
    begins = np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
    return begins, data[ranges(firsts, firsts + lengths)]


def holder_lengths(begins: I64Array, text: U8Array) -> NDArray[np.int64]:
    """Returns the length of the class at the start of each of some methods, as in `method_parts`: int64."""
    count = len(begins) - 1
    found = np.zeros(count, np.int64)
    opens, closes, dots = (np.flatnonzero(text == byte) for byte in (OPEN, CLOSE, DOT))
    of_open, of_close = (np.searchsorted(begins, places, "right") - 1 for places in (opens, closes))
    first_open, first_close = np.full(count, -1, np.int64), np.full(count, -1, np.int64)
    first_open[of_open], first_close[of_close] = opens, closes
    is_plain = (np.bincount(of_open, minlength=count) == 1) & (np.bincount(of_close, minlength=count) == 1)
    is_plain &= (first_open < first_close) & (first_close + 1 < begins[1:])
    plain = np.flatnonzero(is_plain)
    plain = plain[text[first_close[plain] + 1] == COLON]
    before = np.append(-1, dots)[np.searchsorted(dots, first_open[plain])]
    found[plain] = np.maximum(before - begins[plain], 0)
    is_plain[:] = False
    is_plain[plain] = True
    for number in np.flatnonzero(~is_plain).tolist():
        holder = method_parts(text[begins[number] : begins[number + 1]].tobytes()).holder
        found[number] = holder[1]
    return found
