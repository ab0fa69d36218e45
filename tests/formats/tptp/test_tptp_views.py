"""Call tree, Flow, Methods and Elements of small recordings, asked through the headless commands."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import Answer

from parsers.io.cache import Cache
from parsers.query.search.pattern import exact_pattern
from parsers.runtime.opening import open_report
from parsers.views.collection import chosen_for

Run = Callable[..., Answer]

HEAD = (
    '<node nodeId="n" hostname="secret.example.org" ipaddress="192.0.2.7" timezone="0" time="100.000000000"/>'
    '<agentCreate agentId="a" version="1.000" agentName="Agent" agentParameters="server=standalone,file=/home/x/log"/>'
    '<traceStart traceId="t" agentIdRef="a" time="100.000000000"/>'
    '<filter pattern="org.acme" mode="INCLUDE" genericPattern="SUFFIX" methodPattern="" methodMode="INCLUDE"'
    ' methodGenericPattern="PREFIX"/><option key="TRACE_MODE" value="noObjectCorrelation"/>'
    '<option key="MONITOR_MODE" value="none"/><option key="MORE" value="1"/><option key="MORE" value="2"/>'
    '<option key="EXTENSION_LIBRARY" value="/home/x/lib.so"/>'
)
THREAD = '<threadStart threadId="8" time="100.000000000" threadName="main" groupName="g" parentName="s" objIdRef="0"/>'
CLASS = '<classDef name="org.acme.View" sourceName="View.java" classId="5" time="100.000000000"/>'
METHODS = "".join(
    f'<methodDef name="{name}" signature="(I)V" startLineNumber="{id}" endLineNumber="9" methodId="{id}"'
    ' classIdRef="5"/>'
    for id, name in ((1, "a"), (2, "b"), (3, "-init-"))
)


def entry(method: int, ticket: int, seconds: float, depth: int = 1) -> str:
    """Method `method` is called by thread 8."""
    return (
        f'<methodEntry threadIdRef="8" time="{100 + seconds:.9f}" methodIdRef="{method}" classIdRef="5"'
        f' ticket="{ticket}" stackDepth="{depth}"/>'
    )


def leave(method: int, ticket: int, seconds: float) -> str:
    """It returns."""
    return (
        f'<methodExit threadIdRef="8" methodIdRef="{method}" classIdRef="5" ticket="{ticket}"'
        f' time="{100 + seconds:.9f}" overhead="0.000001000"/>'
    )


CALLS = (
    entry(1, 1, 0, 3)
    + entry(2, 2, 1) + leave(2, 2, 2)
    + entry(2, 3, 2) + leave(2, 3, 3)
    + entry(3, 4, 3) + leave(3, 4, 5)
    + leave(1, 1, 10)
)  # fmt: skip
RECORDING = f'<?xml version="1.0"?>\n<TRACE>\n{HEAD}{THREAD}{CLASS}{METHODS}{CALLS}'
A, B, INIT = ("org.acme.View.a(int):void", "org.acme.View.b(int):void", "org.acme.View.<init>(int):void")


@pytest.fixture
def recorded(tmp_path: Path) -> Callable[[str], Path]:
    """A file with a text."""

    def write(text: str, name: str = "log.trcxml") -> Path:
        path = tmp_path / name
        path.write_text(text, "utf-8")
        return path

    return write


def drawn(rows: list[Any], *names: str) -> list[str]:
    """Rows indented, with some of their badges."""
    lines = []
    for row in rows:
        badges = [str(row["badges"].get(name)) for name in names]
        lines.append("  " * row["depth"] + " ".join([row["label"], *badges]))
    return lines


def flow_of(coffeetree: Run, path: Path, *more: str) -> list[str]:
    rows = coffeetree("tree", "--json", "--view", "Flow", "--depth", "all", *more, path).rows
    return drawn(rows, "times", "took")


def test_the_flow_is_the_calls_in_their_order_with_repetitions_folded(recorded: Any, coffeetree: Run) -> None:
    second = 1_000_000_000
    assert flow_of(coffeetree, recorded(RECORDING)) == [
        "main None None",
        f"  {A} None {10 * second}",
        f"    {B} 2 {2 * second}",
        f"    {INIT} None {2 * second}",
    ]
    assert len(flow_of(coffeetree, recorded(RECORDING), "--switch", "repetitions=each")) == 5


def test_the_call_tree_shows_total_and_own_time_of_calls(recorded: Any, coffeetree: Run) -> None:
    rows = coffeetree("tree", "--json", "--view", "Call tree", "--depth", "all", recorded(RECORDING)).rows
    second = 1_000_000_000
    assert drawn(rows, "total", "self", "calls", "overhead") == [
        f"{A} {10 * second} {6 * second} 1 1000",
        f"  {B} {2 * second} {2 * second} 2 2000",
        f"  {INIT} {2 * second} {2 * second} 1 1000",
    ]


def test_callers_share_the_cumulative_time(recorded: Any, coffeetree: Run) -> None:
    rows = coffeetree("tree", "--json", "--view", "Callers", "--depth", "all", recorded(RECORDING)).rows
    second = 1_000_000_000
    assert drawn(rows, "total") == [
        f"{A} {10 * second}",
        f"{B} {2 * second}",
        f"  {A} {2 * second}",
        f"{INIT} {2 * second}",
        f"  {A} {2 * second}",
    ]


def test_a_call_that_never_returned_counts_with_what_it_called(recorded: Any, coffeetree: Run) -> None:
    text = RECORDING.removesuffix(leave(1, 1, 10))
    path = recorded(text)
    tree = coffeetree("tree", "--json", "--view", "Call tree", "--depth", "0", path).rows
    assert drawn(tree, "total", "self") == [f"{A} 4000000000 0"]
    flow = coffeetree("tree", "--json", "--view", "Flow", "--depth", "1", path).rows
    assert [(row["label"], row["flags"], row["badges"].get("took")) for row in flow[1:2]] == [(A, ["truncated"], None)]
    methods = coffeetree("tree", "--json", "--view", "Methods", "--depth", "0", path).rows
    assert {row["label"]: row["badges"].get("unfinished") for row in methods} == {A: 1, B: None, INIT: None}


def test_measured_times_are_shown_where_the_clock_steps_back(recorded: Any, coffeetree: Run) -> None:
    calls = entry(1, 1, 0) + entry(2, 2, 1) + leave(2, 2, 5) + leave(1, 1, 3)
    path = recorded(f"<TRACE>{HEAD}{THREAD}{CLASS}{METHODS}{calls}")
    tree = coffeetree("tree", "--json", "--view", "Call tree", "--depth", "all", path).rows
    assert drawn(tree, "total", "self") == [f"{A} 3000000000 -1000000000", f"  {B} 4000000000 4000000000"]


def test_an_exit_without_entry_is_a_row_that_shows_it(recorded: Any, coffeetree: Run) -> None:
    path = recorded(f"<TRACE>{HEAD}{THREAD}{CLASS}{METHODS}{leave(1, 7, 1)}{CALLS}")
    rows = coffeetree("tree", "--json", "--view", "Flow", "--depth", "1", path).rows
    assert [(row["label"], row["flags"]) for row in rows[1:]] == [(A, ["partial"]), (A, [])]
    assert coffeetree("info", "--json", path).json["problems"] == []
    method = coffeetree("tree", "--json", "--view", "Methods", "--depth", "0", path).rows[0]
    assert (method["label"], method["badges"]["calls"], method["badges"]["no_entry"]) == (A, 1, 1)


def test_a_method_that_was_not_defined_is_shown_by_its_id(recorded: Any, coffeetree: Run) -> None:
    path = recorded(f"<TRACE>{HEAD}{THREAD}{CLASS}{entry(4, 1, 0)}{leave(4, 1, 1)}")
    rows = coffeetree("tree", "--json", "--view", "Methods", "--depth", "0", path).rows
    assert [(row["label"], row["flags"]) for row in rows] == [("method #4 (not defined)", ["unknown"])]


@pytest.mark.parametrize(
    ("rows", "wanted"),
    [
        ("by class", ["org.acme.View 4", f"  {A} 1", f"  {B} 2", f"  {INIT} 1"]),
        ("by package", ["org.acme 4", f"  {A} 1", f"  {B} 2", f"  {INIT} 1"]),
        ("by thread", ["main 4", f"  {A} 1", f"  {B} 2", f"  {INIT} 1"]),
        ("by method", [f"{A} 1", "  main 1", f"{B} 2", "  main 2", f"{INIT} 1", "  main 1"]),
    ],
)
def test_methods_are_grouped_by_class_package_and_thread(
    recorded: Any, coffeetree: Run, rows: str, wanted: list[str]
) -> None:
    path = recorded(RECORDING)
    found = coffeetree("tree", "--json", "--view", "Methods", "--switch", f"rows={rows}", "--depth", "all", path).rows
    assert drawn(found, "calls") == wanted


def test_a_method_shows_callers_callees_and_its_calls(recorded: Any, coffeetree: Run) -> None:
    path = recorded(RECORDING)
    shown = coffeetree("show", "--json", "--view", "Methods", path, f"method:{B}").json
    titles = {section["title"]: [row["label"] for row in section["rows"]] for section in shown["sections"]}
    assert titles["Callers (1)"] == ["View.a"]
    assert titles["Calls (2), the longest first"] == ["1.000 s", "1.000 s"]
    assert coffeetree("show", "--json", "--view", "Methods", path, "method:2").json["row"]["label"] == B
    refs = coffeetree("refs", "--json", "--view", "Methods", path, f"method:{B}").rows
    assert [(row["label"], row["badges"]["times"]) for row in refs] == [(B, 2)]


def test_suppressed_methods_are_folded_in_trees_and_hidden_in_the_flow(recorded: Any, coffeetree: Run) -> None:
    path = recorded(RECORDING)
    pattern = ("--suppress-methods", f"{A}")
    tree = coffeetree("tree", "--json", "--view", "Call tree", "--depth", "all", *pattern, path).rows
    assert [row["label"] for row in tree if row["kind"] == "method"] == [B, INIT]
    flow = coffeetree("tree", "--json", "--view", "Flow", "--depth", "all", *pattern, path).rows
    assert [(row["label"], row["flags"]) for row in flow[1:]] == [(A, ["suppressed"])]


def test_a_call_is_found_by_its_offset_and_leads_to_thread_method_and_element(recorded: Any, coffeetree: Run) -> None:
    path = recorded(RECORDING)
    offset = RECORDING.index(entry(3, 4, 3))
    shown = coffeetree("show", "--json", path, f"call:{offset}").json
    assert shown["row"]["label"] == INIT
    assert [row["label"] for row in shown["path"]] == ["main", A, INIT]
    links = {(link["view"], link["ref"]) for link in shown["links"]}
    assert {("Threads", "thread:8"), ("Methods", "method:3"), ("Elements", f"element:{offset}")} <= links


def test_elements_are_counted_by_name_and_shown_as_they_are_written(recorded: Any, coffeetree: Run) -> None:
    text = f"<TRACE>{HEAD}<vendorEvent x='1'/>{THREAD}{CLASS}{METHODS}{CALLS}</TRACE>"
    path = recorded(text)
    rows = coffeetree("tree", "--json", "--view", "Elements", "--depth", "0", path).rows
    counts = {row["label"]: row["badges"]["count"] for row in rows}
    assert (counts["methodEntry"], counts["option"], counts["all elements in their order"]) == (4, 5, 23)
    assert next(row["flags"] for row in rows if row["label"] == "vendorEvent") == ["unknown"]
    offset = text.index(CLASS)
    shown = coffeetree("show", "--json", path, f"element:{offset + 10}").json
    assert (shown["row"]["ref"], shown["row"]["label"], shown["row"]["kind"]) == (
        f"element:{offset}",
        CLASS,
        "classDef",
    )


def test_each_element_of_the_file_is_a_row_in_its_order(recorded: Any, coffeetree: Run) -> None:
    path = recorded(RECORDING)
    rows = coffeetree("tree", "--json", "--view", "Elements", "--at", "name:all elements in their order", path).rows
    assert [row["offset"] for row in rows[1:]] == [found.start() for found in re.finditer("<[a-z]", RECORDING)]
    for row in rows[-13:]:
        assert RECORDING.startswith(row["label"], row["offset"])


def test_text_is_found_in_elements(recorded: Any, coffeetree: Run) -> None:
    path = recorded(RECORDING)
    rows = coffeetree("find", "--json", path, 'ticket="2"').rows
    assert [row["kind"] for row in rows] == ["methodEntry", "methodExit"]
    assert coffeetree("find", "--count", path, "<methodDef").out == "3\n"
    assert coffeetree("find", path, "<methodDef.*<methodDef", "--regex").status == 1


def test_text_is_found_in_a_file_in_utf_16(tmp_path: Path, coffeetree: Run) -> None:
    path = tmp_path / "log.trcxml"
    text = RECORDING.replace("org.acme.View", "org.acme.Übung").replace('"1.0"?', '"1.0" encoding="UTF-16"?', 1)
    path.write_bytes(text.encode("utf-16"))
    assert [row["kind"] for row in coffeetree("find", "--json", path, "Übung").rows] == ["classDef"]
    encoding = coffeetree("info", "--json", path).json["facts"]["encoding"]
    assert encoding == "UTF-16, named; offsets count bytes of its text in UTF-8"


@pytest.mark.parametrize("text", ['ticket="2"', "method", "<methodExit", "name", "nowhere at all"])
def test_a_filter_leaves_the_elements_that_hold_a_text(recorded: Any, text: str) -> None:
    report = open_report([str(recorded(RECORDING))], cache=Cache(keep=False))
    try:
        report.wait()
        view: Any = report.view("Elements")
        matching = view.row_filters().matching(exact_pattern(text, "text")).tolist()
        assert matching == [text in label for label in view.labels(0, view.row_count)]
    finally:
        report.close()


def test_names_lead_to_the_view_that_has_them(recorded: Any, coffeetree: Run) -> None:
    rows = coffeetree("find", "--json", "--name", recorded(RECORDING), "View.b").rows
    assert [(row["kind"], row["label"]) for row in rows] == [("method", B)]


def test_host_names_and_paths_are_printed_on_request(recorded: Any, coffeetree: Run) -> None:
    path = recorded(RECORDING)
    elements = ("tree", "--view", "Elements", "--depth", "all")
    for answer in (coffeetree("info", "--json", path), coffeetree(*elements, path), coffeetree("find", path, "secret")):
        assert answer.out
        assert not re.search(r"secret\.example|192\.0\.2\.7|/home/x", answer.out)
    assert "secret.example.org" in coffeetree("info", "--json", "--private", path).out
    assert "/home/x/lib.so" in coffeetree("tree", "--private", "--view", "Elements", "--depth", "1", path).out


def test_host_names_of_a_folder_are_printed_on_request(recorded: Any, coffeetree: Run) -> None:
    folder = recorded(RECORDING).parent
    each = coffeetree("info", "--json", "--each", folder)
    assert each.rows and "secret.example.org" not in each.out
    assert "secret.example.org" in coffeetree("info", "--json", "--each", "--private", folder).out


def test_data_not_recorded_has_a_reason(recorded: Any, coffeetree: Run) -> None:
    path = recorded(RECORDING)
    info = coffeetree("info", "--json", path).json
    assert (
        "Classes: objects were not recorded: option TRACE_MODE was noObjectCorrelation" in info["facts"]["not_recorded"]
    )
    assert "Classes" not in [view["name"] for view in info["views"]]
    refused = coffeetree("tree", "--view", "Monitors", path)
    assert refused.status == 2
    assert "there is nothing for 'Monitors': monitors were not recorded: option MONITOR_MODE was none" in refused.err


def test_the_browser_lists_views_that_are_not_there_with_their_reason(recorded: Any) -> None:
    report: Any = open_report([str(recorded(RECORDING))], cache=Cache(keep=False))
    try:
        assert report.missing_views == {}
        report.wait()
        assert report.missing_views["Monitors"] == "monitors were not recorded: option MONITOR_MODE was none"
        assert not set(report.missing_views) & set(report.views.names)
    finally:
        report.close()


def test_options_are_a_list_as_a_key_may_repeat(recorded: Any, coffeetree: Run) -> None:
    facts = coffeetree("info", "--json", recorded(RECORDING)).json["facts"]
    assert [each for each in facts["options"] if each[0] == "MORE"] == [["MORE", "1"], ["MORE", "2"]]


def test_sessions_contain_their_rows(recorded: Any, coffeetree: Run) -> None:
    path = recorded(RECORDING + f"</TRACE><TRACE>{HEAD}{THREAD}{CLASS}{METHODS}{CALLS}")
    for view in ("Flow", "Methods"):
        rows = coffeetree("tree", "--json", "--view", view, "--depth", "0", path).rows
        assert [(row["ref"], row["kind"]) for row in rows] == [("session:1", "session"), ("session:2", "session")]
    shown = coffeetree("show", "--json", "--view", "Flow", path, "run:2/thread:8").json
    assert shown["path"][0]["ref"] == "session:2"
    tree = coffeetree("tree", "--json", "--view", "Call tree", "--switch", "dump=session 2", "--depth", "0", path).rows
    assert drawn(tree, "total", "calls") == [f"{A} 10000000000 1"]


def test_a_reused_id_is_distinguished_by_its_definition(recorded: Any, coffeetree: Run) -> None:
    text = f"<TRACE>{HEAD}{THREAD}{CLASS}{METHODS}{CALLS}" + '<threadEnd threadIdRef="8" time="120.000000000"/>'
    again = THREAD.replace("main", "other")
    path = recorded(text + again + CALLS)
    rows = coffeetree("tree", "--json", "--view", "Flow", "--depth", "0", path).rows
    assert [(row["label"], row["ref"]) for row in rows] == [("main", "thread:8"), ("other", f"thread:8@{len(text)}")]
    assert coffeetree("show", "--json", "--view", "Flow", path, rows[1]["ref"]).json["row"]["label"] == "other"


def test_calls_are_exported_as_stacks(recorded: Any, coffeetree: Run) -> None:
    path = recorded(RECORDING)
    collapsed = coffeetree("export", "--to", "collapsed", path, "-").out
    assert collapsed.splitlines() == [
        f"{A} 6000000000",
        f"{A};{B} 2000000000",
        f"{A};{INIT} 2000000000",
    ]
    document = json.loads(coffeetree("export", "--to", "speedscope", path, "-").out)
    assert [(each["name"].rpartition(": ")[2], each["unit"]) for each in document["profiles"]] == [
        ("base", "nanoseconds"), ("calls", "none"), ("overhead", "nanoseconds"),
    ]  # fmt: skip
    flow = coffeetree("export", "--to", "collapsed", "--view", "Flow", path, "-").out
    assert flow.splitlines()[0] == f"main;{A} 6000000000"


def test_the_resolution_of_the_clock_is_shown(recorded: Any, coffeetree: Run) -> None:
    assert "1 s" in coffeetree("info", "--json", recorded(RECORDING)).json["facts"]["clock"]


def test_a_cut_element_is_a_problem_and_no_end_mark_is_none(recorded: Any, coffeetree: Run) -> None:
    assert coffeetree("info", recorded(RECORDING)).status == 0
    cut = coffeetree("info", "--json", recorded(RECORDING + "<methodEntry threadId", "cut.trcxml"))
    assert (cut.status, [problem["kind"] for problem in cut.json["problems"]]) == (3, ["cut element"])


def test_the_first_rows_come_from_the_head_and_stay_where_they_are(recorded: Any) -> None:
    report = open_report([str(recorded(RECORDING))], cache=Cache(keep=False))
    try:
        threads, elements = report.view("Threads"), report.view("Elements")
        assert [threads.tree.row(node).label for node in threads.tree.roots()] == ["main"]
        assert (threads.is_ready, report.is_complete) == (True, False)
        renew: Any = elements.renew
        assert renew() is None
        last = elements.tree.preorder.rows - 1
        text = elements.tree.row(last).label
        report.wait()
        place = renew()
        assert elements.tree.row(place(last)).label == text
        assert elements.tree.row(place(0)).label == "node"
        assert "time_ns" in threads.tree.row(0).badges
    finally:
        report.close()


def test_links_lead_only_to_existing_nodes_and_to_the_element_of_an_event(recorded: Any, coffeetree: Run) -> None:
    path = recorded(RECORDING)

    def ways(*words: str) -> list[tuple[str, str]]:
        return [(link["label"], link["ref"]) for link in coffeetree("show", "--json", path, *words).json["links"]]

    thread, class_at = RECORDING.index("<threadStart"), RECORDING.index("<classDef")
    assert ways("--view", "Threads", "thread:8") == [
        ("in Time line", "thread:8"),
        ("its calls in order", "thread:8"),
        ("its calls together", "thread:8"),
        ("the element in the file", f"element:{thread}"),
    ]
    # "Classes" is not there, as no object was recorded: their ids lead to their methods.
    assert ("classIdRef 5", "class:5") in ways(f"element:{RECORDING.index('<methodDef')}")
    assert ways(f"element:{class_at}") == [("classId 5", "class:5")]
    without_methods = recorded(RECORDING.replace(METHODS, "").replace(CALLS, ""), "short.trcxml")
    assert coffeetree("show", "--json", without_methods, f"element:{class_at}").json["links"] == []


def test_a_class_leads_to_its_methods_and_they_to_their_class(recorded: Any, coffeetree: Run) -> None:
    object = '<objAlloc threadIdRef="8" time="100.5" isArray="false" objId="70" size="16" classIdRef="5"/>'
    path = recorded(RECORDING + object)

    def ways(*words: str) -> dict[str, tuple[str, str]]:
        links = coffeetree("show", "--json", path, *words).json["links"]
        return {link["label"]: (link["view"], link["ref"]) for link in links}

    assert ways("--view", "Classes", "class:5")["its methods"] == ("Methods", "class:org.acme.View")
    assert ways("--view", "Methods", "method:3")["objects of its class"] == ("Classes", "class:5")
    # Asked for a class, "Methods" shows it with its methods below it.
    rows = coffeetree("tree", "--json", "--view", "Methods", "--at", "class:org.acme.View", path).rows
    assert [(row["kind"], row["depth"]) for row in rows] == [("class", 0), *[("method", 1)] * 3]


def test_a_thread_leads_to_its_own_call_tree(recorded: Any, coffeetree: Run) -> None:
    other = '<threadStart threadId="9" time="100.0" threadName="other" groupName="g" parentName="s" objIdRef="0"/>'
    calls = (entry(2, 10, 1) + leave(2, 10, 2)).replace('threadIdRef="8"', 'threadIdRef="9"')
    path = recorded(RECORDING + other + calls)
    rows = coffeetree("tree", "--json", "--view", "Call tree", "--at", "thread:9", path).rows
    assert [(row["label"], row["badges"]["calls"]) for row in rows] == [(B, 1)]

    cache = Cache()
    report = open_report([str(path)], cache=cache)
    report.wait()
    view: Any = report.view("Call tree")
    view.choose("thread", "other 9")
    # Whoever goes to a method that it does not call wants to see all threads.
    assert chosen_for(view, f"method:{A}") == {"thread": "all"}
    assert chosen_for(view, f"method:{B}") == {}
    report.close()


def test_the_element_that_ends_something_leads_to_it(recorded: Any, coffeetree: Run) -> None:
    lock = (
        '<monContendedEnter threadIdRef="8" objIdRef="70" time="100.5"/>',
        '<monContendedEntered threadIdRef="8" objIdRef="70" time="100.7"/>',
        '<gcStart time="100.8"/>',
        '<gcFinish time="100.9"/>',
    )
    text = RECORDING + "".join(lock)
    path = recorded(text)

    def leads(element: str) -> tuple[str, str]:
        links = coffeetree("show", "--json", path, f"element:{text.index(element)}").json["links"]
        return links[0]["view"], links[0]["ref"]

    assert leads(leave(2, 3, 3)) == ("Flow", f"call:{text.index(entry(2, 3, 2))}")
    assert leads(lock[1]) == ("Threads", f"state:{text.index(lock[0])}")
    assert leads(lock[3]) == ("Collections", f"collection:{text.index(lock[2])}")


def test_a_method_of_which_no_call_was_seen_leads_to_no_call(recorded: Any, coffeetree: Run) -> None:
    path = recorded(RECORDING + leave(77, 99, 11))
    label = "method #77 (not defined)"
    links = coffeetree("show", "--json", "--view", "Methods", path, f"method:{label}").json["links"]
    assert [link["view"] for link in links] == ["Flow"]
    exit_alone = coffeetree("show", "--json", "--view", "Flow", path, f"method:{label}").json["links"]
    assert "Call tree" not in [link["view"] for link in exit_alone]


def test_info_spells_options_and_facts_of_each_session(recorded: Any, coffeetree: Run) -> None:
    alone = coffeetree("info", recorded(RECORDING)).out.splitlines()
    both = coffeetree("info", recorded(f"{RECORDING}</TRACE>\n{RECORDING}</TRACE>", "two.trcxml")).out.splitlines()

    options = next(line for line in alone if line.startswith("options "))
    assert "TRACE_MODE=noObjectCorrelation, MONITOR_MODE=none, MORE=1, MORE=2" in options
    for number in (1, 2):
        assert any(line.startswith(f"sessions {number} · options ") and "MORE=1, MORE=2" in line for line in both)


def test_methods_without_any_call_are_listed(recorded: Any, coffeetree: Run) -> None:
    path = recorded(f"<TRACE>{HEAD}{THREAD}{CLASS}{METHODS}")
    told = coffeetree("info", "--json", path)
    assert (told.status, "unexpected" in told.err) == (0, False)
    rows = coffeetree("tree", "--json", "--view", "Methods", "--depth", "all", path).rows
    assert {A, B, INIT} <= {row["label"] for row in rows}


@pytest.mark.parametrize("kind", ["state", "call", "collection", "thread", "session", "moment", "element", "monitor"])
def test_no_number_of_a_ref_is_too_long(recorded: Any, coffeetree: Run, kind: str) -> None:
    answer = coffeetree("show", recorded(RECORDING), f"{kind}:{'9' * 5000}")
    assert (answer.status, "unexpected" in answer.err) == (2, False)


def test_durations_that_exceed_64_bits_together_do_no_harm(recorded: Any, coffeetree: Run) -> None:
    calls = "".join(entry(1, ticket, -100) + leave(1, ticket, 9_000_000_000) for ticket in range(1, 9))
    answer = coffeetree(
        "tree", "--json", "--view", "Flow", "--depth", "all", recorded(HEAD + THREAD + CLASS + METHODS + calls)
    )
    assert (answer.status, [row["badges"].get("times") for row in answer.rows]) == (0, [None, 8])
