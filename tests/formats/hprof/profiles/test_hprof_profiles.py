"""Profiles of the samples: sums of the file, of each method, of trees; dumps, threads, sites."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from conftest import TESTS
from text_samples import open_recording, recording_of

from parsers.formats.hprof.data.columns import CPU_SAMPLES, CPU_TIME, SITES_KIND
from parsers.formats.hprof.profiles.views import profile_makers
from parsers.model.view import UnknownReference
from parsers.profile.views.call_views import CallView
from parsers.profile.views.cost_view import CostView
from parsers.profile.views.profile_view import ProfileView

CORPUS = TESTS / "corpus" / "hprof"
TRUTH: dict[str, Any] = json.loads((CORPUS / "truth.json").read_text("utf-8"))
TEXTS = [
    name
    for name in TRUTH
    if name.startswith("text/")
    and any(each["kind"] in ("CPU SAMPLES", "CPU TIME", "SITES") for each in TRUTH[name]["sections"])
]
SAMPLED = [name for name in TEXTS if TRUTH[name].get("methods_self")]

Views = Callable[[str], dict[str, ProfileView]]


@pytest.fixture
def views() -> Views:
    """The views of a sample that it has something for."""

    def make(name: str) -> dict[str, ProfileView]:
        recording = recording_of(name)
        there = set(recording.column("section_kind"))
        needs = {"CPU samples": {CPU_SAMPLES}, "CPU time": {CPU_TIME}, "Allocation sites": {SITES_KIND}}
        makers = profile_makers(recording)
        trees = {CPU_SAMPLES, CPU_TIME, SITES_KIND}
        return {title: cast(ProfileView, maker()) for title, maker in makers.items() if needs.get(title, trees) & there}

    return make


def rows(view: ProfileView) -> list[Any]:
    """The rows at the top."""
    return [view.row(node) for node in view.tree.roots()]


@pytest.mark.parametrize("name", TEXTS, scope="module")
def test_sums_are_those_of_the_file(name: str, views: Views) -> None:
    for view in views(name).values():
        sums = view.profile.sums[0]
        if isinstance(view, CallView):
            merged = view.merged
            assert int(merged.total[0][merged.parent < 0].sum()) == sums
            assert int(merged.own[0].sum()) == sums
        else:
            assert isinstance(view, CostView)
            on_top = sum(int(view.ranked.found.own[0][group]) for group in view.ranked.order)
            assert on_top == sums + view.ranked.missing
            assert view.ranked.missing == (max(view.bases[0] - sums, 0) if "CPU" in view.name else 0)


@pytest.mark.parametrize("name", SAMPLED, scope="module")
def test_counts_of_samples_are_those_of_the_truth(name: str, views: Views) -> None:
    view = views(name)["CPU samples"]

    assert view.profile.sums[0] == sum(
        each["count"] for each in TRUTH[name]["sections"] if each["kind"] == "CPU SAMPLES"
    )


@pytest.mark.parametrize("name", SAMPLED, scope="module")
def test_costs_of_methods_equal_the_truth(name: str, views: Views) -> None:
    view = views(name)["CPU samples"]
    found = {row.label: row.badges for row in rows(view)}

    for each in TRUTH[name]["methods_self"]:
        assert found[each["method"]]["self"] == each["count"]
    for each in TRUTH[name]["methods_total"]:
        assert found[each["method"]]["total"] == each["count"]


@pytest.mark.parametrize("name", SAMPLED, scope="module")
def test_rows_as_written_are_those_of_the_file(name: str, views: Views) -> None:
    view = views(name)["CPU samples"]
    view.choose("merge", "as written")

    section = next(each for each in TRUTH[name]["sections"] if each["kind"] == "CPU SAMPLES")
    for node, line in enumerate(section["first"]):
        row = view.row(node)
        assert (row.badges["rank"], row.badges["self"]) == (node + 1, line["count"])
        assert row.ref == f"trace:{line['trace']}"
        assert row.badges["self_percent"] == pytest.approx(line["percent"], abs=0.006) or "quit" in name


def test_a_dump_alone_and_two_compared(views: Views) -> None:
    view = views("text/quit-samples.txt")["CPU samples"]
    counts = [each["count"] for each in TRUTH["text/quit-samples.txt"]["sections"]]

    assert view.chosen["dump"] == "all"
    assert view.profile.sums[0] == sum(counts)
    view.choose("dump", "2")
    assert view.profile.sums[0] == counts[1]
    view.choose("dump", "1 → 3")
    assert view.profile.sums == [counts[2] - counts[0], counts[0], counts[2]]
    assert [column.name for column in view.columns if column.name in ("before", "after")] == ["before", "after"]


def test_sites_accumulate_from_dump_to_dump(views: Views) -> None:
    view = views("text/quit-sites.txt")["Allocation sites"]
    sections = TRUTH["text/quit-sites.txt"]["sections"]

    assert view.profile.sums[0] == sections[-1]["live_bytes"]
    view.choose("weight", "allocated objects")
    view.choose("dump", "1")
    assert view.profile.sums[0] == sections[0]["allocated_objects"]


@pytest.mark.parametrize("mode", ["by class", "by package", "by trace", "by method", "as written"])
def test_sites_can_be_grouped(mode: str, views: Views) -> None:
    view = views("text/quit-sites.txt")["Allocation sites"]
    view.choose("merge", mode)

    found = rows(view)
    assert sum(row.badges["self"] for row in found) == view.profile.sums[0]

    for node in range(0, view.preorder.rows, 7):
        assert view.labels(node, node + 1) == [view.row(node).label]
    for row in found[:50]:
        if not row.ref.startswith("trace:"):
            assert view.resolve(row.ref) == row.node


def test_a_thread_alone(views: Views) -> None:
    view = views("text/monitors-samples-thread.txt")["CPU samples"]
    whole, threads = view.profile.sums[0], view.switches[-1]

    assert threads.name == "thread"
    parts = []
    for thread in threads.choices[1:]:
        view.choose("thread", thread)
        parts.append(view.profile.sums[0])
    assert sum(parts) == whole


def test_patterns_fold_frames_into_their_callers(views: Views) -> None:
    view = views("text/javac-samples-depth30.txt")["Call tree"]
    before = view.profile.sums[0]

    assert view.fold_frames({"suppress_methods": "com.sun.tools.javac.comp.*"})

    assert not any("javac.comp." in view.row(node).label for node in range(cast(int, view.row_count)))
    assert sum(row.badges["total"] for row in rows(view)) == before
    assert view.fold_frames({})
    assert any("javac.comp." in label for label in view.labels(0, 100))


def test_the_trace_is_in_the_side_pane_of_its_row(views: Views) -> None:
    view = views("text/javac-samples-depth16-thread.txt")["CPU samples"]
    node = view.resolve("trace:300684")

    section = next(each for each in view.sections(node) if each.title.startswith("TRACE"))

    assert section.title == "TRACE 300684  main  323 samples"
    assert section.rows[0].label == " 0 Attr$ResultInfo.check"
    assert section.rows[0].badges == {"line": ":482"}
    assert section.rows[16].label == "cut at depth 16: callers unknown"
    assert view.row(view.resolve(section.rows[3].ref or "")).badges["traces"] == 42
    assert view.key(view.resolve("trace:300684")) == ("trace", view.source.trace_of("trace:300684"))


def test_lines_are_in_the_side_pane_of_a_method(views: Views) -> None:
    view = views("text/javac-samples-depth30.txt")["Call tree"]
    node = view.resolve("method:com.sun.tools.javac.comp.Resolve.selectBest")

    lines = [row for row in view.sections(node)[0].rows if row.label.startswith("line ")]

    assert all(row.label.removeprefix("line ").isdigit() for row in lines)
    assert sum(int(row.text.split()[0].replace(",", "")) for row in lines) == view.row(node).badges["total"]
    view.choose("merge", "by line")
    assert view.row(view.resolve("method:com.sun.tools.javac.comp.Resolve.selectBest")).kind == "frame"


@pytest.mark.parametrize("name", SAMPLED, scope="module")
@pytest.mark.parametrize("title", ["Call tree", "Callers", "Flame", "CPU samples"])
def test_every_choice_makes_a_sound_tree(name: str, title: str, views: Views) -> None:
    view = views(name)[title]
    for switch in view.switches:
        for choice in (*switch.choices[1:4], switch.choices[0]):
            view.choose(switch.name, choice)
            count = cast(int, view.row_count)
            for node in range(0, count, max(1, count // 10)):
                row = view.row(node)
                assert row.depth == view.preorder.depth(node)
                assert view.labels(node, node + 1) == [row.label]
                view.sections(node)
                assert np.isfinite(view.share(0, 1))


def test_missing_parts_are_reported(views: Views) -> None:
    view = views("text/profiletest-samples.txt")["CPU samples"]

    for ref in ("method:no.Such", "trace:1", "trace:x", "node:99999999", "class:a.B"):
        with pytest.raises(UnknownReference):
            view.resolve(ref)
    with pytest.raises(KeyError):
        view.choose("merge", "sideways")


def test_the_same_method_is_found_wherever_it_is_called(views: Views) -> None:
    tree = views("text/javac-samples-depth30.txt")["Call tree"]
    node = tree.resolve("method:com.sun.tools.javac.comp.Resolve.selectBest")

    found = tree.references(node).nodes

    assert found[0] == node and len(found) > 1
    assert {tree.row(each).label for each in found} == {tree.row(node).label}
    assert list(tree.why(node).nodes) == list(tree.path(node))


@pytest.mark.parametrize("mode", ["by method", "as written"])
def test_a_trace_is_found_below_each_of_its_methods(mode: str, views: Views) -> None:
    view = views("text/profiletest-samples.txt")["CPU samples"]
    view.choose("merge", mode)
    node = view.resolve("trace:300111")

    found = view.references(node).nodes

    assert node in found
    assert {view.key(each) for each in found} == {view.key(node)}


def recorded(text: str, tmp_path: Path) -> ProfileView:
    """CPU samples of a file."""
    path = tmp_path / "java.hprof.txt"
    path.write_text(text, "utf-8")
    return cast(ProfileView, profile_makers(open_recording(str(path)))["CPU samples"]())


def sampled(*dumps: list[int]) -> str:
    """Returns a file with a section of samples for each argument; traces 1, 2, … have these counts."""
    lines = ["JAVA PROFILE 1.0.1, created Sat Nov 21 02:26:20 2026\n\n--------\n\n"]
    lines += [f"TRACE {number}:\n\ta.B.m{number}(B.java:1)\n" for number in range(1, len(dumps[0]) + 1)]
    for counts in dumps:
        total = sum(counts)
        lines.append(
            f"CPU SAMPLES BEGIN (total = {total}) Sat Nov 21 02:26:20 2026\nrank   self  accum   count trace method\n"
        )
        for rank, (count, number) in enumerate(sorted(((c, n) for n, c in enumerate(counts, 1)), reverse=True), 1):
            lines.append(f"{rank:4} {100 * count / total:5.2f}% 99.00% {count:7} {number:5} a.B.m{number}\n")
        lines.append("CPU SAMPLES END\n")
    return "".join(lines)


def section_starts(text: str) -> list[int]:
    return [found.start() for found in re.finditer("CPU SAMPLES BEGIN", text)]


def with_steps(tmp_path: Path, *steps: tuple[str, str, int]) -> None:
    """The steps of the file of `recorded`: event, command, and the offset (of answers where they begin)."""
    events = [{"t": 0, "offset": 0, "event": "accepted", "peer": "127.0.0.1:1"}]
    for event, command, offset in steps:
        more = {"offset": offset + 100, "start": offset} if event == "answered" else {"offset": offset}
        events.append({"t": 1, "event": event, "command": command, **more})
    lines = "".join(json.dumps(event) + "\n" for event in events)
    (tmp_path / "java.hprof.txt.steps").write_text(lines, "utf-8")


GROWN = sampled([5, 4, 3, 2, 1], [9, 4, 3, 2, 1], [9, 9, 9, 2, 2])
"""Three sections, of 15, 19 and 31 samples, in which no trace ever has fewer samples than before."""


def test_dumps_that_the_agent_wrote_add_up_even_if_every_trace_has_more_each_time(tmp_path: Path) -> None:
    assert recorded(GROWN, tmp_path).profile.sums == [15 + 19 + 31]


def test_both_readings_can_be_chosen_if_it_is_unknown_whether_dumps_are_cumulative(tmp_path: Path) -> None:
    view = recorded(GROWN, tmp_path)
    notes = [row.text for row in view.source.notes(view.wanted) if row.label == "dumps"]

    assert notes == ["added up; if they were requested over a socket, choose dump=cumulative"]
    view.choose("dump", "cumulative")
    assert view.profile.sums == [31]
    view.choose("dump", "1")
    assert view.profile.sums == [15]
    view.choose("dump", "1 → 2")
    assert view.profile.sums == [4, 15, 19]


def test_cumulative_can_be_chosen_only_where_it_is_possible(tmp_path: Path) -> None:
    view = recorded(sampled([5, 4, 3, 2, 1], [9, 4, 3, 1, 2]), tmp_path)

    assert view.profile.sums == [34]
    assert [*next(each for each in view.switches if each.name == "dump").choices] == ["all", "1", "2", "1 → 2"]
    assert [row for row in view.source.notes(view.wanted) if row.label == "dumps"] == []


def test_a_small_dump_that_a_large_one_could_hold_is_left_out_only_on_request(tmp_path: Path) -> None:
    view = recorded(sampled([9, 8, 7], [2, 1, 9], [90, 80, 70]), tmp_path)

    assert view.profile.sums == [24 + 12 + 240]
    view.choose("dump", "cumulative")
    assert view.profile.sums == [24 + 240]


def test_samples_that_were_asked_for_over_a_socket_count_once(tmp_path: Path) -> None:
    first, second, _ = section_starts(GROWN)
    with_steps(
        tmp_path,
        ("sent", "samples", first),
        ("answered", "samples", first),
        ("sent", "samples", second),
        ("answered", "samples", second),
    )
    view = recorded(GROWN, tmp_path)

    # The last one is the dump at the end, which includes those before.
    assert view.profile.sums == [31]
    assert "counted once" in " ".join(row.text for row in view.source.notes(view.wanted))
    assert "cumulative" not in next(each for each in view.switches if each.name == "dump").choices


def test_a_dump_of_the_jvm_itself_resets_the_counters_of_a_stream(tmp_path: Path) -> None:
    second = section_starts(GROWN)[1]
    with_steps(tmp_path, ("sent", "samples", second), ("answered", "samples", second))

    assert recorded(GROWN, tmp_path).profile.sums == [15 + 31]


def test_samples_that_were_cleared_in_between_add_up(tmp_path: Path) -> None:
    first, second, third = section_starts(GROWN)
    with_steps(
        tmp_path,
        ("sent", "samples", first),
        ("sent", "clear-samples", first),
        ("answered", "samples", first),
        ("sent", "samples", second),
        ("answered", "samples", second),
        # After the last dump: too late to change anything.
        ("sent", "clear-samples", third + 1),
    )

    assert recorded(GROWN, tmp_path).profile.sums == [15 + 31]


@pytest.mark.parametrize("steps", [b"", b"\0\n[1]\n{", b'{"event": 1}\n', b"[" * 100_000])
def test_invalid_steps_decide_nothing(steps: bytes, tmp_path: Path) -> None:
    (tmp_path / "java.hprof.txt.steps").write_bytes(steps)

    assert recorded(GROWN, tmp_path).profile.sums == [65]


IBM = """JAVA PROFILE 1.0, created Thu Feb 15 14:39:15 2001

--------

TRACE 1:
\ta.B.deep(B.java:1)
\ta.B.run(B.java:2)
CPU SAMPLES BEGIN (95 samples, 96 ticks, depth 1) Thu Feb 15 14:39:33 2001
rank   self  accum   method
   1 50.00% 50.00%   java/lang/String.getChars (II[CI)V
   2 25.00% 75.00%   a/B.<init> (I)V
   3 12.50% 87.50%   a/B.<init> (Ljava/lang/String;)V
CPU SAMPLES END
"""


def test_samples_without_counts_and_traces_are_computed_from_their_shares(tmp_path: Path) -> None:
    view = recorded(IBM, tmp_path)

    found = {row.label: row.badges["self"] for row in rows(view)}

    assert found == {
        "java.lang.String.getChars(int, int, char[], int):void": 48,
        "a.B.<init>(int):void": 24,
        "a.B.<init>(java.lang.String):void": 12,
        "below the cutoff": 12,
    }
    assert ("counts", "computed from the printed shares: the file has no counts") in [
        (row.label, row.text) for row in view.source.notes(view.wanted)
    ]
    view.choose("merge", "by class")
    assert [(row.label, row.badges["self"]) for row in rows(view)][:2] == [("java.lang.String", 48), ("a.B", 36)]


def test_counts_of_many_samples_are_approximate_and_no_rounding_is_taken_for_a_cutoff(tmp_path: Path) -> None:
    head, _, _ = IBM.replace("95 samples, 96 ticks", "170300 samples, 171200 ticks").partition("   1 50")
    shares = "".join(f"   {number} 33.33% {accum}%   a/B.m{number} ()V\n" for number, accum in ((1, 33.33), (2, 66.67)))
    view = recorded(f"{head}{shares}   3 33.33% 100.00%   a/B.m3 ()V\nCPU SAMPLES END\n", tmp_path)

    assert [(row.label, row.badges["self"]) for row in rows(view)] == [(f"a.B.m{n}():void", 57061) for n in (1, 2, 3)]
    assert any("each to within 9" in row.text for row in view.source.notes(view.wanted))


def test_methods_of_samples_without_traces_have_unknown_callers(tmp_path: Path) -> None:
    path = tmp_path / "java.hprof.txt"
    path.write_text(IBM, "utf-8")
    view = cast(CallView, profile_makers(open_recording(str(path)))["Call tree"]())

    assert [(row.label, row.badges["total"]) for row in rows(view)] == [("(stack truncated)", 84)]
    node = view.resolve("method:a.B.<init>(int):void")
    assert (view.tree.row(node).depth, view.tree.row(node).badges["total"]) == (1, 24)
    assert view.sections(node)[1].title == "no trace recorded  24 samples"


def test_only_sites_of_one_class(views: Views) -> None:
    view = views("text/quit-sites.txt")["Callers"]
    whole = view.profile.sums[0]

    parts = []
    switch = next(each for each in view.switches if each.name == "class")
    for name in switch.choices[1:]:
        view.choose("class", name)
        parts.append(view.profile.sums[0])

    assert sum(parts) == whole
    view.choose("class", "char[]")
    sites = views("text/quit-sites.txt")["Allocation sites"]
    row = next(row for row in rows(sites) if row.label == "char[]")
    assert view.profile.sums[0] == row.badges["self"]


def test_samples_have_no_classes_to_choose(views: Views) -> None:
    assert "class" not in views("text/quit-samples.txt")["Callers"].chosen


def test_two_dumps_compared_show_before_after_and_the_change(views: Views) -> None:
    view = views("text/quit-samples.txt")["CPU samples"]
    view.choose("dump", "1 → 3")
    row = view.row(view.resolve("method:ContendedMonitors$Worker.run"))

    assert (row.badges["self"], row.badges["before"], row.badges["after"]) == (6, 31, 37)
    assert row.badges["self_percent"] == pytest.approx(100 * 6 / 31, abs=0.01)
    beside = [(each.label, each.text) for each in view.sections(row.node)[0].rows]
    assert beside[:3] == [
        ("self before", "31 samples, 81.58 %"),
        ("self after", "37 samples, 97.37 %"),
        ("self change", "+6 samples, +19.4 %; +15.79 points of its share"),
    ]
    assert "accum_percent" not in [column.name for column in view.columns]


def test_samples_below_the_cutoff_are_a_row_of_their_own(views: Views) -> None:
    view = views("text/profiletest-samples-cutoff.txt")["CPU samples"]
    last = rows(view)[-1]

    assert (last.label, last.kind) == ("below the cutoff", "unknown")
    assert last.badges["self"] == view.bases[0] - view.profile.sums[0] > 0
    assert sum(row.badges["self"] for row in rows(view)) == view.bases[0]
    view.choose("merge", "as written")
    assert "below the cutoff" not in [row.label for row in rows(view)]


@pytest.mark.parametrize("title", ["Call tree", "Callers"])
@pytest.mark.parametrize("name", SAMPLED, scope="module")
def test_trees_weigh_what_the_table_weighs(name: str, title: str, views: Views) -> None:
    made = views(name)
    table = {row.label: row.badges for row in rows(made["CPU samples"]) if row.kind == "method"}
    tree = made[title]
    assert isinstance(tree, CallView)
    nodes = range(tree.merged.count) if title == "Call tree" else tree.tree.roots()

    own: dict[str, int] = {}
    for node in nodes:
        row = tree.row(node)
        if row.kind == "method" and row.badges["self"]:
            own[row.label] = own.get(row.label, 0) + cast(int, row.badges["self"])

    assert own == {label: badges["self"] for label, badges in table.items() if badges["self"]}


def test_callers_of_a_method_begin_with_it(views: Views) -> None:
    view = views("text/javac-samples-depth16-thread.txt")["Callers"]

    for name in ("com.sun.tools.javac.comp.Resolve.selectBest", "java.lang.Object.hashCode"):
        row = view.row(view.resolve(f"method:{name}"))
        assert (row.label, row.depth) == (name, 0)
