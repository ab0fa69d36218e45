"""Places of values, against plain searches."""

from hypothesis import given
from hypothesis import strategies as st

from parsers.model.lookup import numbered, place_in, places_by

NUMBERS = st.lists(st.integers(0, 20))


@given(NUMBERS, st.integers(-1, 21))
def test_place_in_an_ascending_sequence(values: list[int], value: int) -> None:
    values.sort()
    wanted = values.index(value) if value in values else None
    assert place_in(values, value) == wanted
    assert place_in(range(len(values)), value, values.__getitem__) == wanted


@given(NUMBERS)
def test_places_and_numbers_of_keys(keys: list[int]) -> None:
    found = places_by(keys)
    assert {key: [keys[place] for place in places] for key, places in found.items()} == {
        key: [key] * keys.count(key) for key in keys
    }
    assert all(places == sorted(places) for places in found.values())
    names, numbers = numbered(keys)
    assert names == list(dict.fromkeys(keys))
    assert [names[number] for number in numbers] == keys
