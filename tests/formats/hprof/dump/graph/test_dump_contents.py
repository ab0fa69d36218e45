"""Collections of heap dumps shown as what they hold; the program that was dumped is `corpus/hprof/collections`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import TESTS

from parsers.io.cache import Cache
from parsers.model.report import Report
from parsers.model.row import Row
from parsers.runtime.opening import open_report

SAMPLES = TESTS / "corpus" / "hprof" / "collections"
NUMBERS = {'"one" = java.lang.Integer 1', '"two" = java.lang.Integer 2', '"three" = java.lang.Integer 3'}
WORDS = ['[0] "alpha"', '[1] "beta"', '[2] "gamma"']


@pytest.fixture(scope="module", params=["jdk17", "jdk25"])
def report(request: pytest.FixtureRequest, shared_cache: Path) -> Iterator[Report]:
    """A dump of the program by one JDK."""
    cache = Cache(str(shared_cache / "coffeetree"))
    opened = open_report([str(SAMPLES / f"{request.param}.hprof.xz")], cache=cache)
    opened.start_index()
    opened.wait()
    yield opened
    opened.close()


@pytest.fixture
def view(report: Report) -> Iterator[Any]:
    """Its objects."""
    found: Any = report.view("Objects")
    yield found
    found.choose("collections", "contents")
    found.renew()
    found.suppress({})


NAMES: dict[Any, list[str]] = {}
"""The names of those fields by view, in their order: whatever a test chooses, they stay the same."""


def held(view: Any) -> dict[str, int]:
    """The fields of the object that the program keeps, by name."""
    program = view.resolve("class:Held")
    static = next(node for node in view.tree.children(program) if view.tree.row(node).label == "static HELD: Held")
    nodes = view.tree.children(static)
    if view not in NAMES:
        NAMES[view] = [view.tree.row(node).label.partition(":")[0] for node in nodes]
    return dict(zip(NAMES[view], nodes, strict=True))


def rows(view: Any, node: int) -> list[Row]:
    return [view.tree.row(each) for each in view.tree.all_children(node)]


def labels(view: Any, field: str) -> list[str]:
    """Returns the labels of the rows below a field of the program's object."""
    return [row.label for row in rows(view, held(view)[field])]


MAPS = (
    "hashMap", "linkedHashMap", "treeMap", "concurrentHashMap", "hashtable", "skipListMap", "weakHashMap",
    "identityHashMap", "properties", "mapOfN", "unmodifiableMap", "synchronizedMap",
)  # fmt: skip


@pytest.mark.parametrize("field", MAPS)
def test_a_map_is_its_entries(view: Any, field: str) -> None:
    found = labels(view, field)
    assert (len(found), set(found)) == (3, NUMBERS)


def test_maps_with_an_order_keep_it(view: Any) -> None:
    assert labels(view, "linkedHashMap") == [f'"{key}" = java.lang.Integer {value}' for key, value in
                                             (("one", 1), ("two", 2), ("three", 3))]  # fmt: skip
    assert labels(view, "treeMap") == sorted(NUMBERS)
    assert labels(view, "skipListMap") == sorted(NUMBERS)


@pytest.mark.parametrize("field", ["mapOf1", "singletonMap"])
def test_a_map_of_one_is_its_entry(view: Any, field: str) -> None:
    assert labels(view, field) == ['"one" = java.lang.Integer 1']


def test_constants_of_enums_are_keys_by_name(view: Any) -> None:
    assert labels(view, "enumMap") == ['RED = "red"', "BLUE = null"]


def test_null_is_a_key_and_a_value(view: Any) -> None:
    assert set(labels(view, "withNulls")) == {'null = "of null"', '"to null" = null'}


def test_an_empty_map_has_nothing_below_it(view: Any) -> None:
    row = view.tree.row(held(view)["emptyMap"])
    assert not row.has_children
    assert view.remark(row).startswith("empty")


LISTS = (
    "arrayList", "linkedList", "arrayDeque", "vector", "stack", "copyOnWrite", "priorityQueue", "arrayBlockingQueue",
    "linkedBlockingQueue", "linkedBlockingDeque", "concurrentLinkedQueue", "concurrentLinkedDeque", "listN", "asList",
    "subList", "unmodifiableList", "linkedHashSet", "treeSet", "skipListSet", "copyOnWriteSet",
)  # fmt: skip


@pytest.mark.parametrize("field", LISTS)
def test_a_list_is_its_elements_in_their_order(view: Any, field: str) -> None:
    assert labels(view, field) == WORDS


@pytest.mark.parametrize("field", ["hashSet", "concurrentSet", "setN", "identitySet"])
def test_a_set_is_its_elements(view: Any, field: str) -> None:
    assert {label.partition(" ")[2] for label in labels(view, field)} == {'"alpha"', '"beta"', '"gamma"'}


def test_short_lists_have_fields_of_their_own_for_elements(view: Any) -> None:
    assert labels(view, "list12") == labels(view, "set1") == labels(view, "singletonList") == ['[0] "alpha"']
    assert labels(view, "list2") == ['[0] "alpha"', '[1] "beta"']
    assert len(labels(view, "set2")) == 2
    assert labels(view, "copies") == ['[0] "alpha"', '[1] "alpha"', '[2] "alpha"']


def test_null_is_listed_among_the_elements_of_a_list(view: Any) -> None:
    assert labels(view, "withGap") == ['[0] "alpha"', "[1] null", '[2] "gamma"']


def test_a_set_of_constants_is_a_bit_each(view: Any) -> None:
    assert labels(view, "enumSet") == ["[0] Held$Color RED", "[1] Held$Color$1 BLUE"]


@pytest.mark.parametrize("field", ["treeBins", "concurrentTreeBins"])
def test_entries_of_a_bin_that_became_a_tree_are_found(view: Any, field: str) -> None:
    values = sorted(int(label.rpartition(" ")[2]) for label in labels(view, field))
    assert values == list(range(20))


def test_an_entry_whose_key_is_an_object_opens_to_key_and_value(view: Any) -> None:
    (entry,) = view.tree.children(held(view)["byPoint"])
    key, value = view.tree.children(entry)
    assert [view.tree.row(each).label for each in (key, value)] == ["key: Held$Point", "value: Held$Point"]
    assert {row.label for row in rows(view, key)} == {"x: 1", "y: 2"}
    assert {row.label for row in rows(view, value)} == {"x: 3", "y: 4"}
    assert view.object_of(view.tree.vertex(entry)) == view.tree.vertex(value)


def test_fields_added_by_subclasses_of_collections_follow_the_entries(view: Any) -> None:
    found = labels(view, "cache")
    assert found[:2] == ['"one" = java.lang.Integer 1', '"two" = java.lang.Integer 2']
    assert set(found[2:]) == {'owner: "me"', "hits: 3"}


def test_an_ancestor_object_is_a_reference(view: Any) -> None:
    row = view.tree.row(held(view)["self"])
    assert (row.label, row.flags, row.has_children) == ("self: Held", ("recursive",), False)


def test_the_switch_shows_the_fields(view: Any) -> None:
    view.choose("collections", "fields")
    assert {label.partition(":")[0] for label in labels(view, "arrayList")} == {"size", "elementData", "modCount"}
    below = {view.tree.row(node).label: node for node in view.tree.children(held(view)["arrayList"])}
    assert [row.label for row in rows(view, below["elementData: java.lang.Object[]"])] == WORDS


def test_after_the_switch_rows_are_where_the_same_objects_are(view: Any) -> None:
    before = held(view)["arrayList"]
    (first, *_) = view.tree.children(before)
    view.choose("collections", "fields")
    places = view.renew()
    assert places is not None
    assert view.tree.row(places(before)).label == "arrayList: java.util.ArrayList"
    assert places(first) is None
    assert view.renew() is None


TOLD = {
    "latin": '"grün"',
    "wide": '"中😀"',
    "empty": '""',
    "builder": 'java.lang.StringBuilder "built"',
    "atomicInteger": "java.util.concurrent.atomic.AtomicInteger 5",
    "atomicLong": "java.util.concurrent.atomic.AtomicLong 6",
    "atomicBoolean": "java.util.concurrent.atomic.AtomicBoolean true",
    "atomicReference": 'java.util.concurrent.atomic.AtomicReference of "inside"',
    "adder": "java.util.concurrent.atomic.LongAdder 42",
    "some": 'java.util.Optional of "inside"',
    "none": "java.util.Optional empty",
    "number": "java.util.OptionalInt of 7",
    "cleared": "java.lang.ref.WeakReference cleared",
    "weak": 'java.lang.ref.WeakReference of "grün"',
    "bigInteger": "java.math.BigInteger -123456789012345678901234567890",
    "bigDecimal": "java.math.BigDecimal -12345.678",
    "cents": "java.math.BigDecimal 0.05",
    "uuid": "java.util.UUID 01234567-89ab-cdef-0123-456789abcdef",
    "date": "java.util.Date 1970-01-01T00:00:00Z",
    "instant": "java.time.Instant 2026-01-02T03:04:05.006Z",
    "localDate": "java.time.LocalDate 2026-01-02",
    "localDateTime": "java.time.LocalDateTime 2026-01-02T03:04:05",
    "duration": "java.time.Duration 1.5 s",
    "file": 'java.io.File "/demo/file"',
    "type": "class Held$Color",
    "color": "Held$Color$1 BLUE",
}


@pytest.mark.parametrize("field", TOLD)
def test_an_object_is_labelled_by_its_value(view: Any, field: str) -> None:
    assert view.tree.row(held(view)[field]).label == f"{field}: {TOLD[field]}"


def test_boxes_are_labelled_by_their_values_and_have_no_children(view: Any) -> None:
    found = rows(view, held(view)["boxes"])
    assert [row.label for row in found] == [
        "[0] java.lang.Boolean true", "[1] java.lang.Byte -1", "[2] java.lang.Character 'x'",
        "[3] java.lang.Short 2", "[4] java.lang.Integer 3", "[5] java.lang.Long 1099511627776",
        "[6] java.lang.Float 0.1", "[7] java.lang.Double 2.5",
    ]  # fmt: skip
    assert not any(row.has_children for row in found)


def test_arrays_of_primitives_open_to_their_elements(view: Any) -> None:
    assert labels(view, "ints") == ["[0] 1", "[1] -2", "[2] 3"]
    assert labels(view, "doubles") == ["[0] 0.1", "[1] NaN", "[2] -Infinity"]
    assert labels(view, "chars")[0] == "[0] 'c'"


def test_nulls_in_an_array_are_left_out_and_the_others_keep_their_index(view: Any) -> None:
    assert labels(view, "gaps") == ['[7] "seven"', '[999] "last"']


def test_the_path_to_an_element_leads_through_the_list_and_not_its_array(view: Any) -> None:
    (entry,) = view.tree.children(held(view)["byPoint"])
    found = view.why(entry)
    assert [view.tree.row(node).label for node in found.nodes] == [
        "class Held",
        "static HELD: Held",
        "byPoint: java.util.HashMap",
        "value: Held$Point",
    ]


def test_texts_and_arrays_of_numbers_are_closed_below_the_top_with_a_note(view: Any) -> None:
    program = held(view)
    assert view.closes == "String, primitive[]"
    for field, flags in (("ints", ("suppressed",)), ("latin", ())):
        row = view.tree.row(program[field])
        assert (row.has_children, row.flags) == (False, flags)
        assert not view.tree.has_children(program[field])
    assert view.tree.row(program["type"]).has_children


def test_an_array_of_numbers_that_is_asked_for_is_open(view: Any) -> None:
    ints = view.tree.vertex(held(view)["ints"])
    assert [row.label for row in (view.tree.row(node) for node in view.tree.children(ints))] == [
        "[0] 1",
        "[1] -2",
        "[2] 3",
    ]


def test_a_pattern_expands_collapsed_objects(view: Any) -> None:
    view.suppress({"expand_types": "int,java.lang.String"})
    program = held(view)
    assert view.tree.has_children(program["ints"])
    assert view.tree.has_children(program["latin"])
    assert not view.tree.has_children(program["bytes"])
    assert view.closes == "boolean[], byte[], char[], double[], float[], long[], short[]"


def test_a_pattern_closes_maps_too_and_a_row_opened_by_hand_is_open(view: Any) -> None:
    node = held(view)["hashMap"]
    view.suppress({"suppress_types": "java.util.*"})
    assert view.tree.row(node).flags == ("suppressed",)
    view.suppress({"suppress_types": "java.util.*"}, {node})
    assert view.tree.row(node).has_children


def beside(view: Any, node: int) -> dict[str, dict[str, str]]:
    """Returns the sections of a row, by title."""
    return {each.title: {row.label: row.text for row in each.rows} for each in view.sections(node)}


def test_the_side_pane_of_a_list_has_size_capacity_and_first_elements(view: Any) -> None:
    contents = beside(view, held(view)["arrayList"])["Contents"]
    assert contents["elements"] == "3"
    assert contents["capacity"].startswith("for 10: 7 unused, ")
    assert [contents[f"[{place}]"] for place in range(3)] == ['"alpha"', '"beta"', '"gamma"']


def test_the_side_pane_of_a_map_has_its_first_entries(view: Any) -> None:
    contents = beside(view, held(view)["treeMap"])["Contents"]
    assert contents == {"entries": "3", **{f"[{place}]": entry for place, entry in enumerate(sorted(NUMBERS))}}


def test_the_side_pane_of_an_entry_has_its_map_key_and_value(view: Any) -> None:
    (node,) = view.tree.children(held(view)["byPoint"])
    assert beside(view, node)["Entry 0"] == {"of": "java.util.HashMap", "key": "Held$Point", "value": "Held$Point"}
    assert "the key" in {link.label for link in view.links(node)}


def test_the_side_pane_of_an_array_has_its_content(view: Any) -> None:
    program = held(view)
    assert beside(view, program["bytes"])["Value"] == {"": '"some bytes"'}
    assert beside(view, program["chars"])["Value"] == {"": '"chars"'}
    assert beside(view, program["ints"])["Value"] == {"": "1, -2, 3"}
    assert beside(view, program["gaps"])["Object[]"]["elements"] == "1,000, 998 of them null"


def test_the_side_pane_of_an_object_has_dominator_and_retained_size(view: Any) -> None:
    facts = beside(view, held(view)["cache"])["Held$Cache"]
    assert (facts["class"], facts["dominator"]) == ("Held$Cache", "Held")
    assert int(facts["retained"].replace(",", "")) > int(facts["shallow"])


def test_the_line_below_shows_how_a_root_reaches_the_object(view: Any) -> None:
    assert view.status_text(held(view)["cache"]) == "← Held cache ← class Held static HELD ← system class"


def test_objects_have_a_column_of_what_they_retain_and_are_sorted_by_it(view: Any) -> None:
    assert [column.name for column in view.columns] == ["retained", "bytes", "referrers", "elements"]
    program = view.tree.vertex(held(view)["self"])
    sizes = [view.tree.row(node).badges["retained"] for node in view.tree.children(program, "retained")[:5]]
    assert sizes == sorted(sizes, reverse=True)


def test_entries_are_the_same_one_by_one_and_many_at_a_time(view: Any) -> None:
    found = [view.contents(view.tree.vertex(node)) for node in held(view).values()]
    collections = [each[0] for each in found if each is not None]
    assert len(collections) > 30
    for contents in collections:
        for every in (contents.values, contents.keys or ()):
            one_by_one = [every[place] for place in range(len(every))]
            assert list(every[0 : len(every)]) == one_by_one
            assert list(every[1:3]) == one_by_one[1:3]
