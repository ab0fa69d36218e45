"""Hazards of HPROF text: truncated lines, raw names, joined and killed files, other writers."""

from __future__ import annotations

import pytest

from parsers.formats.hprof.data.columns import (
    CPU_SAMPLES,
    CPU_TIME,
    IS_CUT,
    IS_CUT_LINE,
    NO_LINE,
    NO_PROFILE,
    NO_ROW,
    NOWHERE,
    UNKNOWN_LINE,
)
from parsers.formats.hprof.data.recording import ProfileRecording
from parsers.formats.hprof.data.tables import ProfileTables
from parsers.formats.hprof.format import sniff
from parsers.formats.hprof.text.plain_text import PlainText
from parsers.heapdump.graph.columns import HAS_END, IS_MISSING
from parsers.model.none import NONE

HEADER = b"JAVA PROFILE 1.0.1, created Sat Nov 21 02:26:20 2026\n\nSITES BEGIN no section\n\n--------\n\n"
TITLE = b"rank   self  accum   count trace method\n"


def read(data: bytes) -> ProfileRecording:
    text = PlainText(ProfileTables())
    text.read(lambda count, offset: data[offset : offset + count], len(data))
    recording = ProfileRecording(None)  # type: ignore[arg-type]  # nothing is read from the file itself
    recording.take_plain(text.tables, text.facts, text.lines)
    return recording


def kinds(recording: ProfileRecording) -> list[tuple[int, int]]:
    return list(zip(recording.column("problem_kind"), recording.column("problem_offset"), strict=True))


def words(recording: ProfileRecording, column: str) -> list[bytes]:
    return [recording.word(number) for number in recording.column(column)]


def test_nothing_of_the_prelude_is_a_record() -> None:
    recording = read(HEADER + b"THREAD END (id = 5)\n")
    assert recording.rows("section") == 0
    assert kinds(recording) == []


def test_a_prelude_without_its_end_is_passed_by() -> None:
    header = b"JAVA PROFILE 1.0.1, created Sat\n\nTRACE           represents a stack\n"
    recording = read(header + b"TRACE 5:\n\ta.B.m(B.java:7)\n")
    assert list(recording.column("trace_serial")) == [5]
    assert recording.facts["foreign_lines"] == 0


def test_names_of_threads_are_raw() -> None:
    recording = read(
        HEADER
        + b'THREAD START (obj=50000001, id = 1, name="a", group="b", group="c")\n'
        + b'THREAD START (obj=50000002, id = 2, name="two\nTRACE 5:\nlines", group="g")\n'
    )
    assert words(recording, "thread_name") == [b'a", group="b', b"two\nTRACE 5:\nlines"]
    assert words(recording, "thread_group") == [b"c", b"g"]
    assert recording.rows("trace") == 0


def test_a_thread_ends_without_its_start() -> None:
    recording = read(HEADER + b"THREAD END (id = 200002)\n")
    assert list(recording.column("thread_start")) == [NOWHERE]
    assert list(recording.column("thread_end")) == [len(HEADER)]


def test_a_record_is_cut_after_1023_bytes_and_the_next_continues_its_line() -> None:
    start = b'THREAD START (obj=50000001, id = 1, name="'
    line = start + b"n" * (1023 - len(start))
    recording = read(HEADER + line + b"THREAD END (id = 1)\n")
    assert words(recording, "thread_name") == [b"n" * (1023 - len(start))]
    assert list(recording.column("thread_flags")) == [IS_CUT]
    assert list(recording.column("thread_end")) == [len(HEADER) + 1023]
    assert recording.facts["cut_lines"] == 1


def test_a_row_is_cut_1023_bytes_after_its_trace() -> None:
    rows = b"   1 50.00% 50.00%       1 5 " + b"x" * 1022 + b"   2 50.00% 99.00%       1 6 a.B.m\n"
    recording = read(HEADER + b"CPU SAMPLES BEGIN (total = 2) Sat\n" + TITLE + rows + b"CPU SAMPLES END\n")
    assert [len(recording.method(number)) for number in recording.column("rank_name")] == [1022, 5]
    assert list(recording.column("rank_flags")) == [IS_CUT, 0]


def test_a_line_of_exactly_1023_bytes_with_its_end_is_whole() -> None:
    frame = b"\ta.B." + b"m" * 1000 + b"(B.java:123456789)"
    frame = frame.ljust(1023 - 1) if len(frame) > 1023 else frame[:5] + b"m" * (1023 - len(frame)) + frame[5:]
    recording = read(HEADER + b"TRACE 5:\n" + frame + b"\nTRACE 6:\n")
    assert recording.frame(0) == frame[1:]
    assert recording.facts["cut_lines"] == 0


def test_a_cut_frame_is_a_frame() -> None:
    recording = read(HEADER + b"TRACE 5:\n\t" + b"a." * 511 + b"TRACE 6:\n")
    assert list(recording.column("trace_frames")) == [1, 0]
    assert list(recording.column("frame_line")) == [IS_CUT_LINE]


def test_lines_of_frames_are_numbers_or_missing_or_unknown() -> None:
    frames = b"\ta.B.l(B.java:7)\n\ta.B.m(B.java)\n\ta.B.n(<Unknown Source>:Unknown line)\n"
    recording = read(HEADER + b"TRACE 5:\n" + frames)
    assert list(recording.column("frame_line")) == [7, NO_LINE, UNKNOWN_LINE]
    assert words(recording, "frame_source") == [b"B.java", b"B.java", b"<Unknown Source>"]


def test_a_trace_that_is_missing_has_a_row() -> None:
    recording = read(HEADER + b"CPU SAMPLES BEGIN (total = 1) Sat\n" + TITLE + b"   1 100.00% 100.00%  1 77 a.B.m\n")
    trace = recording.column("rank_trace")[0]
    assert recording.column("trace_serial")[trace] == 77
    assert recording.column("trace_flags")[trace] == IS_MISSING


def test_a_trace_may_follow_records_that_name_it() -> None:
    section = b"CPU SAMPLES BEGIN (total = 1) Sat\n" + TITLE + b"   1 100.00% 100.00%  1 5 a.B.m\nCPU SAMPLES END\n"
    recording = read(HEADER + section + b"TRACE 5:\n\ta.B.m(B.java:7)\n")
    assert list(recording.column("rank_trace")) == [0]
    assert recording.rows("trace") == 1


def test_a_trace_that_is_printed_twice_holds_for_what_follows() -> None:
    row = b"   1 100.00% 100.00%  1 5 a.B.m\n"
    samples = b"CPU SAMPLES BEGIN (total = 1) Sat\n" + row + b"CPU SAMPLES END\n"
    recording = read(HEADER + b"TRACE 5:\n\ta.B.m(B.java:7)\n" + samples + b"TRACE 5:\n" + samples)
    assert list(recording.column("rank_trace")) == [0, 1]


def test_a_killed_file_keeps_complete_records() -> None:
    dump = b"HEAP DUMP BEGIN (9 objects, 9 bytes) Sat\nOBJ 1 (sz=8, trace=5, class=a.B@2)\n\tnext\t\t1\nOBJ 2 (sz"
    recording = read(HEADER + dump)
    assert list(recording.column("object_id")) == [1]
    assert list(recording.column("section_flags")) == [0]
    assert [offset for _, offset in kinds(recording) if offset == len(HEADER) + dump.index(b"OBJ 2")]
    assert recording.facts["is_truncated"]


def test_references_lead_to_rows_of_their_dump() -> None:
    dump = (
        b"HEAP DUMP BEGIN (9 objects, 9 bytes) Sat\nROOT 2 (kind=<thread>, id=7, trace=5)\n"
        b"OBJ 1 (sz=8, trace=5, class=a.B@3)\n\tnext\t\t2\n\tlost\t\t9\n"
        b"OBJ 2 (sz=8, trace=5, class=a.B@3)\nHEAP DUMP END\n"
    )
    recording = read(HEADER + dump + dump)
    assert list(recording.column("reference_target")) == [1, NONE, 3, NONE]
    assert list(recording.column("root_object")) == [1, 3]
    assert list(recording.column("referrer_first")) == [0, 0, 1, 1, 2]
    assert list(recording.column("referrer")) == [0, 2]


def test_half_a_dump_of_more_than_4_gib_ends_in_the_same_line() -> None:
    dump = b"HEAP DUMP BEGIN (9 objects, 9 bytes) Sat\nOBJ 1 (sz=8, traHEAP DUMP END\nTRACE 5:\n"
    recording = read(HEADER + dump)
    assert list(recording.column("section_flags")) == [HAS_END]
    assert recording.rows("trace") == 1
    assert len(kinds(recording)) == 1


def test_sections_in_the_order_of_a_dump_are_one_snapshot() -> None:
    def section(name: bytes) -> bytes:
        return name + b" BEGIN (total = 0) Sat\n" + name + b" END\n"

    names = [b"MONITOR TIME", b"CPU SAMPLES", b"CPU SAMPLES", b"MONITOR DUMP", b"SITES", b"CPU TIME (ms)"]
    recording = read(HEADER + b"".join(map(section, names)))
    assert list(recording.column("section_snapshot")) == [0, 0, 1, 2, 2, 2]


def test_cpu_times_end_is_the_end_of_cpu_time() -> None:
    recording = read(HEADER + b"CPU TIME (ms) BEGIN (total = 5) Sat\nCPU TIMES END\n")
    assert list(recording.column("section_kind")) == [CPU_TIME]
    assert list(recording.column("section_flags")) == [HAS_END]


def test_ibms_samples_are_samples() -> None:
    recording = read(HEADER + b"CPU SAMPLES BEGIN (1703 samples, 1712 ticks, depth 1)\nCPU SAMPLES END\n")
    assert list(recording.column("section_kind")) == [CPU_SAMPLES]
    assert list(recording.column("section_total")) == [1703]


IBM = b"CPU SAMPLES BEGIN (1703 samples, 1712 ticks, depth 1) Thu Feb 15 14:39:33 2001\n"
IBM_ROWS = (
    b"rank   self  accum   method\n"
    b"   1 14.84% 14.84%   java/lang/String.getChars (II[CI)V\n"
    b"   2  0.06% 14.90%   a/B.<init> (I)V\n"
    b"CPU SAMPLES END\n"
)


def test_ibms_rows_without_count_and_trace_are_samples() -> None:
    recording = read(HEADER + IBM + IBM_ROWS)
    assert kinds(recording) == []
    # 254 of 1,712 ticks are 14.84 %; no count of 1,703 samples is.
    assert list(recording.column("rank_count")) == [254, 1]
    assert list(recording.column("rank_self")) == [1484, 6]
    assert list(recording.column("rank_accum")) == [1484, 1490]
    assert list(recording.column("rank_trace")) == [NONE, NONE]
    names = [recording.method(name) for name in recording.column("rank_name")]
    assert names == [b"java/lang/String.getChars (II[CI)V", b"a/B.<init> (I)V"]
    assert recording.rows("trace") == 0


@pytest.mark.parametrize(
    "begin", [b"CPU SAMPLES BEGIN (total = 1712) Thu\n", b"CPU SAMPLES BEGIN (1712 samples) Thu\n"]
)
def test_rows_without_counts_are_recognised_by_column_titles(begin: bytes) -> None:
    assert list(read(HEADER + begin + IBM_ROWS).column("rank_count")) == [254, 1]


def test_rows_with_counts_are_read_as_such_where_the_titles_show_it() -> None:
    rows = b"rank   self  accum   count trace method\n   1 50.00% 50.00%       6     7 a.B.m\n"
    recording = read(HEADER + IBM + rows)
    assert (list(recording.column("rank_count")), recording.column("trace_serial")[0]) == ([6], 7)


def test_a_row_that_lost_its_count_is_none_where_rows_have_counts() -> None:
    begin = b"CPU SAMPLES BEGIN (total = 12) Thu\nrank   self  accum   count trace method\n"
    recording = read(HEADER + IBM + IBM_ROWS + begin + b"   1 50.00% 50.00% a.B.m\nCPU SAMPLES END\n")
    assert (recording.rows("rank"), [kind for kind, _ in kinds(recording)]) == (2, [NO_ROW])


def test_output_of_the_program_is_kept_as_foreign() -> None:
    recording = read(b"hello\n" + HEADER + b"TRACE 5:\n\tworld\n\n")
    assert recording.facts["foreign_lines"] == 2
    assert kinds(recording) == [(0, len(HEADER) + 15)]


def test_crlf_is_as_good_as_lf() -> None:
    data = HEADER + b"TRACE 5:\n\ta.B.m(B.java:7)\nTHREAD END (id = 5)\n"
    recording = read(data.replace(b"\n", b"\r\n"))
    assert recording.frame(0) == b"a.B.m(B.java:7)"
    assert kinds(recording) == []


def test_a_profile_is_recognised_after_output_and_without_a_header() -> None:
    assert sniff(b"output\n" * 100 + HEADER, "log") == 3
    assert sniff(b"TRACE 5:\n\tFoo.bar(Foo.java)\n", "x") == 2
    assert sniff(b"TRACE the problem:\n\tno\n", "x") == 0
    assert sniff(b"output\nof the program\n", "java.hprof.txt") == 1
    assert sniff(b"output\nof the program\n", "java.hprof.txt.log") == 1
    assert sniff(b"output\n\0", "java.hprof.txt") == 0
    assert sniff(b"output\nCPU SAMPLES END\n", "log") == 2
    assert sniff(b"JAVA PROFILE 1.0.2\0\0\0\0\4", "x") == 0


def test_a_file_without_header_and_records_is_reported_as_no_profile() -> None:
    assert kinds(read(b"output\nof the program\n")) == [(NO_PROFILE, 0)]
    assert kinds(read(b"output\nof the program\n" + HEADER)) == []
