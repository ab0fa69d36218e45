"""The views "Classes" and "Collections" of TPTP traces: every number of the samples' truth, moments, ways."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import Answer
from tptp_heaps import TRUTHS, sample_path, written

from parsers.io.cache import Cache
from parsers.runtime.opening import open_report

Run = Callable[..., Answer]
WITH_HEAP = [name for name, truth in TRUTHS.items() if any(each.get("heap") for each in truth["sessions"])]


@pytest.fixture(scope="module")
def folder(shared_cache: Path) -> str:
    return str(shared_cache / "coffeetree")


@pytest.fixture
def opened(folder: str) -> Iterator[Callable[[str], Any]]:
    """Opens a sample, or a file, and waits for its index."""
    reports = []

    def open_it(name: str) -> Any:
        path = name if "/" in name else sample_path(name)
        reports.append(open_report([path], cache=Cache(folder)))
        reports[-1].wait()
        return reports[-1]

    yield open_it
    for report in reports:
        report.close()


def rows_of(view: Any, kind: str) -> list[Any]:
    """Returns the rows of a kind, without objects."""
    return [view.row(view.rows.node(number)) for number, each in enumerate(view.groups) if each.kind == kind]


COUNTS = ("total", "live", "collected", "total_size", "active_size")


@pytest.mark.parametrize("name", WITH_HEAP)
def test_classes_are_those_of_the_truth(name: str, opened: Callable[[str], Any]) -> None:
    rows = rows_of(opened(name).view("Classes"), "class")
    for number, session in enumerate(TRUTHS[name]["sessions"], 1):
        mine = {row.label: row.badges for row in rows if session_of(row.ref) == number}
        heap = session["heap"]
        assert len(mine) == heap["classes_total"]
        for each in heap["classes"]:
            # Names are shown with dots, however an agent writes them.
            badges = {"defined_only": 0, **mine[each["name"].replace("/", ".")]}
            assert {count: badges[count] for count in (*COUNTS, "defined_only")} == without_name(each)
        assert {count: sum(badges[count] for badges in mine.values()) for count in COUNTS} == {
            count: heap["totals"][count] for count in COUNTS
        }


def session_of(ref: str) -> int:
    """The session of a REF: `run:2/class:A`."""
    return int(ref.removeprefix("run:").partition("/")[0]) if ref.startswith("run:") else 1


def without_name(counted: dict[str, Any]) -> dict[str, Any]:
    """The numbers of a class."""
    return {name: value for name, value in counted.items() if name != "name"}


WITH_COLLECTIONS = [name for name in WITH_HEAP if any(each["heap"]["collections"] for each in TRUTHS[name]["sessions"])]


@pytest.mark.parametrize("name", WITH_COLLECTIONS)
def test_collections_are_those_of_the_truth(name: str, opened: Callable[[str], Any]) -> None:
    view = opened(name).view("Collections")
    view.choose("drawn", "table")
    truth = [each for session in TRUTHS[name]["sessions"] for each in session["heap"]["collections"]]
    assert view.points == len(truth)
    for node, wanted in enumerate(truth):
        badges = view.row(node).badges
        assert badges["frees"] == wanted["frees"]
        assert badges.get("live") == wanted["live_by_count"]
        assert badges.get("live_bytes") == wanted["live_bytes_by_count"]
        told = {"used_objects": "usedObjects", "used_bytes": "usedObjSpace", "total_bytes": "totalObjSpace"}
        for column, attribute in told.items():
            assert badges.get(column) == (wanted[attribute] or None)


@pytest.mark.parametrize("name", ["agent_heap_small", "gen_heap_dump", "gen_heap_late_frees_zero_gc", "gen_heap_moves"])
def test_at_each_collection_as_many_objects_are_alive_as_are_counted_then(
    name: str, opened: Callable[[str], Any]
) -> None:
    view = opened(name).view("Classes")
    truth = TRUTHS[name]["sessions"][0]["heap"]["collections"]
    for number, wanted in enumerate(truth, 1):
        view.choose("moment", f"collection {number}")
        classes = rows_of(view, "class")
        assert sum(row.badges["live"] for row in classes) == wanted["live_by_count"]
        assert sum(row.badges["active_size"] for row in classes) == wanted["live_bytes_by_count"]


def test_at_a_dump_those_objects_are_alive_that_the_dump_has(opened: Callable[[str], Any]) -> None:
    report = opened("gen_heap_dump")
    view = report.view("Classes")
    view.choose("moment", "dump 1")
    in_dump = {row.label: row.badges["bytes"] for row in rows_of(report.view("Dumps"), "class")}
    assert {row.label: row.badges["active_size"] for row in rows_of(view, "class") if row.badges["live"]} == in_dump


def test_at_any_moment_those_are_alive_that_were_allocated_and_not_freed(
    tmp_path: Path, opened: Callable[[str], Any]
) -> None:
    objects = (allocated(10, 2, 16), allocated(11, 2, 32), collected(1, 10), allocated(12, 2, 8))
    path = written(tmp_path, *CLASSES, *objects)
    view = opened(path).view("Classes")

    def alive(moment: str) -> list[tuple[int, int]]:
        view.choose("moment", moment)
        return [(row.badges["live"], row.badges["collected"]) for row in rows_of(view, "class")]

    # The recording begins at 1 s. Object 10 is allocated at 2.000000010 s, and so on; it is freed at 3.5 s.
    assert alive("1.00000001") == [(1, 0)]
    assert alive("at 1.000000011 s") == [(2, 0)]
    assert alive("moment:3.4") == [(3, 0)]
    assert alive("0:02.5") == [(2, 1)]
    assert view.chosen["moment"] == "at 2.500 s"
    assert view.switches[0].choices[:3] == ("at the end", "at 2.500 s", "at 2.400 s")
    assert alive("at the end") == [(2, 1)]


@pytest.mark.parametrize("text", ["", "soon", "1:2:3:4", "-1", "99", "session 2 at 1 s", "moment:x", "1.0000000001"])
def test_invalid_moments_of_a_recording_are_refused(text: str, tmp_path: Path, opened: Callable[[str], Any]) -> None:
    view = opened(written(tmp_path, *CLASSES, allocated(10, 2, 16))).view("Classes")
    with pytest.raises(KeyError):
        view.choose("moment", text)
    assert view.chosen["moment"] == "at the end"


def test_a_moment_after_all_collections_gives_what_the_end_gives(opened: Callable[[str], Any]) -> None:
    view = opened("agent_heap_small").view("Classes")
    at_end = [row.badges for row in rows_of(view, "class")]
    last = TRUTHS["agent_heap_small"]["sessions"][0]["time"]["latest"]
    view.choose("moment", f"moment:{last // 10**9}.{last % 10**9:09}")
    assert [row.badges for row in rows_of(view, "class")] == at_end


CLASSES = (
    '<classDef name="a.A" classId="2" time="1.0"/>',
    '<classDef name="a.A" classId="3" time="1.0"/>',
    '<threadStart threadId="1" time="1.0" threadName="main" groupName="main" parentName="" objIdRef="0"/>',
)


def allocated(id: int, of: int, size: int) -> str:
    return f'<objAlloc threadIdRef="1" time="2.{id:09}" isArray="false" objId="{id}" size="{size}" classIdRef="{of}"/>'


def collected(number: int, *ids: int) -> str:
    frees = "".join(f'<objFree objIdRef="{id}" time="{number + 2}.5"/>' for id in ids)
    return f'<gcStart time="{number + 2}.1"/>{frees}<gcFinish time="{number + 2}.9"/>'


def test_classes_of_one_name_are_one_row_until_they_are_asked_for_by_id(
    tmp_path: Path, opened: Callable[[str], Any]
) -> None:
    path = written(tmp_path, *CLASSES, allocated(10, 2, 16), allocated(11, 3, 32))
    view = opened(path).view("Classes")
    assert [(row.label, row.badges["active_size"]) for row in rows_of(view, "class")] == [("a.A", 48)]
    view.choose("group", "by id")
    assert [(row.ref, row.badges["active_size"]) for row in rows_of(view, "class")] == [
        ("class:3", 32),
        ("class:2", 16),
    ]


def test_ages_are_collections_outlived(tmp_path: Path, opened: Callable[[str], Any]) -> None:
    path = written(
        tmp_path, *CLASSES, allocated(10, 2, 16), collected(1), allocated(11, 2, 16), allocated(12, 2, 16),
        collected(2, 12), allocated(13, 2, 16),
    )  # fmt: skip
    view = opened(path).view("Classes")
    row = rows_of(view, "class")[0]
    assert (row.badges["oldest"], row.badges["generations"]) == (2, 3)
    assert [view.row(node).badges["oldest"] for node in view.tree.children(row.node, "oldest")] == [2, 1, 0]
    view.choose("objects", "collected")
    absent = view.tree.children(rows_of(view, "class")[0].node)
    assert [(view.row(node).ref, view.row(node).badges["oldest"]) for node in absent] == [("object:12", 0)]
    view.choose("objects", "all")
    view.choose("moment", "collection 1")
    assert [view.row(node).ref for node in view.tree.children(rows_of(view, "class")[0].node)] == ["object:10"]


def test_objects_only_defined_are_separate_and_in_no_total(tmp_path: Path, opened: Callable[[str], Any]) -> None:
    defined = '<objDef objId="20" isArray="false" size="64" classIdRef="2"/>'
    view = opened(written(tmp_path, *CLASSES, allocated(10, 2, 16), defined)).view("Classes")
    badges = rows_of(view, "class")[0].badges
    assert (badges["total"], badges["total_size"], badges["defined_only"]) == (1, 16, 1)
    assert "defined_only" in [column.name for column in view.columns]


def test_what_stands_under_the_table_says_since_when_it_counts(coffeetree: Run) -> None:
    answer = coffeetree("tree", sample_path("gen_heap_slashes"), "--view", "Classes", "--depth", "1")
    assert answer.out.splitlines()[-1].endswith("only what was allocated since monitoring began")


def test_an_object_leads_to_its_thread_its_moment_and_the_dump(opened: Callable[[str], Any]) -> None:
    report = opened("gen_heap_dump")
    view = report.view("Classes")
    node = view.resolve("object:116")
    assert view.row(node).label == "org.acme.shop.Session"
    labels = {link.label: (link.view, link.ref) for link in view.links(node)}
    assert labels["thread that allocated it"] == ("Threads", "thread:105")
    assert labels["the object"] == ("Objects", "object:116")
    assert labels["when it was allocated"][0] == "Time line"
    assert report.view("Objects").find_key(view.key(node)) == report.view("Objects").resolve("object:116")
    assert view.find_key(report.view("Dominators").key(report.view("Dominators").resolve("object:116"))) == node
    ways = [report.view("Objects").row(each).label for each in view.why(node).nodes]
    assert ways == ["org.acme.shop.Session"]


def test_zeros_reported_by_an_agent_are_no_points(opened: Callable[[str], Any]) -> None:
    report = opened("gen_heap_late_frees_zero_gc")
    view = report.view("Collections")
    assert [column.name for column in view.series] == ["live_bytes", "freed_bytes"]
    told = [row.text for section in view.sections(0) for row in section.rows if row.label == "reported"]
    assert told == ["nothing: the agent did not know the contents of the heap"]
    view.choose("numbers", "objects")
    assert sum(view.numbers(column)[0] for column in view.series if column.name == "late_frees") > 0


def test_a_collection_is_found_by_its_offset_and_by_a_moment(opened: Callable[[str], Any]) -> None:
    view = opened("agent_heap_small").view("Collections")
    refs = [view.row(node).ref for node in range(view.points)]
    assert [view.resolve(ref) for ref in refs] == [0, 1, 2, 3, 4]
    assert view.find_key(view.key(3)) == 3
    finish = TRUTHS["agent_heap_small"]["sessions"][0]["heap"]["collections"][2]["finish"]
    assert view.resolve(f"moment:{finish // 10**9}.{finish % 10**9:09}") == 2


def test_recordings_are_compared_by_class(coffeetree: Run, tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    old.mkdir()
    new.mkdir()
    before = written(old, *CLASSES, allocated(10, 2, 16))
    after = written(new, *CLASSES, allocated(10, 2, 16), allocated(11, 3, 32), collected(1, 10))
    answer = coffeetree("diff", "--json", before, after)
    (changed,) = [row["badges"] for row in answer.rows if row["kind"] == "class"]
    assert answer.status == 1
    # One object of 16 bytes was removed, one of 32 added.
    assert (changed["active_size"], changed["active_size_change"]) == (32, 16)
    assert (changed["live_change"], changed["total_change"]) == (0, 1)


def test_two_heap_dumps_of_a_recording_are_compared(tmp_path: Path, opened: Callable[[str], Any]) -> None:
    dumps = [
        f'<heapDumpDef heapDumpId="{90 + number}" name="made" time="9.{number}"/>'
        f'<gcRoot heapDumpIdRef="{90 + number}" objIdRef="10" type="THREAD"/>'
        for number in (1, 2)
    ]
    path = written(tmp_path, *CLASSES, allocated(10, 2, 16), dumps[0], allocated(11, 3, 32), dumps[1])
    report = opened(path)
    view = report.view("Dumps")
    changes = [(row.label, row.badges["bytes"], row.badges.get("change")) for row in rows_of(view, "dump")]
    assert changes == [
        ("dump 1, made, 1970-01-01 00:00:09.100000000", 16, None),
        ("dump 2, made, 1970-01-01 00:00:09.200000000", 48, 32),
    ]
    dominators = report.view("Dominators")
    dumps = dominators.tree.roots()
    assert [dominators.row(node).ref for node in dumps] == ["dump:91", "dump:92"]
    assert [dominators.row(node).badges["retained"] for node in dumps] == [16, 16]
    below = [dominators.tree.children(node)[0] for node in dumps]
    assert [dominators.row(node).ref for node in below] == ["dump:91/object:10", "dump:92/object:10"]
    assert [dominators.path(dominators.resolve(f"dump:{id}/object:10")) for id in (91, 92)] == [
        [dump, object] for dump, object in zip(dumps, below, strict=True)
    ]
    dominators.choose("merge", "by class")
    dominators.choose("dump", "dump 1, made, 1970-01-01 00:00:09.100000000")
    assert dominators.resolve("dump:91/object:10") == 0
    assert report.view("Unreachable").row(1).label.startswith("dump 2")


VIEWS = ("Classes", "Collections", "Dumps", "Roots", "Objects", "Referrers", "Unreachable", "Dominators", "Suspects")


@pytest.mark.parametrize("name", ["gen_heap_dump", "gen_all_two_members_zip"])
@pytest.mark.parametrize("view", VIEWS)
def test_rows_are_found_by_their_refs_and_links_are_valid(name: str, view: str, opened: Callable[[str], Any]) -> None:
    report = opened(name)
    shown = report.view(view)
    nodes = list(shown.tree.roots()[:20])
    nodes += [child for node in nodes[:8] for child in shown.tree.children(node)[:4]]
    for node in nodes:
        row = shown.row(node)
        assert shown.row(shown.resolve(row.ref)).ref == row.ref
        ways = [(link.ref, link.view) for link in shown.links(node)]
        ways += [(each.ref, each.view) for section in shown.sections(node) for each in section.rows if each.ref]
        for ref, to in ways:
            found, place = report.locate(ref, to)
            assert found.tree.row(place).node == place


def test_objects_without_a_class_are_in_their_own_session(tmp_path: Path, opened: Callable[[str], Any]) -> None:
    nameless = '<objAlloc threadIdRef="1" time="2.5" isArray="false" objId="40" size="8"/>'
    path = written(tmp_path, allocated(10, 2, 16), nameless, "</TRACE><TRACE>", nameless, nameless)
    view = opened(path).view("Classes")
    rows = [row for row in rows_of(view, "class") if row.label == "(class not recorded)"]
    assert [(session_of(row.ref), row.badges["live"], len(view.tree.children(row.node))) for row in rows] == [
        (1, 1, 1),
        (2, 2, 2),
    ]
