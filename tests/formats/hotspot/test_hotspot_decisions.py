"""Contents of tasks; plain code and kernels give the same results."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from examples import more_examples
from hypothesis import given
from hypothesis import strategies as st
from made_tasks import differences, made_tasks, method_text, sites, task

from parsers.formats.hotspot.decisions.decision_tables import (
    DEPENDENCY,
    ELEMENT,
    ELEMENTS,
    FAIL,
    FAILURE,
    FRAGMENT_ELEMENT,
    MOST_DEPTH,
    MOST_PARSES,
    MOST_PATHS,
    MOST_WORDS,
    THROWN_AWAY,
    MergedDecisions,
    merge,
)
from parsers.formats.hotspot.decisions.tables_build import DecisionTablesBuild
from parsers.model.none import NONE

DEFINED = (
    "<type id='1' name='int'/>",
    "<klass id='2' name='a.B' flags='1'/>",
    "<klass id='3' name='[Ljava.lang.String;' flags='1'/>",
    "<method id='4' holder='2' name='m' return='1' bytes='9'/>",
    "<method id='5' holder='2' name='f' return='1' arguments='1 3 2' bytes='40'/>",
)
CALL = (
    "<parse method='4' uses='1' stamp='1.0'>",
    "<bc code='182' bci='7'/>",
    "<call method='5' count='30' inline='1'/>",
)
F = "a.B f (I[Ljava/lang/String;La/B;)I"


def plain(*texts: bytes) -> MergedDecisions:
    return DecisionTablesBuild(made_tasks(texts)).plain()


def count(found: MergedDecisions, category: int, word: str) -> int:
    return int(found.counts[0, 0].words[category, found.words.index(word.encode())])


def test_a_call_that_is_not_inlined_is_a_site_of_its_caller() -> None:
    found = plain(task(*DEFINED, *CALL, "<inline_fail reason='too big'/>", "</parse>"))

    assert sites(found) == [("too big", "a.B m ()I", 7, F, 1, 30)]
    assert method_text(found, int(found.arrays["site_callee"][0])) == F
    assert found.arrays["code_bytes"].tolist() == [NONE, 40, 9]


def test_compilations_of_one_site_are_one_row_with_the_highest_count() -> None:
    hotter = task(*DEFINED, *CALL[:2], "<call method='5' count='99'/>", "<inline_fail reason='too big'/>", "</parse>")

    found = plain(task(*DEFINED, *CALL, "<inline_fail reason='too big'/>", "</parse>"), hotter)

    assert sites(found) == [("too big", "a.B m ()I", 7, F, 2, 99)]
    assert found.arrays["site_task"].tolist() == [0, 1]


def test_a_nested_parse_has_bytecodes_of_its_own() -> None:
    found = plain(
        task(
            *DEFINED,
            *CALL,
            "<inline_success reason='inline (hot)'/>",
            "<parse method='5'>",
            "<bc code='182' bci='1'/>",
            "<call method='4'/>",
            "<inline_fail reason='recursive'/>",
            "</parse>",
            "<inline_fail reason='again'/>",
            "</parse>",
        )
    )

    assert [site[:4] for site in sites(found)] == [
        ("again", "a.B m ()I", 7, F),
        ("recursive", F, 1, "a.B m ()I"),
        ("inline (hot)", "a.B m ()I", 7, F),
    ]
    assert found.counts[0, 0].scalars[MOST_PARSES] == 2
    assert found.counts[0, 0].scalars[MOST_DEPTH] == 4


def test_only_the_last_attempt_has_sites_but_all_are_counted() -> None:
    decision = (*CALL, "<inline_fail reason='too big'/>", "<uncommon_trap bci='7' reason='a' action='b'/>", "</parse>")
    retry = "<failure reason='retry without subsuming loads' phase='compile'/>"

    found = plain(task(*DEFINED, *decision, retry, *decision))

    assert [site[4] for site in sites(found)] == [1]
    assert found.arrays["trap_count"].tolist() == [1]
    assert count(found, FAIL, "too big") == 2
    assert count(found, THROWN_AWAY, "retry without subsuming loads") == 1


def test_elements_after_a_late_inline_belong_to_its_innermost_call_site() -> None:
    found = plain(
        task(
            *DEFINED,
            "<late_inline method='5' inline_id='1'>",
            "<jvms bci='3' method='5'/>",
            "<jvms bci='7' method='4'/>",
            "</late_inline>",
            "<call method='4' count='2'/>",
            "<inline_fail reason='no'/>",
        )
    )

    assert sites(found) == [("no", F, 3, "a.B m ()I", 1, 2)]


def test_classes_beyond_ascii_are_escaped_in_signatures_as_the_log_does() -> None:
    found = plain(
        task(
            "<type id='1' name='void'/>",
            "<klass id='2' name='Café' flags='1'/>",
            "<method id='4' holder='2' name='\\u00fcber' return='1' arguments='2'/>",
            "<parse method='4'>",
            "<inline_fail reason='x'/>",
            "</parse>",
        )
    )

    assert sites(found)[0][1] == "Café \\u00fcber (LCaf\\u00e9;)V"


def test_a_tag_that_another_one_was_printed_into_costs_itself_alone() -> None:
    found = plain(
        task(*DEFINED, *CALL, "<inline_fail rea<observe that='x'/>", "<inline_fail reason='big'/>", "</parse>")
    )

    assert [site[0] for site in sites(found)] == ["", "big"]
    assert count(found, ELEMENT, "observe") == 1


def test_a_tag_continues_after_a_less_than_sign_in_a_value() -> None:
    inside = ("<klass id='2' name='a.List<Map<K,V>>' flags='1'/>", *DEFINED[3:], *CALL)

    found = plain(task(*DEFINED, *inside, "<inline_fail reason='size < 1' x='y'/>", "</parse>"))

    assert sites(found) == [
        ("size < 1", "a.List<Map<K,V>> m ()I", 7, "a.List<Map<K,V>> f (I[Ljava/lang/String;La/List<Map<K,V>>;)I", 1, 30)
    ]


def test_comments_in_tasks_cost_nothing() -> None:
    text = task(*DEFINED, *CALL, "<inline_fail reason='too big'/>", "</parse>")
    places = [place for place in range(54, len(text), 7) if text[place - 1 : place + 1] not in (b"\n<", b"</")]
    comment = b"<!-- safepoint while printing -->\n"
    torn = b"".join(text[at:to] + comment for at, to in pairwise([0, *places, len(text)]))
    tasks = made_tasks([torn, text, torn])
    tasks.commented = {0}

    for found in (DecisionTablesBuild(tasks).plain(), DecisionTablesBuild(tasks).compiled()):
        assert sites(found) == [("too big", "a.B m ()I", 7, F, 3, 30)]
        assert count(found, ELEMENT, "klass") == 6


def test_names_that_are_not_escaped_end_with_their_line() -> None:
    found = plain(
        task("<dependency_failed type='leaf_type' ctxk='2' witness='T$<lt> doesn't'/>", "<observe that='x'/>")
    )

    assert count(found, DEPENDENCY, "leaf_type") == 1
    assert b"lt" not in found.words
    assert count(found, ELEMENT, "observe") == 1


def test_phases_add_up_by_the_phases_around_them() -> None:
    inner = ("<phase name='gvn' stamp='1.001'>", "<phase_done stamp='1.003'/>", "</phase>")
    outer = ("<phase name='buildIR' stamp='1.000'>", *inner, "<phase_done stamp='1.010'/>", "</phase>")

    found = plain(task(*outer), task(*outer))

    names = [found.words[word] for word in found.arrays["phase_name"]]
    assert list(zip(names, found.arrays["time_total"].tolist(), strict=True)) == [(b"buildIR", 20), (b"gvn", 4)]
    assert found.arrays["phase_parent"].tolist() == [0, 0]
    assert found.arrays["time_longest"].tolist() == [10, 2]


def test_phases_beyond_the_maximum_count_for_the_enclosing_one_or_not() -> None:
    def phase(name: str, millis: int, *inside: str) -> tuple[str, ...]:
        return f"<phase name='{name}' stamp='0'>", *inside, f"<phase_done stamp='0.{millis:03}'/>", "</phase>"

    many = [line for number in range(MOST_PATHS - 1) for line in phase(f"p{number}", 1)]
    tasks = made_tasks([task(*many, *phase("last", 2), *phase("outside", 4), *phase("last", 8, *phase("inside", 16)))])

    for found in (DecisionTablesBuild(tasks).plain(), DecisionTablesBuild(tasks).compiled()):
        names = [found.words[word] for word in found.arrays["phase_name"]]
        totals = dict(zip(names, found.arrays["time_total"].tolist(), strict=True))
        assert len(totals) == MOST_PATHS
        assert b"outside" not in totals
        assert totals[b"last"] == 2 + 8 + 16


def test_tasks_in_fragments_are_counted_apart_and_have_no_sites() -> None:
    text = task(*DEFINED, *CALL, "<inline_fail reason='too big'/>", "</parse>")

    found = DecisionTablesBuild(made_tasks([text], fragments=[0])).plain()

    assert sites(found) == []
    assert count(found, FRAGMENT_ELEMENT, "inline_fail") == 1


NAMES = (
    *("parse", "bc", "call", "klass", "method", "type", "late_inline", "jvms", "phase", "phase_done", "uncommon_trap"),
    *("inline_success", "inline_fail", "intrinsic", "failure", "code_cache", "dependency_failed", "other", "task"),
)
KEYS = (
    *("id", "bci", "name", "type", "bytes", "count", "phase", "stamp", "holder", "return", "method", "reason"),
    *("action", "thread", "arguments", "free_code_cache", "receiver2", "x"),
)
VALUES = st.one_of(
    st.sampled_from(
        (
            *("1", "2", "3", "4", "int", "void", "a.B", "[I", "Caf\u00e9", "1 2 3", "1.234", "1,5", "", "0 x9"),
            *("List<K,V>", "<", "<x y='", "\n<x", "</x>", "<x"),
        )
    ),
    st.integers(0, 1 << 70).map(str),
    st.text(max_size=4),
)
ATTRIBUTES = st.lists(st.tuples(st.sampled_from(KEYS), VALUES), max_size=5).map(
    lambda pairs: "".join(f" {key}='{value}'" for key, value in pairs)
)
TAGS = st.tuples(st.sampled_from(NAMES), ATTRIBUTES, st.sampled_from((">", "/>", " >", "", ">\n", "/>\n"))).map(
    lambda parts: f"<{parts[0]}{parts[1]}{parts[2]}".encode("utf-8", "surrogatepass")
)
ENDS = st.sampled_from(NAMES).map(lambda name: f"</{name}>\n".encode())
PIECES = st.one_of(
    TAGS, TAGS, ENDS, st.binary(max_size=6), st.sampled_from([line.encode() for line in (*DEFINED, *CALL)])
)
TASKS = st.lists(st.lists(PIECES, max_size=25).map(lambda pieces: b"<task x='1'>" + b"".join(pieces)), max_size=4)


@more_examples(2)
@given(TASKS, st.integers(0, 5))
def test_plain_code_and_kernels_find_the_same_in_any_bytes(texts: list[bytes], level: int) -> None:
    tasks = made_tasks(texts, fragments=[place for place in range(len(texts)) if place % 4 == 3], level=level)
    first, second = DecisionTablesBuild(tasks), DecisionTablesBuild(tasks)

    assert differences(first.plain(), second.compiled()) == []
    assert np.array_equal(first.free, second.free)
    assert np.array_equal(first.inlined, second.inlined)
    assert np.array_equal(first.failed, second.failed)


def test_partial_tables_are_shown_while_reading_continues() -> None:
    reason = [task(*DEFINED, *CALL, f"<inline_fail reason='{number}'/>", "</parse>") for number in range(6)]
    tasks = made_tasks(reason)
    tasks.files = np.arange(7)
    shown: list[tuple[int, int]] = []

    def show(found: MergedDecisions, done: int) -> None:
        shown.append((len(sites(found)), done))

    whole = DecisionTablesBuild(tasks, show=show, pause=0).plain()

    assert shown == [(number, number) for number in range(1, 7)]
    assert len(sites(whole)) == 6


def test_threads_publish_partial_results_and_continue() -> None:
    tasks = made_tasks([task(*DEFINED, *CALL, "<inline_fail reason='too big'/>", "</parse>")] * 400)
    tasks.files = np.arange(401)
    shown: list[tuple[int, int]] = []

    def show(found: MergedDecisions, done: int) -> None:
        shown.append((sum(count for *_, count, _ in sites(found)), done))

    whole = DecisionTablesBuild(tasks, show=show, pause=0).compiled()

    assert all(0 <= count <= done <= 400 for count, done in shown)
    assert shown == sorted(shown)
    assert [count for *_, count, _ in sites(whole)] == [400]


def test_a_check_of_the_receiver_in_front_of_an_inlined_method_is_a_trap_of_the_caller() -> None:
    inlined = ("<parse method='5' uses='1'>", "<uncommon_trap bci='7' reason='null_check' action='none'/>")
    own = ("<bc code='190' bci='4'/>", "<uncommon_trap bci='4' reason='null_check' action='none'/>", "</parse>")
    tasks = made_tasks([task(*DEFINED, *CALL, "<inline_success reason='inline (hot)'/>", *inlined, *own, "</parse>")])

    for found in (DecisionTablesBuild(tasks).plain(), DecisionTablesBuild(tasks).compiled()):
        traps = zip(found.arrays["trap_method"].tolist(), found.arrays["trap_bci"].tolist(), strict=True)
        assert {(method_text(found, method), bci) for method, bci in traps} == {("a.B m ()I", 7), (F, 4)}


def test_kernels_grow_their_buffers() -> None:
    from parsers.formats.hotspot.decisions.tables_thread import KernelDecisionReader

    methods = [f"<method id='{10 + id}' holder='2' name='f{id}' return='1'/>" for id in range(100)]
    calls = [f"<bc bci='{id}'/><call method='{10 + id}'/><inline_fail reason='r{id}'/>" for id in range(100)]
    tasks = made_tasks([task(*DEFINED, *methods, CALL[0], *calls, *("<a>" for _ in range(100)))])
    kept = [np.zeros(1, np.uint32) for _ in range(3)]

    thread = KernelDecisionReader(tasks, smallest=32)
    thread.read(0, 0, 1, *kept)

    assert differences(DecisionTablesBuild(tasks).plain(), merge([thread.found()], tasks.known)) == []


def test_threads_that_share_the_work_find_what_one_finds() -> None:
    from parsers.formats.hotspot.decisions.tables_thread import KernelDecisionReader

    one = task(*DEFINED, *CALL, "<inline_fail reason='too big'/>", "</parse>")
    two = task(
        *DEFINED, *CALL, "<inline_fail reason='no'/>", "<uncommon_trap bci='7' reason='a' action='b'/>", "</parse>"
    )
    tasks = made_tasks([one, two, one, two, two])
    kept = [np.zeros(5, np.uint32) for _ in range(3)]
    threads = [KernelDecisionReader(tasks, smallest=64) for _ in range(2)]

    for place in range(5):
        threads[place % 2].read(0, place, place + 1, *(values[place : place + 1] for values in kept))

    merged = merge([thread.found() for thread in threads], tasks.known)
    assert differences(DecisionTablesBuild(tasks).plain(), merged) == []


def test_words_beyond_the_maximum_count_as_the_empty_word() -> None:
    tasks = made_tasks([task(*(f"<failure reason='r{number}'/>" for number in range(MOST_WORDS + 100)))])

    found = DecisionTablesBuild(tasks).plain()

    assert count(found, FAILURE, "") == 100 + len(ELEMENTS)
    assert found.counts[0, 0].words[FAILURE].sum() == MOST_WORDS + 100
    assert differences(found, DecisionTablesBuild(tasks).compiled()) == []


def test_words_of_several_threads_are_no_more_than_the_maximum() -> None:
    from parsers.formats.hotspot.decisions.tables_plain import PlainDecisionReader

    kept = [np.zeros(1, np.uint32) for _ in range(3)]
    results = []
    for first in (0, 40_000):
        text = task(*(f"<failure reason='r{number:05}'/>" for number in range(first, first + 40_000)))
        reader = PlainDecisionReader(made_tasks([text]))
        reader.read(0, 0, 1, *kept)
        results.append(reader.found())

    found = merge(results, 1)

    assert len(found.words) == MOST_WORDS
    assert found.counts[0, 0].words[FAILURE].sum() == 80_000
