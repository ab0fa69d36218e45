"""What every command keeps to on a sample of each format: switches of views, REFs of rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from conftest import CORPUS, Answer, sample_path

from parsers.model.report import Report
from parsers.model.trees.tree import walk
from parsers.model.view import UnknownReference, View
from parsers.runtime.opening import open_report

Run = Callable[..., Answer]

SAMPLES = [
    sample_path("v24.2_and_25", "call_tree_demo_20250916_101500.txt"),
    sample_path("v24.2_and_25", "object_tree_demo_20250916_101500.txt"),
    *(
        CORPUS.parent / path
        for path in (
            "hotspot/odd_ltgt_17.log.xz",
            "hotspot/two_jvms_17.log.xz",
            "hprof/text/profiletest-samples-thread.txt.xz",
            "hprof/text/profiletest-times.txt.xz",
            "hprof/text/quit-sites.txt.xz",
            "hprof/text/quit-monitors.txt.xz",
            "hprof/text/longnames-dump.txt.xz",
            "hprof/binary/agent-quit-samples.hprof.xz",
            "hprof/heap/two-dumps.hprof.xz",
            "hprof/heap/jdk17.hprof.xz",
            "hprof/heap/contradictions.hprof.xz",
            "hprof/heap/jdk8-killed.hprof.xz",
            "jdkprofilers/quit-old.txt.xz",
            "jdkprofilers/SYNTH_jdk11_java.prof.xz",
            "jdkprofilers/xprof_mixed.txt",
            "jdkprofilers/SYNTH_xaprof.txt",
            "tptp/gen_all_two_members_zip.trcxml",
        )
    ),
]
"""One of each format, and of each sort of sections that a format has."""

SURE_LINKS = (
    "graalvm-call-tree",
    "graalvm-object-tree",
    "hprof-text",
    "hprof-binary",
    "xprof",
    "xaprof",
    "java-prof",
    "tptp-trace",
)

MOST_ROWS = 60
"""Maximum rows of a view that are tested."""


@pytest.fixture(scope="module", params=SAMPLES, ids=[path.name.partition(".")[0] for path in SAMPLES])
def sample(request: pytest.FixtureRequest) -> Path:
    path: Path = request.param
    return path


@pytest.fixture(scope="module")
def report(sample: Path) -> Iterator[Report]:
    """A sample that all tests share: none changes it."""
    report = open_report([str(sample)])
    report.wait()
    yield report
    report.close()


# -- switches ---------------------------------------------------------------------------------------------------------


def test_each_switch_of_each_view_can_be_set_to_each_choice(sample: Path, coffeetree: Run) -> None:
    for view in coffeetree("info", "--json", sample).json["views"]:
        for switch in view["switches"]:
            for choice in switch["choices"][:4]:
                answer = coffeetree(
                    "tree",
                    sample,
                    "--json",
                    "--view",
                    view["name"],
                    "--limit",
                    2,
                    "--switch",
                    f"{switch['name']}={choice}",
                )
                assert answer.status in (0, 3), answer.err
            wrong = coffeetree("tree", sample, "--view", view["name"], "--switch", f"{switch['name']}=there is no such")
            assert (wrong.status, wrong.out) == (2, "")
            assert wrong.err.startswith(f"coffeetree: {switch['name']} can't be 'there is no such': there are ")


def test_a_switch_that_no_view_has_is_refused_in_a_line(sample: Path, coffeetree: Run) -> None:
    answer = coffeetree("tree", sample, "--switch", "colour=red")

    assert (answer.status, answer.out) == (2, "")
    assert " has no switch 'colour': there " in answer.err
    assert answer.err.count("\n") == 1


def test_a_report_without_a_graph_refuses_cuts(coffeetree: Run) -> None:
    sample = CORPUS.parent / "hprof/text/profiletest-samples-thread.txt.xz"

    for command in ("tree", "info"):
        answer = coffeetree(command, sample, "--cut", "java.*")
        assert (answer.status, answer.err) == (2, "coffeetree: HPROF text profile: has no graph to cut\n")


def test_the_only_switch_of_a_view_is_named_as_one(coffeetree: Run) -> None:
    sample = CORPUS.parent / "hprof/text/profiletest-samples.txt.xz"

    answer = coffeetree("tree", sample, "--switch", "colour=red")
    assert answer.err == "coffeetree: CPU samples has no switch 'colour': there is only merge\n"


def test_a_switch_makes_the_view_another_one(coffeetree: Run) -> None:
    sample = CORPUS.parent / "hprof/text/profiletest-samples-thread.txt.xz"

    def labels(*words: str) -> list[str]:
        answer = coffeetree("tree", sample, "--json", "--depth", 0, *words)
        return [row["label"] for row in answer.rows]

    by_method = labels()
    by_class = labels("--switch", "merge=by class")
    assert by_class and by_class != by_method
    # Without a value it is the next choice; names and values in any case; the last one counts.
    assert labels("--switch", "merge") == by_class
    assert labels("--switch", "merge=Class") == by_class
    assert labels("--switch", "MERGE=By Class") == by_class
    assert labels("--switch", "merge=by class", "--switch", "merge=by method") == by_method


def test_an_exported_profile_is_made_as_its_switches_are_set(coffeetree: Run) -> None:
    sample = CORPUS.parent / "hprof/text/quit-samples.txt.xz"

    def samples(*words: str) -> int:
        lines = coffeetree("export", sample, "--to", "collapsed", *words, "-").out.splitlines()
        return sum(int(line.rpartition(" ")[2]) for line in lines)

    threads = next(
        switch["choices"]
        for switch in coffeetree("info", sample, "--json").json["views"][0]["switches"]
        if switch["name"] == "thread"
    )
    assert threads[0] == "all"
    by_thread = [samples("--switch", f"thread={thread}") for thread in threads]
    assert len(by_thread) > 2
    assert by_thread[0] == sum(by_thread[1:])


def test_every_row_is_found_among_its_siblings(report: Report) -> None:
    for view in report.views:
        for node in some_rows(view):
            above = view.tree.parent(node)
            siblings = view.tree.roots() if above is None else view.tree.children(above)
            assert siblings[siblings.index(node)] == node, view.name


# -- REFs -------------------------------------------------------------------------------------------------------------


def some_rows(view: View) -> list[int]:
    """Returns the first nodes of a view, and a path down from each of its first roots."""
    nodes = dict.fromkeys(node for node, _ in islice(walk(view.tree, depth=3), MOST_ROWS))
    for root in islice(view.tree.roots(), 8):
        node = root
        for _ in range(8):
            nodes[node] = None
            if not view.tree.has_children(node):
                break
            node = view.tree.children(node)[-1]
    return list(nodes)


def test_every_ref_that_a_view_prints_is_found_there_again(report: Report) -> None:
    for view in report.views:
        for node in some_rows(view):
            row = view.tree.row(node)
            again = view.tree.row(view.resolve(row.ref))
            if view.tree.preorder is not None:
                # A node at several places is found at the first one, whose row may differ.
                assert again.ref == row.ref, view.name
                if view.name != "Suspects":
                    assert again.label == row.label, view.name


def test_every_ref_and_link_leads_somewhere_without_a_view(report: Report) -> None:
    def is_known(ref: str) -> bool:
        for view in report.views:
            try:
                view.resolve(ref)
            except UnknownReference:
                continue
            return True
        return False

    for view in report.views:
        rows = [view.tree.row(node) for node in some_rows(view)]
        asked = {row.ref for row in rows} | {row.link for row in rows if row.link is not None}
        assert [ref for ref in asked if not is_known(ref)] == [], view.name


def test_links_lead_somewhere(report: Report) -> None:
    if report.format not in SURE_LINKS:
        pytest.skip("links of this format are made without a look whether they lead anywhere")
    for view in report.views:
        for node in some_rows(view):
            for link in view.links(node):
                assert report.view(link.view or report.views[0].name).resolve(link.ref) >= 0, (view.name, link)


def test_show_and_tree_answer_with_the_row_of_a_ref(sample: Path, report: Report, coffeetree: Run) -> None:
    for view in report.views:
        nodes = some_rows(view)
        for node in {nodes[0], nodes[-1]} if nodes else ():
            ref = view.tree.row(node).ref
            wanted = view.tree.row(view.resolve(ref))

            def same(fields: dict[str, Any], wanted: Any = wanted) -> bool:
                return (fields["ref"], fields["label"], fields["kind"]) == (wanted.ref, wanted.label, wanted.kind)

            shown = coffeetree("show", sample, "--json", "--view", view.name, ref)
            assert shown.status in (0, 3), shown.err
            assert same(shown.json["row"])
            assert same(shown.json["path"][-1])
            if node == nodes[0]:
                tree = coffeetree("tree", sample, "--json", "--view", view.name, "--at", ref, "--depth", 0)
                assert same(tree.rows[0])
            if node == nodes[-1]:
                for command in ("refs", "why"):
                    answer = coffeetree(command, sample, "--json", "--view", view.name, ref, "--limit", 2)
                    assert answer.status in (0, 1, 3)
