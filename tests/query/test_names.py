"""Names: fuzzy and substring search, and patterns over names."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from examples import more_examples
from hypothesis import given
from hypothesis import strategies as st

from parsers.query.search import names as names_module
from parsers.query.search.fuzzy import BOUNDARY, CAMEL, MOST_LENGTH, MOST_LETTERS, NO_MATCH, best_fit, bonus_table, fit
from parsers.query.search.fuzzy_kernel import best_fits, fuzzy_scores
from parsers.query.search.names import SLACK, NameMatch, NameMatches, NameSearch
from parsers.query.search.pattern import compile_pattern, exact_pattern

METHODS = [
    b"java.util.HashMap.get(java.lang.Object):java.lang.Object",
    b"java.util.HashMap$Node.getKey():java.lang.Object",
    b"java.util.Map$Entry.getValue():java.lang.Object",
    b"org.h2.jdbc.JdbcConnection.close():void",
    b"org.h2.jdbc.JdbcConnection.<init>(java.util.Map):void",
    b"org.h2.value.Transfer.close():void",
    b"com.example.Closer.run():void",
    "a.Bär.é():void".encode(),
]


def search(names: list[bytes], query: str, is_fuzzy: bool = True, limit: int = 200) -> NameMatches:
    return made(names).search(query, str.encode, is_fuzzy, limit)


def made(names: list[bytes]) -> NameSearch:
    return NameSearch(names, lambda name: name.decode("utf-8", "replace"), lambda number: number * 10)


def methods(found: NameMatches) -> list[str]:
    return [name.text.partition("(")[0].rpartition(".")[2] for name in found.names]


def typed(name: NameMatch) -> str:
    return "|".join(name.text[start:end] for start, end in name.spans)


def test_letters_in_order_are_found_where_words_begin() -> None:
    found = search(METHODS, "jcclose")
    assert [(name.number, typed(name)) for name in found.names] == [(3, "J|C|close")]


def test_the_name_that_fits_best_is_first() -> None:
    assert [name.number for name in search(METHODS, "close").names] == [6, 5, 3]
    assert search(METHODS, "Tclose").names[0].number == 5
    assert methods(search(METHODS, "getval"))[0] == "getValue"
    assert methods(search(METHODS, "mapget"))[0] == "get"


def test_case_and_colons_matter_only_where_a_name_fits_so() -> None:
    names = [b"java.lang.String.hashCode():int", b"java.lang.Long.hashCode(long):int", b"java.lang.Long.hashcode():int"]
    assert [name.number for name in search(names, "Long.hashcode").names] == [2]
    assert [name.number for name in search(names, "string.hashCode").names] == [0]
    assert [name.number for name in search(names, "String::hashCode").names] == [0]


def test_adjacent_letters_beat_a_shorter_name() -> None:
    names = [b"a.JdbcConnection.lock():void", b"a.JdbcConnection.close():void", b"a.JdbcConnection.isClosed():boolean"]
    assert methods(search(names, "jdbcconclo"))[0] == "close"


def test_a_shorter_name_comes_before_a_longer_one_that_fits_as_well() -> None:
    assert [name.text for name in search([b"a.Foo.barrel()", b"a.Foo.bar()"], "bar").names] == [
        "a.Foo.bar()",
        "a.Foo.barrel()",
    ]


def test_blanks_separate_texts_that_must_all_be_found() -> None:
    assert [name.number for name in search(METHODS, "close h2 jdbc").names] == [3]


def test_a_capital_letter_makes_case_matter() -> None:
    assert search(METHODS, "transfer").count == 1
    assert search(METHODS, "Transfer").count == 1


def test_substrings_are_found_without_gaps() -> None:
    found = search(METHODS, "map$", is_fuzzy=False)
    assert sorted(name.number for name in found.names) == [1, 2]
    assert {typed(name) for name in found.names} == {"Map$"}
    assert search(METHODS, "jcclose", is_fuzzy=False).count == 0


def test_each_name_shows_how_many_rows_it_has() -> None:
    assert [name.count for name in search(METHODS, "Transfer").names] == [50]


def test_few_names_are_listed_and_all_are_counted() -> None:
    names = [b"a.B.c%d()" % number for number in range(1000)]
    found = search(names, "bc", limit=7)
    assert (len(found.names), found.count) == (7, 1000)
    assert [name.number for name in found.names] == list(range(7))


def test_nothing_typed_and_nothing_found() -> None:
    assert search(METHODS, "  ") == NameMatches([], len(METHODS), True)
    assert search(METHODS, "zzzzzz") == NameMatches([], 0, True)
    assert search([], "a") == NameMatches([], 0, True)


def test_spans_are_characters_not_bytes() -> None:
    [name] = search(METHODS, "r.é").names
    assert typed(name) == "r.é"


def test_an_extended_query_is_answered_as_if_typed_at_once() -> None:
    continues = made(METHODS)
    for query in (
        "c",
        "cl",
        "clo",
        "clox",
        "clo",
        "close",
        "close v",
        "close vo",
        "close vo h2",
        "close h2",
        "Close h",
    ):
        assert continues.search(query, str.encode) == made(METHODS).search(query, str.encode), query


@pytest.mark.parametrize(
    ("pattern", "numbers"),
    [
        (exact_pattern("Map"), [0, 1, 2, 4]),
        (exact_pattern("map", ignores_case=True), [0, 1, 2, 4]),
        (exact_pattern(r"^org\..*close\(", "regex"), [3, 5]),
        (exact_pattern("void$", "regex"), [3, 4, 5, 6, 7]),
        (compile_pattern("Map$Entry"), [2]),
        (compile_pattern("!close"), [0, 1, 2, 4, 7]),
        (exact_pattern("é"), [7]),
        (exact_pattern("nothing"), []),
    ],
)
def test_names_that_hold_a_pattern(pattern: object, numbers: list[int]) -> None:
    assert made(METHODS).matching(pattern, "utf-8").tolist() == numbers  # type: ignore[arg-type]


def test_without_kernels_many_names_are_searched_by_substring(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(names_module, "FEW", 3)
    many = made(METHODS)
    monkeypatch.setattr(names_module, "fuzzy_kernels", lambda: None)
    assert many.search("jcclose", str.encode) == NameMatches([], 0, False)
    monkeypatch.setattr(names_module, "fuzzy_kernels", lambda: (fuzzy_scores, best_fits))
    assert [name.number for name in many.search("jcclose", str.encode).names] == [3]


NAME = st.lists(
    st.sampled_from([b"a", b"b", b"A", b"B", b".", b"$", b"(", b"1", b"_", b"ab", b"\xc3\xa4"]), max_size=20
).map(b"".join)


BONUSES = np.frombuffer(bonus_table(), np.uint8)


@given(
    st.lists(NAME, min_size=1, max_size=20),
    st.lists(st.text("abAB.1(", min_size=1, max_size=4), min_size=1, max_size=2),
    st.booleans(),
)
@more_examples(3)
def test_the_kernel_gives_the_scores_of_its_twin(names: list[bytes], terms: list[str], has_case: bool) -> None:
    blob = b"\n".join(names) + b"\n" + b"a" * SLACK
    folded = blob if has_case else blob.lower()
    starts = np.cumsum([0] + [len(name) + 1 for name in names])
    scores = np.zeros(len(names), np.int64)
    encoded = [term.encode() for term in terms]
    for term in encoded:
        fuzzy_scores(
            np.frombuffer(blob, np.uint8),
            np.frombuffer(folded, np.uint8),
            starts,
            np.arange(len(names)),
            np.frombuffer(term, np.uint8),
            BONUSES,
            np.empty(2 * len(term), np.int64),
            scores,
        )
    folds = names if has_case else [name.lower() for name in names]
    assert scores.tolist() == [fit(name, fold, encoded)[0] for name, fold in zip(names, folds, strict=True)]


@given(NAME, st.text("abAB.1", min_size=1, max_size=4))
@more_examples(3)
def test_matches_contain_the_letters_in_order(name: bytes, term: str) -> None:
    letters = term.encode()
    rest = iter(name)
    is_there = all(letter in rest for letter in letters)
    score, places = fit(name, name, [letters])
    assert (score != NO_MATCH) == is_there
    assert bytes(name[place] for place in places) == (letters if is_there else b"")


def bonus_at(name: bytes, place: int) -> int:
    """The bonus for the position of a letter in a name."""
    before, here = name[place - 1 : place], name[place : place + 1]
    if not place or before in b".$(,): /_-[@":
        return BOUNDARY
    is_word = here.isupper() and not before.isupper()
    return CAMEL if is_word or (here.isdigit() and not before.isdigit()) else 0


def test_words_begin_after_dots_at_capitals_and_at_digits() -> None:
    name = b"a.bC1d$e_f"
    assert [chr(name[place]) for place in range(len(name)) if bonus_at(name, place)] == ["a", "b", "C", "1", "e", "f"]


def test_the_table_of_bonuses_equals_its_twin() -> None:
    expected = [[bonus_at(bytes((before, here)), 1) for here in range(256)] for before in range(256)]
    expected[0x0A] = [bonus_at(bytes((here,)), 0) for here in range(256)]
    assert BONUSES.reshape(256, 256).tolist() == expected


@given(st.lists(NAME, min_size=1, max_size=20), st.text("abAB.1(", min_size=1, max_size=5))
@more_examples(3)
def test_the_kernel_finds_the_best_fits_of_its_twin(names: list[bytes], term: str) -> None:
    blob = np.frombuffer(b"\n".join(names) + b"\n", np.uint8)
    starts = np.cumsum([0] + [len(name) + 1 for name in names])
    letters = term.encode()
    scores, places = np.zeros(len(names), np.int64), np.zeros((len(names), len(letters)), np.int32)
    room = [np.empty(MOST_LETTERS * MOST_LENGTH, np.int32) for _ in range(3)]
    term_bytes, which = np.frombuffer(letters, np.uint8), np.arange(len(names))
    best_fits(blob, blob, starts, which, term_bytes, BONUSES, *room, scores, places.ravel())
    expected = [best_fit(name, name, letters) for name in names]
    assert scores.tolist() == [score for score, _ in expected]
    found = [there if score != NO_MATCH else [] for there, score in zip(places.tolist(), scores.tolist(), strict=True)]
    assert found == [there for _, there in expected]


@given(NAME, st.text("abAB.1", min_size=1, max_size=4))
@more_examples(3)
def test_the_best_fit_is_at_least_as_good_as_the_quick_one(name: bytes, term: str) -> None:
    quick, best = fit(name, name, [term.encode()])[0], best_fit(name, name, term.encode())
    assert best[0] >= quick
    assert bytes(name[place] for place in best[1]) == (b"" if quick == NO_MATCH else term.encode())


def test_names_that_are_in_a_folder_are_searched_alike(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(names_module, "MANY", 3)
    monkeypatch.setattr(names_module, "BLOCK", 100)
    stored = NameSearch(
        METHODS, lambda name: name.decode("utf-8", "replace"), lambda number: number * 10, str(tmp_path)
    )
    for query in ("close", "Tclose", "map$", "é"):
        for is_fuzzy in (True, False):
            assert stored.search(query, str.encode, is_fuzzy) == search(METHODS, query, is_fuzzy)
    pattern = exact_pattern("close|Entry", "regex")
    assert stored.matching(pattern, "utf-8").tolist() == [2, 3, 5]
    assert list(tmp_path.iterdir()) == []
