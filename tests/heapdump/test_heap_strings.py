"""Strings of heap dumps by their texts: kernels as plain code, all layouts, what is waste, what is counted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from heap_dumps import (
    BYTES,
    CHARS,
    COMPACT,
    OLD,
    Built,
    compact,
    old,
    string_dump,
    text_array,
)
from hypothesis import given
from hypothesis import strategies as st

from parsers.formats.hprof.dump.index.sizes import UNIT


def found(built: Built) -> tuple[dict[str, list[int]], dict[str, int]]:
    references = built.steps.references(built.heap, lambda share: None)
    units = built.steps.sizes(built.heap, built.measured).units
    arrays, totals = built.steps.strings(built.heap, built.measured, references, units)
    return {name: array.tolist() for name, array in arrays.items()}, totals


def both(data: bytes, folder: Path) -> list[Any]:
    answers = []
    for by_kernels in (True, False):
        built = Built(data, folder, by_kernels)
        answers.append(found(built))
        built.close()
    return answers


def test_a_text_is_the_same_in_latin_1_and_in_utf_16(tmp_path: Path) -> None:
    data = string_dump(
        COMPACT,
        compact(32, 320, 0), compact(40, 328, 1), compact(48, 336, 1),
        text_array(320, BYTES, b"caf\xe9 au"), text_array(328, BYTES, "caf\xe9 au".encode("utf-16-le")),
        text_array(336, BYTES, "caf\xe9 ау".encode("utf-16-le")),
    )  # fmt: skip
    (arrays, totals), plain = both(data, tmp_path)
    assert (arrays, totals) == plain
    assert totals == {"strings": 3, "strings_distinct": 2}
    assert arrays["string_object"] == [1, 2, 3]
    assert arrays["string_first"] == [0, 2]
    assert arrays["string_length"] == [7, 7]


def test_an_array_that_equal_strings_share_is_no_waste(tmp_path: Path) -> None:
    shared = string_dump(
        COMPACT, *(compact(32 + 8 * each, 320, 0) for each in range(3)), text_array(320, BYTES, b"x" * 1000)
    )
    own = string_dump(
        COMPACT,
        *(compact(32 + 8 * each, 320 + 2000 * each, 0) for each in range(3)),
        *(text_array(320 + 2000 * each, BYTES, b"x" * 1000) for each in range(3)),
    )
    (with_one, _), plain = both(shared, tmp_path)
    assert with_one == plain[0]
    (with_three, _), plain = both(own, tmp_path)
    assert with_three == plain[0]
    built = Built(own, tmp_path, by_kernels=False)
    units = built.steps.sizes(built.heap, built.measured).units.tolist()
    assert with_one["string_waste"] == [2 * units[1] * UNIT]
    assert with_three["string_waste"] == [2 * (units[1] + units[4]) * UNIT]


def test_strings_that_share_an_array_and_read_it_differently_are_different(tmp_path: Path) -> None:
    data = string_dump(
        COMPACT, *(compact(32 + 8 * each, 320, each // 2) for each in range(4)), text_array(320, BYTES, b"abcd")
    )
    (arrays, totals), plain = both(data, tmp_path)
    assert (arrays, totals) == plain
    assert totals == {"strings": 4, "strings_distinct": 2}
    assert arrays["string_length"] == [4, 2]


def test_a_part_of_an_array_is_a_text_of_its_own(tmp_path: Path) -> None:
    chars = "one two one".encode("utf-16-be")
    data = string_dump(
        OLD, old(32, 320, 0, 3), old(40, 320, 4, 3), old(48, 320, 8, 3), old(56, 320, 0, 11), old(64, 320, 9, 99),
        old(72, 0, 0, 0), old(80, 320, -5, -5), text_array(320, CHARS, chars),
    )  # fmt: skip
    (arrays, totals), plain = both(data, tmp_path)
    assert (arrays, totals) == plain
    # "one" twice; "two", the whole, "ne" (its available part) and "" once each; the last one has no array.
    assert totals == {"strings": 7, "strings_distinct": 5}
    assert arrays["string_object"] == [1, 3, 2, 4, 5, 7, 6]
    assert arrays["string_length"] == [3, 3, 11, 2, 0]


@given(st.lists(st.tuples(st.text(max_size=9), st.integers(0, 1)), min_size=1, max_size=12), st.booleans())
def test_any_texts(tmp_path_factory: pytest.TempPathFactory, texts: list[tuple[str, int]], is_old: bool) -> None:
    objects, arrays = [], []
    for place, (text, coder) in enumerate(texts):
        if is_old:
            objects.append(old(32 + 8 * place, 1024 + 64 * place, coder, len(text)))
            arrays.append(text_array(1024 + 64 * place, CHARS, text.encode("utf-16-be", "surrogatepass")))
        else:
            encoded = text.encode("utf-16-le", "surrogatepass") if coder else text.encode("latin-1", "replace")
            objects.append(compact(32 + 8 * place, 1024 + 64 * place, coder))
            arrays.append(text_array(1024 + 64 * place, BYTES, encoded))
    data = string_dump(OLD if is_old else COMPACT, *objects, *arrays)
    by_kernels, plain = both(data, tmp_path_factory.mktemp("dump"))
    assert by_kernels == plain
