"""The inside of a compile task: elements of sound and damaged bytes, and the rows that they make."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from conftest import TESTS, plain_bytes
from hypothesis import given
from hypothesis import strategies as st

from parsers.formats.hotspot.tasks.reading import read_tree
from parsers.formats.hotspot.tasks.slice import MOST_DEEP, TaskSlice, read_task
from parsers.formats.hotspot.tasks.tree import TaskTree

SAMPLES = sorted((TESTS / "corpus" / "hotspot").glob("**/*.log*"))
MOST_TASKS = 120
"""Tasks of a sample that are read, evenly spread."""
BORDERS = re.compile(rb"</task>|<task (?=compile_id)|<fragment>|</compilation_log>")

HEAD = b"<task compile_id='7' method='A f ()V' bytes='9' stamp='0.1'>\n"
NAMES = (
    b"<type id='1' name='void'/>\n<klass id='2' name='A' flags='1'/>\n"
    b"<method id='3' holder='2' name='f' return='1' flags='1' bytes='9'/>\n"
    b"<method id='4' holder='2' name='g' return='1' arguments='2 2' flags='1' bytes='9'/>\n"
    b"<method id='5' holder='2' name='h' return='1' flags='1' bytes='9'/>\n"
)
TAIL = b"<task_done success='1' nmsize='8' stamp='0.2'/>\n</task>"


def tree_of(inside: bytes) -> TaskTree:
    return read_tree(read_task(HEAD + NAMES + inside + TAIL))


def drawn(tree: TaskTree) -> list[str]:
    """The rows, two blanks a level; of calls the method's name and what became of it."""
    lines, stack = [], [(row, 0) for row in reversed(tree.children(0))]
    while stack:
        row, level = stack.pop()
        call = tree.calls.get(row)
        word = tree.tag(row) if row > 0 else f"{len(tree.children(row))} {tree.tag(row)}"
        if row in tree.attempts:
            word = "attempt"
        if call is not None:
            word = f"{tree.names.method(tree.method_of(row)).name} {call.outcome}"
        lines.append("  " * level + word)
        stack += [(below, level + 1) for below in reversed(tree.children(row))]
    return lines


def parses_without_a_call(tree: TaskTree) -> int:
    """Number of parses inside of other code that have rows of their own, as no call was found for them."""
    return sum(row > 0 and tree.tag(row) == "parse" and tree.code_of(row) > 0 for row in tree.parents)


def test_an_inlined_call_has_the_rows_of_its_parse() -> None:
    tree = tree_of(
        b"<parse method='3' uses='1'>\n<bc code='182' bci='1'/>\n<call method='4' count='5' inline='1'/>\n"
        b"<inline_success reason='inline (hot)'/>\n<parse method='4' uses='1'>\n<bc code='182' bci='2'/>\n"
        b"<call method='5' count='5'/>\n<inline_fail reason='too big'/>\n<parse_done/>\n</parse>\n"
        b"<parse_done/>\n</parse>\n"
    )

    assert drawn(tree) == ["parse", "  g inlined", "    h failed"]
    assert [tree.calls[row].reason for row in sorted(tree.calls)] == ["inline (hot)", "too big"]
    assert [tree.bci_of(row) for row in sorted(tree.calls)] == ["1", "2"]


def test_parses_of_two_receivers_find_their_calls_by_method() -> None:
    tree = tree_of(
        b"<parse method='3' uses='1'>\n<bc code='182' bci='1'/>\n"
        b"<call method='3' virtual='1' receiver='2' receiver_count='6' receiver2='2' receiver2_count='4'/>\n"
        b"<call method='4' count='6'/>\n<inline_success reason='inline (hot)'/>\n"
        b"<call method='5' count='4'/>\n<inline_success reason='inline (hot)'/>\n"
        b"<predicted_call bci='1' exact='1' klass='2'/>\n<predicted_call bci='1' exact='1' klass='2'/>\n"
        b"<parse method='5' uses='1'>\n<parse_done/>\n</parse>\n<parse method='4' uses='1'>\n<hot_throw/>\n</parse>\n"
        b"</parse>\n"
    )

    assert drawn(tree) == ["parse", "  f none", "  g inlined", "    hot_throw", "  h inlined"]
    assert parses_without_a_call(tree) == 0


def test_a_parse_of_a_narrowed_receiver_belongs_to_the_nearest_call_and_shows_its_own_method() -> None:
    tree = tree_of(
        b"<phase name='buildIR' stamp='0.1'>\n<parse method='3' stamp='0.1'>\n<phase name='parse_hir' stamp='0.1'>\n"
        b"<bc code='182' bci='1'/>\n<call method='4' instr='invokevirtual'/>\n<inline_success reason='inline'/>\n"
        b"<parse method='5'>\n<parse_done stamp='0.1'/>\n</parse>\n"
        b"<phase_done stamp='0.1'/>\n</phase>\n</parse>\n</phase>\n"
    )

    assert drawn(tree) == ["phase", "  parse", "    h inlined"]


def test_results_of_calls_without_code_of_their_own() -> None:
    call = b"<bc code='182' bci='1'/>\n<call method='4'/>\n"
    tree = tree_of(
        b"<parse method='3'>\n"
        + call + b"<inline_success reason='intrinsic'/>\n"
        + call + b"<inline_success reason='accessor'/>\n"
        + call + b"<inline_success reason='inline (hot)'/>\n"
        + call + b"<inline_success reason='inline (hot)'/>\n<inline_id id='9'/>\n<direct_call bci='1'/>\n"
        + call + b"<intrinsic id='_hashCode' nodes='3'/>\n"
        + call + b"<virtual_call bci='1'/>\n"
        + call + b"<uncommon_trap bci='1' reason='null_check' action='none'/>\n"
        + call
        + b"</parse>\n"
    )  # fmt: skip

    assert drawn(tree) == [
        "parse",
        "  g intrinsic",
        "  g inlined",
        "  g dropped",
        "  g direct call",
        "  g intrinsic",
        "  g virtual call",
        "  g trap",
        "  uncommon_trap",
        "  g none",
    ]


def test_a_late_inline_comes_back_to_the_call_of_its_number() -> None:
    tree = tree_of(
        b"<parse method='3' uses='1'>\n<bc code='182' bci='1'/>\n<call method='4'/>\n"
        b"<inline_success reason='inline (hot)'/>\n<inline_id id='77'/>\n<direct_call bci='1'/>\n"
        b"<bc code='182' bci='5'/>\n<call method='5'/>\n<inline_fail reason='too big'/>\n</parse>\n"
        b"<late_inline method='4' inline_id='77'>\n<jvms bci='1' method='3'/>\n</late_inline>\n"
        b"<predicted_call bci='1' klass='2'/>\n<parse method='4' uses='1'>\n<hot_throw/>\n</parse>\n"
    )

    assert drawn(tree) == ["parse", "  g late inlined", "    hot_throw", "  h failed", "predicted_call"]


def test_a_late_inline_without_number_is_found_by_its_chain() -> None:
    tree = tree_of(
        b"<parse method='3' uses='1'>\n<bc code='182' bci='1'/>\n<call method='4'/>\n"
        b"<inline_success reason='inline (hot)'/>\n<parse method='4' uses='1'>\n<bc code='182' bci='6'/>\n"
        b"<call method='5'/>\n<inline_success reason='inline (hot)'/>\n<direct_call bci='6'/>\n</parse>\n</parse>\n"
        b"<late_inline method='5'>\n<jvms bci='6' method='4'/>\n<jvms bci='1' method='3'/>\n</late_inline>\n"
        b"<parse method='5' uses='1'>\n</parse>\n"
    )

    assert drawn(tree) == ["parse", "  g inlined", "    h late inlined"]


def test_a_late_inline_that_comes_back_to_nothing_has_a_row_of_its_own() -> None:
    tree = tree_of(
        b"<late_inline method='5' inline_id='4'>\n<jvms bci='6' method='4'/>\n</late_inline>\n"
        b"<parse method='5'>\n</parse>\n"
    )

    assert drawn(tree) == ["late_inline"]


def test_a_method_handle_shows_the_call_that_took_its_place() -> None:
    tree = tree_of(
        b"<parse method='3' uses='1'>\n<bc code='182' bci='1'/>\n<call method='4' method_handle_intrinsic='1'/>\n"
        b"<inline_fail reason='receiver not constant'/>\n<inline_id id='1'/>\n<direct_call bci='1'/>\n</parse>\n"
        b"<late_inline method='4' inline_id='1'>\n<jvms bci='1' method='3'/>\n</late_inline>\n"
        b"<call method='5'/>\n<inline_success reason='inline (hot)'/>\n<parse method='5' uses='1'>\n</parse>\n"
    )

    assert drawn(tree) == ["parse", "  g late inlined", "    h inlined"]


def test_a_discarded_attempt_is_separate() -> None:
    parse = b"<parse method='3'>\n<bc code='182' bci='1'/>\n<call method='4'/>\n<inline_fail reason='x'/>\n</parse>\n"
    tree = tree_of(parse + b"<failure reason='retry without subsuming loads' phase='compile'/>\n" + parse)

    assert drawn(tree) == ["attempt", "  parse", "    g failed", "parse", "  g failed"]


def test_a_failure_inside_a_phase_throws_away_all_before_it() -> None:
    tree = tree_of(
        b"<phase name='output' stamp='0.1'>\n<failure reason='full' phase='compile'/>\n<phase_done/>\n</phase>\n"
        b"<failure reason='full'/>\n"
    )

    assert drawn(tree) == ["attempt", "  phase", "failure"]


def test_details_of_one_name_are_listed_together() -> None:
    branch = b"<bc code='153' bci='3'/>\n<branch target_bci='13' taken='0' not_taken='5' prob='never'/>\n"
    tree = tree_of(
        b"<parse method='3' uses='1'>\n" + branch + branch + b"<brand_new a='1'/>\n<hot_throw/>\n"
        b"<dependency type='evol_method' x0='3'/>\n</parse>\n"
    )

    assert drawn(tree) == ["parse", "  hot_throw", "  2 branch", "    branch", "    branch", "  brand_new"]
    assert tree.bci_of(tree.children(tree.children(1 + 5)[1])[0]) == "3"


def test_every_element_is_part_of_a_row() -> None:
    tree = tree_of(
        b"<parse method='3'>\n<bc code='182' bci='1'/>\n<klass id='9' name='B'/>\n<call method='4'/>\n</parse>\n"
    )

    named = {tree.task.elements[number].tag: tree.tag(tree.shown_as(number)) for number in range(len(tree.shown))}
    assert named["bc"] == "call" and named["klass"] == "call" and named["task_done"] == "task"


def test_sound_bytes_need_no_repair() -> None:
    assert read_task(HEAD + NAMES + TAIL).repairs == []


@pytest.mark.parametrize(
    ("raw", "repairs", "method"),
    [
        (b"<task compile_id='1' method='Dep$doesn't break a ()V' stamp='1'>\n</task>", 1, "Dep$doesn't break a ()V"),
        (b"<task compile_id='1' method='Dep$a&b a ()V' stamp='1'>\n</task>", 1, "Dep$a&b a ()V"),
        (b"<task compile_id='1' method='Dep$<lt> a ()V' stamp='1'>\n</task>", 1, "Dep$<lt> a ()V"),
        (b"<task compile_id='1' method='nul\xc0\x80x a ()V'>\n</task>", 1, "nul\0x a ()V"),
        (b"<task compile_id='1' method='ctl\x01x a ()V'>\n</task>", 1, "ctl\x01x a ()V"),
        (b"<task compile_id='1' method='lone\xed\xa0\xb5z a ()V'>\n</task>", 1, "lone\ud835z a ()V"),
        (b"<task compile_id='1' method='nc\xef\xbf\xbfz a ()V'>\n</task>", 1, "nc\uffffz a ()V"),
        (b"<task compile_id='1' method='new\nline ta\tb ()V'>\n</task>", 0, "new\nline ta\tb ()V"),
        (b"<task compile_id='1' method='Caf\\u00e9 a ()V'>\n</task>", 0, "Café a ()V"),
        (b"<task compile_id='1' method='a b ()V' <nmethod compile_id='3'/>\nstamp='0.1'>\n</task>", 2, "a b ()V"),
        (b"<task compile_id='1' method='a.B c (I<nmethod compile_id='3'/>\n)V'>\n</task>", 2, "a.B c (I"),
        (
            b"<task compile_id='1' method='a <!-- safepoint while printing -->b ()V'>\n</task>",
            0,
            "a b ()V",
        ),
        (
            b"<task compile_id='1' meth<!-- safepoint while printing -->\nod='a<!-- c -->\n b ()V' level='3'>\n</task>",
            0,
            "a b ()V",
        ),
        (
            b"<task compile_id='1' method='a<!-- safepoint while printing -->\n<bc code='1' bci='2'/>\n</task>",
            1,
            "a",
        ),
        (b"<task compile_id='1' method='List<type > a<name> ()V' level='3'>\n</task>", 1, "List<type > a<name> ()V"),
    ],
)
def test_names_and_torn_lines_are_read_and_reported(raw: bytes, repairs: int, method: str) -> None:
    task = read_task(raw)

    assert task.get(0, "method") == method
    assert len(task.repairs) == repairs


def test_a_task_in_a_fragment_ends_where_it_was_cut() -> None:
    task = read_task(HEAD + b"<parse method='3' uses='1'>\n<bc code='1' bci='1'/>\n<ca]]>\n</fragment>\n")

    assert [element.tag for element in task.elements] == ["task", "parse", "bc"]
    assert not task.raw.endswith(b"</task>")
    assert [repair.what for repair in task.repairs] == ["the last element is cut off"]


def test_lines_may_end_as_on_windows() -> None:
    inside = b"<parse method='3'>\n<bc code='182' bci='1'/>\n<call method='4'/>\n</parse>\n"
    whole = (HEAD + NAMES + inside + TAIL).replace(b"\n", b"\r\n")

    task = read_task(whole)

    assert task.repairs == []
    assert drawn(read_tree(task)) == ["parse", "  g none"]
    assert whole[task.starts[6] :].startswith(b"<parse")


def test_elements_that_are_too_deep_are_shown_flat() -> None:
    task = read_task(HEAD + b"<parse method='1'>" * 1000)

    assert len(task.elements) == 1001
    assert len(task.repairs) >= 1001 - MOST_DEEP
    assert read_tree(task).children(0)


def test_raw_text_of_an_element_ends_after_its_end_tag() -> None:
    inside = b"<parse method='3' uses='1'>\n<bc code='1' bci='1'/>\n<parse_done/>\n</parse>"
    task = read_task(HEAD + inside + b"\n" + TAIL)

    assert task.raw[task.starts[1] : task.end(1)] == inside
    assert task.raw[task.starts[2] : task.end(2)] == b"<bc code='1' bci='1'/>"
    assert task.end(0) == len(task.raw)


@given(st.binary(max_size=200))
def test_any_bytes_give_a_tree_in_which_each_row_occurs_once(data: bytes) -> None:
    check_rows(read_tree(read_task(HEAD + data)))


@given(st.data())
def test_a_task_with_any_bytes_changed_gives_a_tree(data: st.DataObject) -> None:
    raw = HEAD + NAMES + b"<parse method='3' uses='1'>\n<bc code='182' bci='1'/>\n<call method='4'/>\n</parse>\n" + TAIL
    at = data.draw(st.integers(0, len(raw)))
    new = data.draw(st.sampled_from([b"", b"'", b"<", b">", b"/>", b"\0", b"<task ", b"</task>", b"\xff", b"<call "]))
    check_rows(read_tree(read_task(raw[:at] + new + raw[at + data.draw(st.integers(0, 60)) :])))


def check_rows(tree: TaskTree) -> None:
    """Asserts that each row occurs once, and that each element is part of one."""
    seen: set[int] = set()
    stack = [0]
    while stack:
        row = stack.pop()
        assert row not in seen
        seen.add(row)
        stack += tree.children(row)
    assert seen - {0} == set(tree.parents)
    assert set(tree.shown) <= seen


def tasks_in(data: bytes) -> list[bytes]:
    """Yields the bytes of each task, up to the next one or the end of its thread's log."""
    found, start = [], -1
    for border in BORDERS.finditer(data):
        if start >= 0:
            found.append(data[start : border.end() if border[0] == b"</task>" else border.start()])
        start = border.start() if border[0] == b"<task " else -1
    return [*found, data[start:]] if start >= 0 else found


def undefined_ids(tree: TaskTree, task: TaskSlice) -> int:
    """Ids that are used before an element defines them."""
    defined: set[str] = set()
    missing = 0
    for element in task.elements:
        if element.tag in ("type", "klass", "method", "symbol", "unknown"):
            defined.add(element.get("id"))
        elif element.tag in ("call", "parse", "late_inline"):
            missing += element.get("method") not in defined
    return missing


COMPLETE = ("a name that is not escaped", "characters that XML does not allow")
"""Repairs by which nothing is lost."""


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_every_parse_of_a_sample_finds_its_call_and_no_decision_is_lost(path: Path) -> None:
    data = plain_bytes(path)
    nested = homeless = successes = failures = missing = 0
    tasks = tasks_in(data)
    for raw in tasks[:: len(tasks) // MOST_TASKS + 1]:
        task = read_task(raw)
        tree = read_tree(task)
        homeless += parses_without_a_call(tree)
        nested += sum(call.parse >= 0 for call in tree.calls.values())
        is_whole = all(repair.what in COMPLETE for repair in task.repairs)
        missing += undefined_ids(tree, task) if is_whole else 0
        decided = [element.tag for element in task.elements if element.tag in ("inline_success", "inline_fail")]
        successes += decided.count("inline_success") - sum(call.success is not None for call in tree.calls.values())
        failures += decided.count("inline_fail") - sum(call.failure is not None for call in tree.calls.values())
        check_rows(tree)

    assert (homeless, missing, successes, failures) == (0, 0, 0, 0)
    assert nested or b"<parse" not in data or "odd" in path.name or "dep" in path.name
