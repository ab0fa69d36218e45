"""A pass over a log by plain code and by kernels: the same columns, whatever the bytes and however they are cut."""

from __future__ import annotations

import lzma
import os
import re
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import plain_join
import pytest
from conftest import TESTS, plain_bytes
from examples import more_examples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from parsers.formats.hotspot.log.columns import (
    BY_OTHER,
    COLUMNS,
    EVENT_KINDS,
    IN_FRAGMENT,
    IS_DAMAGED,
    IS_FINISHED,
    IS_OK,
    NO_LEVEL,
)
from parsers.formats.hotspot.log.join import join
from parsers.formats.hotspot.log.read import tags
from parsers.formats.hotspot.log.read.chunk import new_chunk
from parsers.formats.hotspot.log.read.kernel_log import KernelLog
from parsers.formats.hotspot.log.read.plain_log import PlainLog
from parsers.index.writer import Writer
from parsers.io.identity import Identity
from parsers.model.none import NONE

CORPUS = TESTS / "corpus" / "hotspot"
SAMPLES = sorted(path.relative_to(CORPUS).as_posix() for path in CORPUS.glob("**/*.xz"))
ODD = [name for name in SAMPLES if name.startswith(("odd_", "dep_"))]

SMALL_LOG = b"""<?xml version='1.0' encoding='UTF-8'?>
<hotspot_log version='160 1' process='42' time_ms='1000'>
<tty>
<writer thread='7'/>
<thread_logfile thread='8' filename='/tmp/hs_c8_pid42.log'/>
<task_queued compile_id='1' method='a.B m (I)V' bytes='4' level='3' stamp='0.100' comment='tiered'/>
<nmethod compile_id='1' compiler='c1' level='3' entry='0x1' size='760' method='a.B m (I)V' stamp='0.120'/>
<uncommon_trap thread='7' reason='null_check' action='make_not_entrant' compile_id='1' stamp='0.130'>
<jvms bci='5' method='a.B m (I)V' bytes='4'/>
<jvms bci='9' method='a.C n ()V' bytes='9'/>
</uncommon_trap>
<make_not_entrant thread='7' compile_id='1' compiler='c1' level='3' stamp='0.130'/>
<dependency_failed type='leaf_type' ctxk='a/B' witness='a/doesn't break$1' stamp='0.131'/>
<strange thing='1'/>
</tty>
<compilation_log thread='8'>
<start_compile_thread name='C1 CompilerThread0' thread='8' process='42' stamp='0.050'/>
<task compile_id='1' method='a.B m (I)V' bytes='4' level='3' stamp='0.110'>
<phase name='setup' stamp='0.110'>
<dependency type='leaf_type' ctxk='700'/>
</phase>
<failure reason='retry without subsuming loads' phase='compile'/>
<dependency_failed type='leaf_type' ctxk='700' witness='x' stamp='0.111'/>
<code_cache total_blobs='1' free_code_cache='2048'/>
<task_done success='1' nmsize='336' count='2' inlined_bytes='12' stamp='0.121'/>
</task>
<fragment>
<![CDATA[
<task compile_id='2' compile_kind='osr' method='a.C n ()V' osr_bci='17' stamp='0.140'>
<bc code='182' bci='3'/>
]]>
</fragment>
</compilation_log>
<hotspot_log_done stamp='0.200'/>
</hotspot_log>
"""


def read_plainly(*files: bytes) -> PlainLog:
    log = PlainLog()
    for data in files:
        plain_join.read_file(log, lambda count, offset, data=data: data[offset : offset + count], len(data))
    return log


@lru_cache(maxsize=8)
def plain_log(name: str) -> PlainLog:
    """A sample read by plain code. Shared: not to be changed."""
    return read_plainly(plain_bytes(CORPUS / name))


def facts_of(log: PlainLog) -> dict[str, Any]:
    """All that a pass found."""
    facts: dict[str, Any] = {name: column.tolist() for name, column in log.columns.items()}
    parts = [part.fields() for part in log.parts]
    return facts | {"words": log.words.texts, "methods": log.methods.texts, "lines": list(log.lines), "parts": parts}


def by_kernels(*files: bytes, chunk: int) -> dict[str, Any]:
    """The same, by kernels."""
    with TemporaryDirectory() as folder:
        descriptors = []
        for number, data in enumerate(files):
            path = os.path.join(folder, str(number))
            Path(path).write_bytes(data)
            descriptors.append(os.open(path, os.O_RDONLY))
        writer = Writer(folder, "log", Identity(0, 0, 0, 0, ""))
        try:
            log = KernelLog(writer, descriptors, [len(data) for data in files], chunk)
            log.read()
            facts: dict[str, Any] = {name: log.column(name).tolist() for name in COLUMNS}
            starts = log.column("method_starts").tolist()
            blob = log.column("method_bytes").tobytes()
            methods = [blob[first:end] for first, end in pairwise(starts)]
            parts = [part.fields() for part in log.parts]
            lines = log.line_counts().tolist()
            return facts | {"words": log.words(), "methods": methods, "lines": lines, "parts": parts}
        finally:
            writer.abandon()
            for descriptor in descriptors:
                os.close(descriptor)


def test_contents_of_a_small_log() -> None:
    log = read_plainly(SMALL_LOG)
    plain_join.join(log.columns, log.words.texts)
    columns, words, methods = log.columns, log.words.texts, log.methods.texts
    kinds = [EVENT_KINDS[kind] for kind in columns["event_kind"]]
    assert kinds == [
        "thread_logfile",
        "task_queued",
        "nmethod",
        "uncommon_trap",
        "make_not_entrant",
        "dependency_failed",
        "other",
    ]
    assert words[columns["event_reason"][6]] == b"strange"
    assert (columns["event_bci"][3], methods[columns["event_method"][3]]) == (5, b"a.B m (I)V")
    assert SMALL_LOG[: columns["event_end"][3]].endswith(b"</uncommon_trap>")
    assert columns["task_id"].tolist() == [1, 2]
    assert columns["task_flags"][0] & IS_FINISHED and columns["task_flags"][0] & IS_OK
    assert columns["task_flags"][1] & IN_FRAGMENT
    assert SMALL_LOG[columns["task_start"][1] : columns["task_end"][1]].endswith(b"bci='3'/>\n")
    assert (columns["task_queued"][0], columns["task_nmethod"][0]) == (1, 2)
    assert (columns["task_code"][0], columns["task_inlined"][0], columns["task_bci"][1]) == (336, 12, 17)
    assert columns["task_level"].tolist() == [3, 1]
    assert columns["event_action"][4] == 0
    assert log.parts[0].failed_dependencies == {"leaf_type": 1}
    assert log.parts[0].torn == []


def test_a_tag_in_the_middle_of_another_is_read_and_the_torn_one_marked() -> None:
    line = b"<task compile_id='7' method='a.B m ()V' byt<nmethod compile_id='3' size='5' stamp='0.1'/>\nes='4'>\n"
    log = read_plainly(b"<compilation_log thread='8'>\n" + line + b"</task>\n")
    assert log.columns["task_id"].tolist() == [7]
    assert log.columns["task_flags"][0] & IS_DAMAGED
    assert log.columns["event_id"].tolist() == [3]
    assert log.parts[0].mid_line == [(29 + line.index(b"<nmethod"), "nmethod")]
    assert log.parts[0].torn == [(29, "task")]


COMMENT = b"<!-- safepoint while printing -->"
TASK = (
    b"<task compile_id='7' method='a.B m ()V' level='3' stamp='0.5'>\n<task_done success='1' stamp='0.9'/>\n</task>\n"
)


@pytest.mark.parametrize("comment", [COMMENT, COMMENT + b"\n", COMMENT + b"\r\n"])
@pytest.mark.parametrize("place", [len(b"<task"), len(b"<task comp"), len(b"<task compile_id="), *range(18, 61, 7)])
def test_a_comment_in_a_tag_costs_nothing(comment: bytes, place: int) -> None:
    whole = read_plainly(TASK)
    log = read_plainly(TASK[:place] + comment + TASK[place:])
    same = {*COLUMNS} - {"task_end"}
    assert {name: log.columns[name] for name in same} == {name: whole.columns[name] for name in same}
    assert log.methods.texts == [b"a.B m ()V"]
    assert log.parts[0].torn == []
    assert log.parts[0].kinds[tags.COMMENT] == 1


def test_a_comment_may_follow_any_name() -> None:
    data = re.sub(rb"<([a-z_]+)", rb"<\1" + COMMENT, SMALL_LOG.replace(b"<?xml", b"<?"))
    found = facts_of(read_plainly(data))
    assert [EVENT_KINDS[kind] for kind in found["event_kind"]][1:3] == ["task_queued", "nmethod"]
    assert found["parts"][0]["tty"][0] == data.index(b"<tty")
    assert by_kernels(data, chunk=64) == found


def test_a_tag_may_hold_many_comments() -> None:
    line = b"<nmethod compile_id='1' size='760' method='a.B m ()V' stamp='0.120'/>\n"
    shredded = line[:8] + b"".join(bytes((byte,)) + COMMENT for byte in line[8:-2]) + line[-2:]
    data = (b"<tty>\n" + shredded) * 3
    for found in (facts_of(read_plainly(data)), *(by_kernels(data, chunk=chunk) for chunk in (64, 1 << 20))):
        assert found["event_value"] == [760] * 3
        assert found["event_stamp"] == [120] * 3
        assert found["methods"] == [b"a.B m ()V"]
        assert found["parts"][0]["torn_count"] == 0


@pytest.mark.parametrize(
    "name", ["List<Map<K,V>> & co", "a.B g<etBinaryToASCIIConverter (D)V", "a.B<", "a<b c (I)V", "a\n< b"]
)
def test_a_tag_continues_after_a_less_than_sign_in_a_value(name: str) -> None:
    log = read_plainly(TASK.replace(b"a.B m ()V", name.encode()))
    assert log.methods.texts == [name.encode()]
    assert (log.columns["task_level"].tolist(), log.columns["task_begun"].tolist()) == ([3], [500])
    assert log.columns["task_flags"][0] & IS_DAMAGED == 0
    assert log.parts[0].torn == []


@pytest.mark.parametrize(
    "tag", ["<nmethod size='1'/>", "\n<blob name='x'/>", "<bc code='1'/>", "</phase>", "<task_done "]
)
def test_a_value_ends_where_a_tag_begins(tag: str) -> None:
    log = read_plainly(TASK.replace(b"m ()V'", b"m" + tag.encode()))
    assert log.methods.texts == [f"a.B m{tag[: tag.index('<')]}".encode()]
    assert log.columns["task_flags"][0] & IS_DAMAGED
    assert log.parts[0].torn[0] == (0, "task")


def test_events_of_very_many_threads_name_their_threads() -> None:
    event = "<writer thread='{0}'/>\n<task_queued compile_id='{0}' method='a.B m ()V' stamp='0.1'/>\n"
    log = "".join(event.format(number * 4096 % 7_000_000) for number in range(3000))
    data = f"<tty>\n{log}</tty>\n".encode()
    plain = facts_of(read_plainly(data))
    assert len(set(plain["event_thread"])) == len({number * 4096 % 7_000_000 for number in range(3000)})
    found = by_kernels(data, chunk=4096)
    assert {name: found[name] for name in plain} == plain


def test_an_event_that_is_torn_has_no_time_of_another() -> None:
    queued = "<task_queued compile_id='{}' method='a.B m ()V'{}/>\n"
    lines = [queued.format(1, " stamp='0.1'"), queued.format(2, "<writer thread='5'/>\n"), queued.format(3, "")]
    log = read_plainly(("<tty>\n" + "".join(lines)).encode())
    assert log.columns["event_stamp"].tolist() == [100, NONE, 100]
    assert [bool(flags & IS_DAMAGED) for flags in log.columns["event_flags"]] == [False, True, False]


@pytest.mark.parametrize(
    ("torn", "row"),
    [
        (b"<jvms bci='5' method='a.B<writer thread='7'/>", "event_flags"),
        (b"<failure reason='no<writer thread='7'/>", "task_flags"),
        (b"<start_compile_thread name='C1<writer thread='7'/>", "thread_flags"),
    ],
)
def test_a_torn_tag_marks_the_row_that_it_is_part_of(torn: bytes, row: str) -> None:
    first = {"event_flags": b"<uncommon_trap thread='7' stamp='0.1'>\n", "task_flags": TASK[:63], "thread_flags": b""}
    log = read_plainly(first[row] + torn + b"\n")
    assert [bool(flags & IS_DAMAGED) for flags in log.columns[row]] == [True]


def test_unknown_times_do_not_decide_why_code_is_not_entrant() -> None:
    trap = "<uncommon_trap thread='7' reason='null_check' compile_id='1'{}>\n</uncommon_trap>\n"
    ended = "<make_not_entrant thread='7' compile_id='1' stamp='9.0'/>\n"
    log = read_plainly(("<tty>\n" + trap.format(" stam<writer thread='7'/>\n") + ended).encode())
    plain_join.join(log.columns, log.words.texts)
    assert log.columns["event_action"][1] == BY_OTHER


def test_a_newline_in_a_name_ends_no_tag() -> None:
    log = read_plainly(b"<task compile_id='7' method='a\nb m ()V' stamp='0.5'>\n<task_done success='1'/>\n</task>")
    assert log.methods.texts == [b"a\nb m ()V"]
    assert log.columns["task_begun"].tolist() == [500]


def test_a_task_without_end_ends_where_the_next_begins() -> None:
    data = b"<task compile_id='1'>\n<task compile_id='2'>\n"
    log = read_plainly(data)
    assert list(zip(log.columns["task_start"], log.columns["task_end"], strict=True)) == [(0, 22), (22, 44)]


def test_invalid_numbers_are_shown_as_missing() -> None:
    log = read_plainly(b"<task compile_id='-1' stamp='1e5'>\n<task compile_id='99999999999' stamp='7,25'>\n")
    assert log.columns["task_id"].tolist() == [NONE, NONE]
    assert log.columns["task_begun"].tolist() == [NONE, 7250]


@pytest.mark.parametrize("name", SAMPLES, scope="module")
def test_kernels_find_what_plain_code_finds(name: str) -> None:
    assert by_kernels(plain_bytes(CORPUS / name), chunk=2 << 20) == facts_of(plain_log(name))


@pytest.mark.parametrize("chunk", [64, 128, 1024, 64 << 10])
@pytest.mark.parametrize("name", [*ODD, "kill9_17/main.log.xz"], scope="module")
def test_it_does_not_matter_where_chunks_begin(name: str, chunk: int) -> None:
    data = plain_bytes(CORPUS / name)
    if chunk >= 1024:
        assert by_kernels(data, chunk=chunk) == facts_of(plain_log(name))
    else:
        # A log begins with its heads and events, and ends with its tasks.
        part = data[:20_000] if chunk == 128 else data[-20_000:]
        assert by_kernels(part, chunk=chunk) == facts_of(read_plainly(part))


def test_files_of_a_run_are_read_end_to_end() -> None:
    folder = CORPUS / "kill9_25"
    files = [lzma.decompress(path.read_bytes()) for path in sorted(folder.glob("*.xz"), reverse=True)]
    found = by_kernels(*files, b"", chunk=1 << 20)
    assert found == facts_of(read_plainly(*files, b""))
    bases = [part["base"] for part in found["parts"]]
    assert bases == [0, len(files[0]), len(files[0]) + len(files[1]), sum(map(len, files))]


@pytest.mark.parametrize("name", SAMPLES, scope="module")
def test_rows_are_joined_alike_by_both_ways(name: str) -> None:
    log = plain_log(name)
    columns = {name: column[:] for name, column in log.columns.items()}
    arrays = {name: np.array(column) for name, column in log.columns.items()}
    plain_join.join(columns, log.words.texts)
    join(arrays.__getitem__, log.words.texts)
    assert {name: array.tolist() for name, array in arrays.items()} == {
        name: column.tolist() for name, column in columns.items()
    }


def test_rows_are_joined_where_there_are_more_words_than_have_numbers() -> None:
    log = read_plainly(lzma.decompress((CORPUS / next(iter(SAMPLES))).read_bytes()))
    words = [*log.words.texts, *(b"word %d" % number for number in range(70_000))]
    log.columns["task_level"][0] = NO_LEVEL
    arrays = {name: np.array(column.tolist(), column.typecode) for name, column in log.columns.items()}
    plain_join.join(log.columns, words)
    join(arrays.__getitem__, words)
    assert arrays["task_level"].tolist() == log.columns["task_level"].tolist()


PIECES = [
    b"<",
    b">",
    b"'",
    b"/>\n",
    b"=",
    b"\n",
    b"\0" * 600,
    b"\xc3\xa9",
    b"\xed\xa0\x80",
    b"<task ",
    b"</task>",
    b"<task_done ",
    b"<!-- safepoint while printing -->",
    b"<nmethod compile_id='1' stamp='9.9'/>",
    b"<uncommon_trap thread='9' ",
    b"<jvms bci='1' method='x",
    b"<dependency_failed ctxk='a'b' x='<lt>' ",
    b"<fragment>\n<![CDATA[\n",
    b"]]>\n</fragment>\n",
    b"\n<x:y a='b'>",
    b" compile_id='" + b"9" * 25 + b"'",
    b"\n" + b"y" * 70 + b" ",
    b" " + b"n" * 64 + b"='1'",
    b"stamp='18446744073709551615'",
    b"thread='18446744073709551615'",
    b"</tty>",
    b"<compilation_log thread='1'>",
    b"<!-- safepoint while printing -->\n",
    b"<!-- safepoint while printing -->\r\n",
    b"<!---->",
    b"<!-- " + b"c" * 150 + b" -->",
    b"<!--",
    b"-->",
    b"<K,V>> & co",
    b" filename='f' ",
    b"<failure ",
    b"g<et",
    b"<x y='",
    b"</phase>",
]
edits = st.lists(
    st.tuples(
        st.integers(0, len(SMALL_LOG)), st.integers(0, 40), st.sampled_from([b"", *PIECES]) | st.binary(max_size=6)
    ),
    max_size=8,
)


@settings(more_examples(3), suppress_health_check=[HealthCheck.too_slow])
@given(edits, st.sampled_from([64, 256, 4096]))
def test_damage_is_read_alike_by_both_readers(edits: list[tuple[int, int, bytes]], chunk: int) -> None:
    data = SMALL_LOG
    for place, removed, inserted in edits:
        data = data[:place] + inserted + data[place + removed :]
    log = read_plainly(data)
    assert by_kernels(data, chunk=chunk) == facts_of(log)
    arrays = {name: np.array(column.tolist(), column.typecode) for name, column in log.columns.items()}
    plain_join.join(log.columns, log.words.texts)
    join(arrays.__getitem__, log.words.texts)
    assert {name: array.tolist() for name, array in arrays.items()} == {
        name: column.tolist() for name, column in log.columns.items()
    }


def test_a_tag_that_never_ends_is_looked_at_only_so_far() -> None:
    data = b"<task compile_id='1' method='" + b"x" * 700_000 + b"\n<nmethod compile_id='2' stamp='0.1'/>\n"
    for chunk in (1 << 16, 1 << 20):
        found = by_kernels(data, chunk=chunk)
        assert found == facts_of(read_plainly(data))
        assert (found["task_id"], found["event_id"]) == ([1], [2])


def test_the_shortest_tags_fit_in_a_chunk() -> None:
    # Three bytes each, as the line end before a name is that after the last one.
    data = b"\n" + b"<a\n" * 4096
    assert len(new_chunk(4096).tags) >= 4096 // 3 + 1
    assert by_kernels(data, chunk=4096) == facts_of(read_plainly(data))


def test_a_character_that_is_cut_by_a_chunk_is_whole() -> None:
    for character in (b"\xc3\xa9", b"\xe2\x82\xac", b"\xf0\x9f\x98\x80", b"\xc3", b"\xe2\x82", b"\xed\xa0\x80"):
        for shift in range(5):
            data = b"x" * (64 - shift) + character + b"y" * 90
            assert by_kernels(data, chunk=64) == facts_of(read_plainly(data))


def test_gaps_are_ranges_of_nuls() -> None:
    data = b"<tty>\n" + b"\0" * 5000 + b"\n<writer thread='1'/>\n" + b"\0" * 100
    for chunk in (64, 1 << 20):
        assert by_kernels(data, chunk=chunk)["parts"][0]["gaps"] == [(6, 5006)]
