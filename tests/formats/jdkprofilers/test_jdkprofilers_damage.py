"""Damaged profiles: truncated, joined, with program output in between, with unexpected numbers and names."""

from __future__ import annotations

import lzma
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import TESTS, Answer
from examples import more_examples
from hypothesis import given
from hypothesis import strategies as st

from parsers.formats.jdkprofilers.lines import lines
from parsers.formats.jdkprofilers.pairs.reader import PairReader, cut_row
from parsers.formats.jdkprofilers.pairs.recording import PairRecording
from parsers.formats.jdkprofilers.xprof.reader import OutputReader
from parsers.formats.jdkprofilers.xprof.recording import OutputRecording

CORPUS = TESTS / "corpus" / "jdkprofilers"
Run = Callable[..., Answer]


def pairs_in(data: bytes) -> PairRecording:
    return PairReader().read(lambda count, offset: data[offset : offset + count], len(data), is_all=True)


def output_in(data: bytes) -> OutputRecording:
    return OutputReader().read(lambda count, offset: data[offset : offset + count], len(data), is_all=True)


def kinds(recording: PairRecording | OutputRecording) -> list[str]:
    return [problem.kind for problem in recording.problems]


HEADER = b"count callee caller time\n"
PROFILE = b"""
Flat profile of 0.02 secs (4 total ticks): main

  Interpreted + native   Method                        
 50.0%     2  +     0    a.B.c
 50.0%     0  +     2    java.lang.System.arraycopy
100.0%     2  +     2    Total interpreted

"""  # noqa: W291 - as it is printed


# -- java.prof --------------------------------------------------------------------------------------------------------


def test_unknown_methods_hold_a_blank() -> None:
    found = pairs_in(HEADER + b"3 <unknown callee> <unknown caller> 5\n2 a.B.c()V ?.? 1\n")
    assert found.methods.texts == [b"<unknown callee>", b"<unknown caller>", b"a.B.c()V", b"?.?"]
    assert list(found.counts) == [3, 2]


def test_a_row_without_callee_is_kept_and_counted_apart() -> None:
    found = pairs_in(b"# " + HEADER + b"29 a.B.c()V 10\n4 a.B.c()V d.E.f()V 1\n")
    assert (found.without_callee, found.dumps[0].pairs, found.dumps[0].calls) == (1, 1, 4)


def test_wrapped_numbers_are_reported_with_their_true_value() -> None:
    found = pairs_in(HEADER + b"-2 a.B.c()V d.E.f()V -1\n")
    assert (found.counts[0], found.count(0), found.time(0)) == (-2, 2**32 - 2, 2**32 - 1)
    assert kinds(found) == ["overflowed"]


def test_a_number_below_those_of_32_bits_is_reported_to_count_as_printed() -> None:
    found = pairs_in(HEADER + b"-2147483649 a.B.c()V d.E.f()V -2147483648\n")
    assert (found.count(0), found.time(0)) == (-(2**31) - 1, 2**31)
    assert [(problem.kind, problem.done) for problem in found.problems] == [
        ("overflowed", "that one counts as printed")
    ]


@pytest.mark.parametrize("number", [b"99999999999999999999", b"9" * 4000])
def test_a_number_that_is_too_large_for_anything_makes_no_row(number: bytes) -> None:
    found = pairs_in(HEADER + number + b" a.B.c()V d.E.f()V 1\n1 a.B.c()V d.E.f()V 1\n")
    assert (found.pairs, found.unreadable, kinds(found)) == (1, 1, ["unreadable line"])


@pytest.mark.parametrize("long", ["callee", "caller", "both"])
def test_a_name_of_1023_bytes_has_lost_its_blank(long: str) -> None:
    name = b"p." * 511 + b"c"
    callee = name if long != "caller" else b"a.B.c()V "
    caller = name if long != "callee" else b"d.E.f()V "
    row = b"7 " + callee + caller + b"121"
    assert cut_row(row) == (b"7", callee.rstrip(), caller.rstrip(), b"121")
    found = pairs_in(HEADER + row + b"\n")
    assert (found.cut_lines, list(found.counts), list(found.times)) == (1, [7], [121])


def test_a_name_of_1022_bytes_has_its_blank() -> None:
    name = b"p." * 510 + b"cc"
    assert cut_row(b"7 " + name + b" d.E.f()V 1") is None
    assert pairs_in(HEADER + b"7 " + name + b" d.E.f()V 1\n").methods.texts == [name, b"d.E.f()V"]


def test_names_of_other_languages_hold_blanks() -> None:
    found = pairs_in(HEADER + b"7 a.B.does what it should()V d.E.f g(I)V 1\n")
    assert found.methods.texts == [b"a.B.does what it should()V", b"d.E.f g(I)V"]


def test_a_last_line_without_end_counts_nowhere() -> None:
    found = pairs_in(HEADER + b"7 a.B.c()V d.E.f()V 1\n6 a.B.c()V d.E.g()V 12")
    assert (found.pairs, kinds(found)) == (1, ["cut"])


def test_output_before_the_header_and_a_second_header() -> None:
    found = pairs_in(b"Hello\n\n" + HEADER + b"7 a.B.c()V d.E.f()V 1\n" + HEADER + b"1 a.B.c()V d.E.f()V 2\n")
    assert (found.foreign_lines, len(found.dumps), [dump.calls for dump in found.dumps]) == (2, 2, [7, 1])


@pytest.mark.parametrize("name", ["SYNTH_jdk11_java.prof", "SYNTH_jdk10_java.prof"])
def test_cut_anywhere_in_the_heap_part(name: str) -> None:
    data = lzma.decompress((CORPUS / f"{name}.xz").read_bytes())
    data = HEADER + b"7 a.B.c()V d.E.f()V 1\n" + data[data.index(b"handles_used") :]
    start = data.index(b"handles_used")
    whole = pairs_in(data)
    for end in range(start, len(data)):
        found = pairs_in(data[:end])
        assert found.pairs == whole.pairs
        assert len(found.heap_rows) <= len(whole.heap_rows)


# -- -Xprof and -Xaprof -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "broken"),
    [
        (b"Flat profile", b"out 25:1250 Flat profile"),
        (b" 50.0%     0", b"out 9:59  50.0%     0"),
        (b"  Interpreted +", b"  Interpretedout 9:17  +"),
        (b"100.0%     2  +     2    Total", b"100.0%     2 out 7:234\n  +     2    Total"),
        (b"100.0%     2  +", b"x100.0%     2  +"),
    ],
)
def test_output_of_the_program_in_a_line(line: bytes, broken: bytes) -> None:
    found = output_in(PROFILE.replace(line, broken))
    block, section = found.blocks[0], found.sections[0]
    assert (block.name, block.ticks, section.kind, section.total) == (b"main", 4, 0, (100.0, 2, 2))
    assert [found.texts.texts[text] for text in found.method_texts] == [b"a.B.c", b"java.lang.System.arraycopy"]
    assert len(kinds(found)) == 1


ROW_PIECES = (b" 50.0%     2 ", b" +     7 ", b"   ", b"a.B.c", b"\n")
TOTAL_PIECES = (b"100.0%     4 ", b" +     7 ", b"   ", b"Total interpreted", b"\n")
LABEL_PIECES = (b" 50.0%     3", b"        ", b"     ", b"Blocked (of total)", b"\n")
"""Each line as the VM writes it; between two pieces the program may print."""
OUTPUTS = (b"out 2:289", b"out 2:289 ", b"out 2:289\n", b" out 2:289 x\n", b"out 1\nout 2 ", b"\n", b"- + 5 %\n")


def torn(pieces: tuple[bytes, ...], gap: int, output: bytes) -> bytes:
    """A line with output of the program before one of its pieces."""
    return b"".join([*pieces[:gap], output, *pieces[gap:]])


def profile_of(row: bytes, total: bytes, label: bytes) -> bytes:
    """A thread with a row before others, a total and a label."""
    head = (
        b"Flat profile of 0.02 secs (22 total ticks): main\n\n  Interpreted + native   Method                        \n"
    )
    others = b" 50.0%     2  +     0    a.B.d\n"
    return head + row + others + total + b"\n  Thread-local ticks:\n" + label + b" 10.0%     1             Extra\n"


def numbers_of(found: OutputRecording) -> tuple[list[tuple[bytes, int, int]], object, list[tuple[bytes, int]]]:
    names = [found.texts.texts[text] for text in found.method_texts]
    rows = list(zip(names, found.codes, found.natives, strict=True))
    return rows, found.sections[0].total, [(label.name, label.ticks) for label in found.labels]


@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize("gap", range(5))
@pytest.mark.parametrize("what", ["row", "total", "label"])
def test_output_between_the_pieces_of_a_line_loses_no_number_and_no_name(what: str, gap: int, output: bytes) -> None:
    lines = {"row": ROW_PIECES, "total": TOTAL_PIECES, "label": LABEL_PIECES}
    if output.strip() == b"" and gap in (0, 4):
        output = b"x\n"
    data = {
        name: torn(pieces, gap if name == what else 0, output if name == what else b"")
        for name, pieces in lines.items()
    }
    found = output_in(profile_of(**data))
    rows, total, labels = numbers_of(found)
    if what == "row" and (gap == 4 or (gap, output) == (3, b"out 2:289")):
        # The beginning and end of a name are unknown.
        assert b"a.B.c" in rows[0][0]
        rows[0] = (b"a.B.c", *rows[0][1:])
    assert rows == [(b"a.B.c", 2, 7), (b"a.B.d", 2, 0)]
    assert total == (100.0, 4, 7)
    assert labels == [(b"Blocked (of total)", 3), (b"Extra", 1)]
    assert found.problem_count or (what, gap) == ("total", 4) or output.endswith(b"\n")


def test_a_row_that_output_parts_behind_its_blank_is_joined() -> None:
    found = output_in(PROFILE.replace(b"     2  +     0    a.B.c", b"     2  out 7:1\n+     0    a.B.c"))
    assert [(found.texts.texts[text], found.codes[row]) for row, text in enumerate(found.method_texts)] == [
        (b"a.B.c", 2),
        (b"java.lang.System.arraycopy", 0),
    ]
    assert kinds(found) == ["damaged row"]


def test_output_before_a_label_is_left_out_of_its_name() -> None:
    label = b" 50.0%     2             out 2:289 Blocked (of total)\n"
    found = output_in(PROFILE + b"  Thread-local ticks:\n" + label)
    assert [(label.name, label.ticks) for label in found.labels] == [(b"Blocked (of total)", 2)]
    assert (found.blocks[0].active, kinds(found)) == (2, ["mixed line"])
    assert "out 2:289" in found.problems[0].what


def test_an_unknown_label_keeps_its_name() -> None:
    found = output_in(PROFILE + b"  Thread-local ticks:\n 50.0%     2             Something new\n\nout\n")
    assert [(label.name, label.ticks) for label in found.labels] == [(b"Something new", 2)]
    assert (kinds(found), found.output_lines) == ([], 1)


def test_the_rest_of_a_split_name_is_no_name() -> None:
    found = output_in(PROFILE.replace(b"arraycopy\n", b"array out 3\ncopy.of\n").replace(b"a.B.c", b"a.B out 7 x.c"))
    assert found.texts.texts == [b"a.B out 7 x.c", b"java.lang.System.array out 3"]
    assert (kinds(found), found.output_lines) == (["damaged row", "damaged row"], 1)


@pytest.mark.parametrize("name", [b"", b"out 2:289"])
def test_the_line_after_a_row_without_name_is_read_for_itself(name: bytes) -> None:
    data = PROFILE.replace(b"java.lang.System.arraycopy", name).replace(
        b" 50.0%     2  +     0    a.B.c", b" 50.0%     2  +     0    " + name
    )
    found = output_in(data)
    assert (list(found.codes), list(found.natives), found.sections[0].total) == ([2, 0], [0, 2], (100.0, 2, 2))
    assert {found.texts.texts[text] for text in found.method_texts} == {name or b"(not recorded)"}


def test_a_word_of_very_many_parts_is_no_method() -> None:
    word = b"a" + b"$a" * 2000
    found = output_in(PROFILE.replace(b"a.B.c", word))
    assert found.texts.texts == [word, b"java.lang.System.arraycopy"]
    assert found.rows.words(found.method_rows[0]) == ("damaged",)


def test_a_row_whose_name_was_lost_keeps_its_ticks() -> None:
    found = output_in(PROFILE.replace(b"    a.B.c", b" "))
    assert [found.texts.texts[text] for text in found.method_texts] == [
        b"(not recorded)",
        b"java.lang.System.arraycopy",
    ]
    assert (found.sections[0].elided, kinds(found)) == (0, ["damaged row"])


def test_a_line_of_the_program_with_percent_and_plus_is_no_row() -> None:
    found = output_in(PROFILE.replace(b"100.0%     2  +", b"50.0% 5 + 3 pears.eaten\n100.0%     2  +"))
    assert (len(found.codes), found.output_lines, kinds(found)) == (2, 1, [])


def test_a_name_with_output_in_it_is_marked_and_shown_as_printed() -> None:
    found = output_in(PROFILE.replace(b"arraycopy\n", b"arraycopout 25:3250 y\n"))
    assert found.texts.texts == [b"a.B.c", b"java.lang.System.arraycopout 25:3250 y"]
    assert found.rows.words(found.method_rows[1]) == ("damaged",)
    assert kinds(found) == ["damaged row"]


TWICE = PROFILE + b"out 1:2\nout 1:3\n\n" + PROFILE.replace(b": main", b": T 1")
"""Two threads with the same methods, and output of the program between them."""


def broken_name(output: bytes, at: int, name: bytes = b"java.lang.System.arraycopy") -> OutputRecording:
    """Two threads, of which the second one has a name with output of the program at a position."""
    head, tail = TWICE.rsplit(b"java.lang.System.arraycopy", 1)
    return output_in(head + name[:at] + output + name[at:] + tail)


@pytest.mark.parametrize("output", [b"out 25:3250 ", b"out 25:3250\n", b"out 7:1\nout 7:2\n", b"\n"])
@pytest.mark.parametrize("at", range(3, 24))
def test_a_split_name_that_another_row_has_is_joined(output: bytes, at: int) -> None:
    found = broken_name(output, at)
    assert [found.texts.texts[text] for text in found.method_texts] == [b"a.B.c", b"java.lang.System.arraycopy"] * 2
    is_joined = found.rows.words(found.method_rows[3]) == ("repaired",)
    # A row whose line end alone was lost, or whose output is a line of its own, is whole.
    assert is_joined or found.problem_count == 0


@pytest.mark.parametrize(
    ("output", "at", "name", "flag"),
    [
        (b"out 25:3250 ", 9, b"java.util.Unique.of", "repaired"),
        (b"out 25:3250\n", 9, b"java.util.Unique.of", "repaired"),
        (b"out 25:3250\n", 18, b"java.util.Unique.oout 25:3250", "damaged"),
        (b"never said ", 2, b"va.util.Unique.of", "damaged"),
        (b"never\n", 12, b"java.util.Unnever", ""),
        (b"out\n", 12, b"java.util.Unout", "damaged"),
    ],
)
def test_a_name_that_no_other_row_has_is_joined_only_if_the_output_is_known(
    output: bytes, at: int, name: bytes, flag: str
) -> None:
    found = broken_name(output, at, b"java.util.Unique.of")
    assert found.texts.texts[found.method_texts[3]] == name
    assert " ".join(found.rows.words(found.method_rows[3])) == flag


def test_a_name_that_begins_as_another_one_does_is_its_own() -> None:
    found = broken_name(b"", 0, b"java.lang.System.arraycopyOf")
    assert found.texts.texts[found.method_texts[3]] == b"java.lang.System.arraycopyOf"
    found = broken_name(b"Of unknown y", 26)
    assert found.rows.words(found.method_rows[3]) == ("damaged",)


@pytest.mark.parametrize("whole", [b"Total interpreted", b"Blocked (of total)"])
@pytest.mark.parametrize("output", [b"out 2:289 ", b"out 2:289\n", b"done\n"])
def test_a_split_name_of_a_total_or_label_is_joined(whole: bytes, output: bytes) -> None:
    data = profile_of(b"".join(ROW_PIECES), b"".join(TOTAL_PIECES), b"".join(LABEL_PIECES))
    for at in range(1, len(whole)):
        found = output_in(data.replace(whole, whole[:at] + output + whole[at:]))
        assert numbers_of(found) == numbers_of(output_in(data))


def test_a_second_section_of_a_kind_belongs_to_a_thread_whose_head_was_lost() -> None:
    found = output_in(TWICE.replace(b"Flat profile of 0.02 secs (4 total ticks): T 1", b"Flat profout 3 ile"))
    assert [(block.name, block.ticks, len(block.sections)) for block in found.blocks] == [
        (b"main", 4, 1),
        (b"(not recorded)", 4, 1),
    ]
    assert (found.rows.words(found.blocks[1].row), kinds(found)) == (("damaged",), ["damaged head"])


@pytest.mark.parametrize(
    ("head", "name"),
    [
        (b"Flat profile of 0.02 seout 3\ncs (4 total ticks): T 1", b"T 1"),
        (b"Flat profile of 0.02 seout 3", b"(not recorded)"),
        (b"out 3 4 total ticks): T 1", b"T 1"),
    ],
)
def test_a_part_of_a_head_begins_a_thread(head: bytes, name: bytes) -> None:
    data = TWICE.replace(b"Flat profile of 0.02 secs (4 total ticks): T 1", head)
    first, second = data.split(b"100.0%     2  +     2    Total interpreted", 1)
    found = output_in(
        first + b"100.0%     2  +     2    Total interpreted" + second.replace(b"Interpreted", b"Compiled")
    )
    assert [(block.name, block.ticks, len(block.sections)) for block in found.blocks] == [(b"main", 4, 1), (name, 4, 1)]
    assert (found.rows.words(found.blocks[1].row), kinds(found)) == (("damaged",), ["damaged head"])


def test_a_section_after_the_ticks_of_a_thread_belongs_to_the_next_one() -> None:
    labels = b"  Thread-local ticks:\n 50.0%     2             Blocked (of total)\n\n"
    data = TWICE.replace(b"Flat profile of 0.02 secs (4 total ticks): T 1", labels + b"Flout 3", 1)
    found = output_in(data.replace(b"Interpreted +", b"Stub +").replace(b"Stub +", b"Interpreted +", 1))
    assert [(block.name, len(block.sections), len(block.labels)) for block in found.blocks] == [
        (b"main", 1, 1),
        (b"(not recorded)", 1, 0),
    ]


def test_what_looks_like_a_label_is_the_programs() -> None:
    data = (
        PROFILE + b"  Thread-local ticks:\n100.0%     3  anything\n 50.0%     2             Blocked (of total)out 3\n"
    )
    found = output_in(data)
    assert [(label.name, label.ticks) for label in found.labels] == [(b"Blocked (of total)", 2)]
    assert (found.output_lines, found.blocks[0].active) == (1, 2)


def test_a_lost_title_leaves_a_section_without_kind() -> None:
    found = output_in(PROFILE.replace(b"  Interpreted + native   Method", b"  Interpr"))
    assert [section.kind for section in found.sections] == [4]
    assert [section.ticks for section in found.sections] == [4]


def test_a_lost_row_is_missing_in_the_total() -> None:
    found = output_in(PROFILE.replace(b" 50.0%     2  +     0    a.B.c\n", b" 50.0\n"))
    assert (found.sections[0].elided, kinds(found)) == (2, ["wrong total"])


def test_a_section_that_is_cut_has_no_total() -> None:
    found = output_in(PROFILE[: PROFILE.index(b"100.0%")])
    assert (found.sections[0].total, found.sections[0].ticks, kinds(found)) == (None, 4, ["cut"])


def test_lines_after_a_block_are_the_programs_own() -> None:
    found = output_in(PROFILE + b"done\nnow\n" + PROFILE)
    depths = [found.rows.depths[row] for row in range(len(found.rows)) if found.rows.kinds[row] >= 14]
    assert (depths, len(found.blocks)) == ([0, 1, 1], 2)


def test_classes_that_are_not_listed() -> None:
    data = (
        b"Allocation profile (sizes in bytes, cutoff = 500 bytes):\n\n"
        b"________________Size__Instances__Average__Class________________\n"
        b"                1000         10      100  [[Ljava.lang.String;\n"
        b"Hello\n"
        b"                1400         20       70  --total--\n"
    )
    found = output_in(data)
    table = found.tables[0]
    assert (table.cutoff, table.size, table.total, found.output_lines) == (500, 1000, (1400, 20, 70), 1)
    assert [found.rows.kinds[row] for row in range(len(found.rows))] == [10, 11, 14, 15, 12, 13]


# -- any bytes --------------------------------------------------------------------------------------------------------

PIECES = [
    HEADER,
    b"# ",
    b"12 a.B.c()V d.E.f()V 3\n",
    b"-1 ",
    b"<unknown caller>",
    b"handles_used: 1174, handles_free: 339046, heap-used: 113960, heap-free: 21794720\n",
    b"[C     174      19060     5\n",
    b"*** tab[267] p=4bba378 cb=1873248 cnt=219 ac=3 al=1103\n",
    b"  Ljava/util/HashtableEntry; 219 3504\n",
    *PROFILE.splitlines(keepends=True),
    b"Flat profile of 0.02 secs (4 total ticks): ",
    b"  Thread-local ticks:\n",
    b" 50.0%     3             Blocked (of total)",
    b"Global summary of 1.22 seconds:\n",
    b" Bytecode ticks:\n",
    b"     2    0 = goto\n",
    b"Allocation profile (sizes in bytes, cutoff = 0 bytes):\n",
    b"            13491592     186025       73  [I\n",
    b"                1400         20       70  --total--\n",
    b"\r\n",
    b"\xff\xc3(",
    b"\0",
]


@more_examples(2)
@given(st.lists(st.one_of(st.sampled_from(PIECES), st.binary(max_size=12)), max_size=30).map(b"".join))
def test_any_bytes_are_read(data: bytes) -> None:
    for found in (pairs_in(data), output_in(data)):
        count = data.count(b"\n") + bool(data and not data.endswith(b"\n"))
        assert found.lines == count
        assert sorted(found.rows.offsets) == list(found.rows.offsets)


@more_examples(2)
@given(st.lists(st.sampled_from([b"a", b"\n", b"\r\n", b"bb"])).map(b"".join), st.integers(1, 5))
def test_lines_in_blocks_are_those_of_the_whole(data: bytes, block: int) -> None:
    parts = lines(lambda count, offset: data[offset : offset + min(count, block)], len(data))
    found = [(offset, text, has_end) for offset, text, has_end in parts]
    expected, start = [], 0
    for line in data.splitlines(keepends=True) if b"\r" not in data.replace(b"\r\n", b"") else []:
        expected.append((start, line.rstrip(b"\r\n"), line.endswith(b"\n")))
        start += len(line)
    assert found == expected


@pytest.mark.parametrize("name", ["quit-old.txt.xz", "SYNTH_jdk11_java.prof.xz", "xprof_mixed.txt", "SYNTH_xaprof.txt"])
def test_commands_answer_for_bytes_that_were_changed(name: str, tmp_path: Path, coffeetree: Run) -> None:
    packed = (CORPUS / name).read_bytes()
    data = bytearray(lzma.decompress(packed) if name.endswith(".xz") else packed)[-60_000:]
    if name.endswith("-old.txt.xz") or "java.prof" in name:
        data[:0] = HEADER
    chance = random.Random(name)
    for _ in range(60):
        data[chance.randrange(len(HEADER), len(data))] = chance.choice(b"\n\r %+0()\xff.9/-")
    path = tmp_path / "changed"
    path.write_bytes(data)
    as_format = [
        "--json",
        "--format",
        {"x": "xprof", "S": "xaprof"}.get(name[0] if "java" not in name else "", "java-prof"),
    ]
    for words in (["info", path], ["tree", "--depth", "all", "--limit", "300", path], ["find", path, "a"]):
        answer = coffeetree(words[0], *as_format, *words[1:])
        assert answer.status in (0, 1, 3), answer.err
    names = [view["name"] for view in coffeetree("info", *as_format, path).json["views"]]
    for view in names:
        answer = coffeetree("tree", *as_format, "--view", view, "--depth", "2", "--limit", "200", path)
        for row in answer.rows[::23]:
            shown = coffeetree("show", *as_format, "--view", view, path, row["ref"])
            if row["depth"] == 0 or view != "Methods":
                assert (row["ref"], shown.json["row"]["label"]) == (row["ref"], row["label"])


# -- what every report keeps to ---------------------------------------------------------------------------------------

SMALL = ["quit-old.txt.xz", "SYNTH_jdk11_java.prof.xz", "xprof_mixed.txt", "xprof_noisy_small.txt", "SYNTH_xaprof.txt"]


@pytest.fixture(params=SMALL)
def sample(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    data = (CORPUS / request.param).read_bytes()
    path = tmp_path / "sample"
    path.write_bytes(lzma.decompress(data) if request.param.endswith(".xz") else data)
    return path


def counted(info: dict[str, Any]) -> dict[str, Any]:
    names = ("format", "format_version", "encoding", "views", "problems")
    return {name: info[name] for name in names} | {"totals": {**info["totals"], "bytes": 0}}


def test_other_line_ends_change_only_offsets(sample: Path, tmp_path: Path, coffeetree: Run) -> None:
    changed = tmp_path / "changed"
    changed.write_bytes(sample.read_bytes().replace(b"\n", b"\r\n"))
    before, after = (coffeetree("info", "--json", path).json for path in (sample, changed))
    assert (before["line_end"], after["line_end"]) == ("lf", "crlf")
    assert counted(before) == counted(after)


def test_every_link_leads_somewhere(sample: Path, coffeetree: Run) -> None:
    links = set[tuple[str, str | None]]()
    for view in coffeetree("info", "--json", sample).json["views"]:
        options = ["--view", view["name"]]
        rows = coffeetree("tree", "--json", *options, "--depth", "2", "--limit", "150", sample).rows
        for row in rows[:: max(1, len(rows) // 5)]:
            shown = coffeetree("show", "--json", *options, sample, row["ref"])
            if shown.status == 2:
                assert row["ref"].startswith("node:")
                continue
            of_sections = [each for section in shown.json["sections"] for each in section["rows"]]
            links.update((each["ref"], each["view"]) for each in [*of_sections, *shown.json["links"]] if each["ref"])
            links.update([(row["link"], None)] if row["link"] else [])
    for ref, there in links:
        answer = coffeetree("show", *(["--view", there] if there else []), sample, ref)
        assert (ref, there, answer.status) == (ref, there, 0)


def test_lines_that_hold_a_text(sample: Path, coffeetree: Run) -> None:
    count = sum(b"java" in line for line in sample.read_bytes().split(b"\n"))
    assert coffeetree("find", "--count", "--json", sample, "java").json == {"count": count}


def test_a_large_file_shows_its_head_at_first(sample: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from parsers.io.cache import Cache
    from parsers.reports import whole as whole_report
    from parsers.runtime.opening import open_report

    whole = open_report([str(sample)], cache=Cache(keep=False))
    rows, totals = {view.name: view.row_count for view in whole.views}, whole.totals
    monkeypatch.setattr(whole_report, "AT_ONCE", 0)
    report = open_report([str(sample)], cache=Cache(keep=False))
    assert (report.is_complete, report.totals) == (False, {})
    before = [report.views[0].tree.row(node).label for node in report.views[0].tree.roots()]
    report.start_index()
    report.wait()
    after = [report.views[0].tree.row(node).label for node in report.views[0].tree.roots()]
    assert (report.totals, after[: len(before)]) == (totals, before)
    header = {"Caller pairs": 1} if report.format == "java-prof" and sample.stat().st_size < 210_000 else {}
    assert {view.name: view.row_count for view in report.views} == {
        name: count and count + header.get(name, 0) for name, count in rows.items()
    }
    report.close()
    whole.close()


def test_a_profile_after_much_output(tmp_path: Path, coffeetree: Run) -> None:
    path = tmp_path / "program.log"
    path.write_bytes(b"working hard\n" * 20_000 + PROFILE)
    info = coffeetree("info", "--json", path).json
    assert (info["format"], info["totals"]["lines_of_program_output"]) == ("xprof", 20_000)


def test_both_profiles_in_one_file_show_the_views_of_both(tmp_path: Path, coffeetree: Run) -> None:
    flat, allocations = ((CORPUS / name).read_bytes() for name in ("xprof_mixed.txt", "SYNTH_xaprof.txt"))
    path = tmp_path / "both"
    for data, format, names in (
        (flat + allocations, "xprof", ["Methods", "Threads", "Classes"]),
        (allocations + flat, "xaprof", ["Classes", "Methods", "Threads"]),
    ):
        path.write_bytes(data)
        info = coffeetree("info", "--json", path).json
        assert (info["format"], [view["name"] for view in info["views"]]) == (format, names)
        assert (len(info["totals"]["xaprof"]["tables"]), info["totals"]["xprof"]["rows_total"]) == (1, 36)


def test_an_empty_file_of_that_name_shows_why(tmp_path: Path, coffeetree: Run) -> None:
    path = tmp_path / "java.hprof.txt"
    path.write_bytes(b"")
    answer = coffeetree("info", path)
    assert (answer.status, "can't profile programs with lambdas" in answer.err) == (2, True)


def test_suppressed_methods_close_their_descendants(coffeetree: Run) -> None:
    path = CORPUS / "xprof_mixed.txt"
    words = ["tree", "--json", "--depth", "all", "--suppress-methods", "work.Mixed.*", path]
    rows = coffeetree(*words).rows
    assert [row["flags"] for row in rows if row["label"] == "work.Mixed.garbage"] == [["suppressed"]]
    assert [row["label"] for row in rows if row["kind"] == "row"].count("garbage") == 0


def test_suppressed_methods_unfold_no_callers(coffeetree: Run) -> None:
    path = CORPUS / "recursion-old.txt.xz"
    words = ["tree", "--json", "--view", "Methods", "--depth", "1", "--limit", "all"]
    rows = coffeetree(*words, "--suppress-methods", "DeepRecursion.*", path).rows
    met = {row["label"].startswith("DeepRecursion.") for row in rows if "suppressed" in row["flags"]}
    others = [
        row for row in rows if row["depth"] == 0 and row["label"].startswith("DeepRecursion.") and row["children"]
    ]
    assert (met, others) == ({True}, [])


def test_the_path_to_a_method_begins_at_a_method_without_known_callers(coffeetree: Run) -> None:
    path = CORPUS / "quit-old.txt.xz"
    answer = coffeetree("why", "--json", path, "method:ContendedMonitors.pause(long):void")
    labels = [row["label"] for row in answer.json["path"]]
    assert labels == [
        "ContendedMonitors$Worker.run():void <- <unknown caller>",
        "ContendedMonitors.pause(long):void <- ContendedMonitors$Worker.run():void",
    ]


def test_callers_of_a_method_are_its_references(coffeetree: Run) -> None:
    path = CORPUS / "quit-old.txt.xz"
    rows = coffeetree("refs", "--json", path, "method:ContendedMonitors.pause(long):void").rows
    assert [row["badges"]["count"] for row in rows] == [3943, 577, 26, 4664, 649, 30, 5353, 726, 35]
    named = coffeetree("find", "--json", "--name", path, "ContendedMonitors.pause").rows
    assert [row["line"] for row in named] == [15]


def test_callers_and_callees_unfold_and_stop_at_recursion(coffeetree: Run) -> None:
    path = CORPUS / "recursion-old.txt.xz"
    words = ["tree", "--json", "--view", "Methods", "--at", "method:DeepRecursion.ackermann(int, int):int"]
    rows = coffeetree(*words, "--depth", "2", path).rows
    assert [row["label"] for row in rows if row["depth"] == 1] == ["called by", "calls"]
    own = [row for row in rows if row["depth"] == 2 and "ackermann" in row["label"]]
    assert [(row["kind"], row["flags"], row["children"]) for row in own] == [
        ("caller", ["recursive"], 0),
        ("callee", ["recursive"], 0),
    ]
