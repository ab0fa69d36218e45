"""Results of plain code for damaged and unusual recordings, each of a few elements."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from tptp_events import CORPUS, NAMES, opened, read_by_kernel, read_plainly, sample

from parsers.formats.tptp.format import sniff
from parsers.formats.tptp.read.parts import DocumentPart, parts_of
from parsers.formats.tptp.read.scanner import MOST, attributes_of, construct_at
from parsers.formats.tptp.schema.values import nanoseconds
from parsers.formats.tptp.schema.vocabulary import MOST_OWN, PLAIN, vocabulary

CALL = b'<methodEntry threadIdRef="8" time="5.000000001" methodIdRef="4" classIdRef="5" ticket="6" stackDepth="7"/>'
END = b'<threadEnd threadIdRef="8" time="6.000000000"/>'


def names(data: bytes) -> list[str]:
    return read_plainly(data).names


def findings(data: bytes) -> list[tuple[str, int, int]]:
    return read_plainly(data).findings


# -- the truth of the samples -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_a_sample_equals_its_truth_by_kernels_and_by_plain_code(name: str) -> None:
    source = opened(name)
    data, parts = source.pread(source.size, 0), parts_of(source)
    read = read_by_kernel(data, parts)
    if source.size <= 3 << 20:  # Plain code takes long for more.
        assert read_plainly(data, parts) == read
        assert read_by_kernel(data, parts, chunk=3000) == read
    sessions = json.loads((CORPUS / f"{name}.truth.json").read_text("utf-8"))["sessions"]
    counts = Counter(read.names)
    counts.pop("TRACE", None)
    assert counts == sum((Counter(session["elements"]) for session in sessions), Counter())
    assert read.states == [session["end"] for session in sessions]
    assert [end.member for end in read.ends] == [session["member"] for session in sessions]
    assert [end.zeros for end in read.ends] == [session["nul_tail"] for session in sessions]
    for end, session in zip(read.ends, sessions, strict=True):
        assert end.facts is not None
        said_of = {"declared": end.declared, "used": end.used, "lying": end.facts["lying"]}
        assert said_of == session["encoding"]
        start = end.facts["start"]
        stored = data[start : end.offset]
        if end.used == "UTF-16":
            stored = stored.decode().encode("utf-16")
        assert len(stored) == session["last_good_offset"]
        assert end.facts["options"] == session["options"]
        assert end.facts["recordings"] == session["recordings"]
        agents = [{key: agent[key] for key in session["agents"][0]} for agent in end.facts["agents"]]
        assert agents == session["agents"]
        filters = [[each["mode"], each["pattern"], each["genericPattern"]] for each in end.facts["filters"]]
        assert filters == session["filters"]


@pytest.mark.parametrize("name", NAMES)
def test_samples_are_known_by_what_they_begin_with(name: str) -> None:
    assert sniff(opened(name).head, "any") == 3


@pytest.mark.parametrize("size", [300, 1000, 7777])
def test_ends_of_blocks_do_not_matter(size: int) -> None:
    data = sample("gen_all_unknown_undefined")
    assert read_plainly(data, block=size) == read_plainly(data)


# -- damage -----------------------------------------------------------------------------------------------------------


def test_without_an_end_tag_all_is_there_and_a_quiet_note() -> None:
    read = read_plainly(b"<TRACE>" + CALL)
    assert (read.names, read.states) == (["TRACE", "methodEntry"], ["no end tag"])
    assert read.findings == [("no end mark", 7 + len(CALL), 0)]


@pytest.mark.parametrize("cut", range(1, len(END)))
def test_a_cut_element_is_not_delivered_wherever_it_is_cut(cut: int) -> None:
    read = read_plainly(b"<TRACE>" + CALL + END[:cut])
    assert (read.names, read.states) == (["TRACE", "methodEntry"], ["cut inside an element"])
    rest = len(END[:cut].rstrip())
    assert read.findings == [("cut element", 7 + len(CALL), rest)]
    assert (read.ends[0].offset, read.ends[0].rest) == (7 + len(CALL), rest)


def test_a_whole_document_is_closed() -> None:
    read = read_plainly(b'<?xml version="1.0"?>\n<TRACE>\n' + CALL + b"\n</TRACE>\n")
    assert (read.states, read.findings, read.ends[0].offset) == (["closed"], [], 30 + len(CALL) + 9)


def test_elements_without_a_root_are_a_session() -> None:
    read = read_plainly(CALL + b"\n" + END)
    assert (read.names, read.states) == (["methodEntry", "threadEnd"], ["no end tag"])


def test_two_documents_are_two_sessions() -> None:
    one = b'<?xml version="1.0"?><TRACE><node nodeId="a"/>' + CALL + b"</TRACE>"
    read = read_plainly(one + b"\n" + one)
    assert read.states == ["closed", "closed"]
    assert [mark.offset for mark in read.events if len(mark) == 9 and mark[3] is None] == [0, len(one) + 1]
    assert read.findings == [("second session", len(one) + 1, 0)]


@pytest.mark.parametrize("begin", [b"<TRACE>", b'<node nodeId="a"/>'])
def test_a_second_root_or_node_begins_a_session(begin: bytes) -> None:
    read = read_plainly(begin + CALL + begin + CALL)
    assert len(read.ends) == 2
    assert [end.offset for end in read.ends] == [len(begin + CALL), len(begin + CALL) * 2]


def test_junk_between_elements_is_counted() -> None:
    assert findings(b"<TRACE>" + CALL + b"  some junk " + CALL + b"</TRACE>") == [("junk", 7 + len(CALL) + 2, 9)]
    assert names(b"some program output\n<TRACE>" + CALL) == ["TRACE", "methodEntry"]


def test_text_inside_an_element_is_no_junk() -> None:
    data = b'<TRACE><code type="x">text</code>' + CALL + b"</TRACE>"
    assert (names(data), findings(data)) == (["TRACE", "code", "methodEntry"], [])


def test_a_torn_element_is_skipped_and_reported() -> None:
    torn = b'<objAlloc threadIdRef="8" ti'
    data = b"<TRACE>" + torn + CALL + b"</TRACE>"
    assert (names(data), findings(data)) == (["TRACE", "methodEntry"], [("torn element", 7, len(torn))])


def test_elements_in_a_hole_of_zeros_are_lost() -> None:
    data = b"<TRACE>" + CALL[:30] + bytes(500) + CALL[60:] + END + b"</TRACE>"
    assert (names(data), [kind for kind, _, _ in findings(data)]) == (["TRACE", "threadEnd"], ["torn element"])
    assert findings(CALL + bytes(50) + END + b"</TRACE>") == [("zeros", len(CALL), 50)]


def test_zeros_at_the_end_are_reported_with_their_number() -> None:
    read = read_plainly(b"<TRACE>" + CALL + bytes(4096))
    assert (read.ends[0].zeros, read.states) == (4096, ["no end tag"])
    read = read_plainly(b"<TRACE>" + CALL + b"<thr" + bytes(512))
    assert (read.ends[0].zeros, read.ends[0].rest, read.states) == (512, 4, ["cut inside an element"])


def test_a_raw_less_than_in_a_name_costs_no_element() -> None:
    data = b'<TRACE><threadStart threadId="1" threadName="a<b"/>' + CALL + b"</TRACE>"
    read = read_plainly(data)
    assert read.names == ["TRACE", "threadStart", "methodEntry"]
    assert read.events[2][3][4] == "a<b"
    assert [kind for kind, _, _ in read.findings] == ["not well formed"]


def word(attribute: bytes, prologue: bytes = b"") -> Any:
    return read_plainly(prologue + b"<threadStart threadId='1' threadName=" + attribute + b"/>").events[-2][3][4]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (b'"a>b"', "a>b"),
        (b"'a\"b'", 'a"b'),
        (b'"&lt;&amp;&gt;&quot;&apos;"', "<&>\"'"),
        (b'"&#65;&#x1F600;"', "A\U0001f600"),
        (b'"&foo;&#0;&"', "&foo;&#0;&"),
        (b'"a\nb\r\nc\td"', "a b c d"),
        (b'"caf\xc3\xa9"', "café"),
        (b'"caf\xe9"', "café"),
        (b'"\x93quoted\x94"', "“quoted”"),
        (b'"\xed\xa0\xbd\xed\xb8\x80"', "\U0001f600"),
        (b'"nul\xc0\x80"', "nul\0"),
        (b'"\xed\xa0\xbd"', "\ufffd"),
        (b'"control\x01"', "control\x01"),
    ],
)
def test_names_as_they_are_meant(written: bytes, meant: str) -> None:
    assert word(written) == meant


def test_a_declared_encoding_is_believed_while_it_can_be() -> None:
    prologue = b'<?xml version="1.0" encoding="%b"?>'
    assert word(b'"caf\xc3\xa9"', prologue % b"ISO-8859-1") == "cafÃ©"
    assert word(b'"\xa4"', prologue % b"ISO-8859-15") == "€"
    assert word(b'"caf\xc3\xa9"', prologue % b"no-such-encoding") == "café"
    read = read_plainly(prologue % b"US-ASCII" + b"<threadStart threadName='\xc3\xa9'/>")
    assert (read.ends[0].declared, read.ends[0].used) == ("US-ASCII", "UTF-8")
    assert [kind for kind, _, _ in read.findings] == ["lying encoding", "no end mark"]


def test_nothing_of_a_document_type_is_expanded() -> None:
    data = (
        b'<?xml version="1.0"?><!DOCTYPE TRACE [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;"><!-- \' -->\n'
        b'<!ENTITY c SYSTEM "file:///etc/passwd">]>\n<TRACE><threadStart threadId="1" threadName="&b;&c;"/></TRACE>'
    )
    read = read_plainly(data)
    assert read.names == ["TRACE", "threadStart"]
    assert read.events[2][3][4] == "&b;&c;"
    assert read.findings[0][0] == "document type"


def test_comments_instructions_and_character_data_hold_no_elements() -> None:
    data = b"<TRACE><!--" + CALL + b"--><?x " + CALL + b"?><![CDATA[" + CALL + b"]]>" + CALL + b"</TRACE>"
    assert (names(data), findings(data)) == (["TRACE", "methodEntry"], [])


def test_attributes_in_any_order_and_the_first_of_a_name() -> None:
    read = read_plainly(b"<objFree time='1.5' objIdRef='3' objIdRef='4' />")
    assert read.events[1][3] == (None, 1_500_000_000, 3, None, None, None, None, None)
    assert [kind for kind, _, _ in read.findings] == ["not well formed", "no end mark"]


def test_other_names_of_elements_and_attributes() -> None:
    read = read_plainly(b'<objReference heapDumpIdRef="1" ownerIdRef="2" refIdRef="3"/>')
    assert read.events[1][3] == (None, None, 2, None, 3, 1, None, None)
    read = read_plainly(b'<objFree transientObjIdRef="7"/><objFree transientObjIdRef="7" objIdRef="8"/>')
    assert [event[3][2] for event in read.events[1:3]] == [7, 8]


def test_ids_that_are_no_digits_are_words() -> None:
    read = read_plainly(b'<objFree objIdRef="0x1f"/><objFree objIdRef="-5"/><objFree objIdRef="1234567890123456789"/>')
    assert [event[3][2] for event in read.events[1:4]] == ["0x1f", "-5", "1234567890123456789"]


def test_numbers_that_are_none_are_left_out() -> None:
    data = b'<objAlloc objId="1" size="-1" isArray="maybe" time="now"/><objFree time="x" objIdRef="" objIdRef="2"/>'
    for read in (read_plainly(data), read_by_kernel(data)):
        assert read.events[1][3] == (None, None, 1, None, None, None, None, None)
        assert read.events[2][3] == (None, None, 2, None, None, None, None, None)


def test_unknown_elements_and_attributes_are_reported() -> None:
    read = read_plainly(b'<vendorEvent payload="&lt;"/><methodExit threadIdRef="1" cpu="3"/>')
    assert read.events[1][0] == "vendorEvent"
    assert read.ends[0].facts is not None
    assert read.ends[0].facts["others"] == [["methodExit", "cpu"]]


def test_names_with_a_prefix_are_local() -> None:
    read = read_plainly(b'<t:objFree xmlns:t="urn:x" t:objIdRef="5"/>')
    assert (read.names, read.events[1][3][2]) == (["objFree"], 5)


def test_a_tag_that_is_longer_than_any_is_passed_by() -> None:
    data = b'<TRACE><option key="a" value="%b"/>' + CALL
    assert names(data % (b"x" * (MOST - 30))) == ["TRACE", "option", "methodEntry"]
    assert names(data % (b"x" * MOST)) == ["TRACE", "methodEntry"]


def test_members_are_sessions_of_their_own_even_empty_ones() -> None:
    parts = [DocumentPart("a", 0, 20), DocumentPart("b", 20, 20), DocumentPart("c", 20, 20 + len(END))]
    read = read_plainly(CALL[:20] + END, parts)
    assert [end.member for end in read.ends] == ["a", "b", "c"]
    assert read.states == ["cut inside an element", "no end tag", "no end tag"]


@pytest.mark.parametrize(
    ("written", "nanos"),
    [
        ("1178705700.867187500", 1178705700867187500),
        ("0.000022999", 22999),
        ("5", 5_000_000_000),
        ("-1.5", None),
        ("1.1234567891", 1_123_456_789),
        ("9223372036.0", None),
        ("1e5", None),
        ("", None),
        (".5", None),
        ("٣", None),
    ],
)
def test_times_keep_every_digit(written: str, nanos: int | None) -> None:
    assert nanoseconds(written) == nanos


# -- names of a user --------------------------------------------------------------------------------------------------


def test_a_user_adds_names(tmp_path: Path) -> None:
    file = tmp_path / "tptp-names"
    file.write_text("# mine\nheapRef = objectReference\n from=srcIdRef # the holder\nbad line\ntime = size\nx = y\n")
    own = vocabulary(str(file))
    assert own.own == (("heapRef", "objectReference"), ("from", "srcIdRef"))
    data = b'<heapRef heapDumpIdRef="1" from="2" targetIdRef="3"/>'
    for read in (read_plainly(data, names=own), read_by_kernel(data, names=own)):
        assert read.events[1] == ("heapRef", 0, len(data), (None, None, 2, None, 3, 1, None, None))
    assert own.digest != vocabulary(str(tmp_path / "none")).digest == ""


def test_names_of_a_user_change_what_an_index_is_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from parsers.formats.registry import format_named
    from parsers.runtime.opening import note_settings

    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    source = opened("gen_exec")
    before = source.identity
    (tmp_path / "coffeetree").mkdir()
    (tmp_path / "coffeetree" / "tptp-names").write_text("from = srcIdRef\n")
    note_settings([source], format_named("tptp-trace"))
    assert source.identity != before
    (tmp_path / "coffeetree" / "tptp-names").write_bytes(b"a = time\n" * 2 * MOST_OWN + b"\xff = time")
    assert vocabulary() is not PLAIN


# -- a strict parser and the scanner ----------------------------------------------------------------------------------

ATTRIBUTES = st.lists(
    st.tuples(
        st.sampled_from(["time", "objIdRef", "threadName", "name", "own", "xml:lang"]),
        st.text(st.sampled_from("a1 .<>&'\"é😀\n\t-"), max_size=8),
        st.sampled_from("'\""),
    ),
    max_size=4,
    unique_by=lambda each: each[0],
)


def escaped(value: str, quote: str) -> str:
    value = value.replace("&", "&amp;").replace("<", "&lt;").replace("\n", "&#10;")
    return value.replace('"', "&quot;") if quote == '"' else value.replace("'", "&#39;")


@given(st.lists(st.tuples(st.sampled_from(["objFree", "threadStart", "x"]), ATTRIBUTES, st.booleans()), max_size=6))
def test_the_scanner_finds_what_a_strict_parser_finds(elements: list[Any]) -> None:
    written = ""
    for name, attributes, is_open in elements:
        told = "".join(f" {key}={quote}{escaped(value, quote)}{quote}" for key, value, quote in attributes)
        written += f"<{name}{told}>\n</{name}>" if is_open else f"<{name}{told}/>\n"
    data = written.encode()
    root = etree.fromstring(b"<T>%b</T>" % data)
    strict = [(each.tag, [(key.rpartition("}")[2], value) for key, value in each.attrib.items()]) for each in root]
    constructs = [construct_at(data, found.start(), len(data)) for found in re.finditer(b"<[^/]", data)]
    assert [(each.name.decode(), attributes_of(each.attributes.decode())) for each in constructs if each] == strict
    assert [finding for finding in findings(data) if finding[0] != "no end mark"] == []


@pytest.mark.parametrize("encoding", ["idna", "punycode", "iso-2022-jp", "raw_unicode_escape", "unicode_escape", "hz"])
def test_elements_are_read_in_any_declared_encoding(encoding: str) -> None:
    thread = '<threadStart threadId="8" threadName="é\\x41"/>'.encode("latin-1")
    assert names(b'<?xml version="1.0" encoding="%s"?><TRACE>' % encoding.encode() + thread + CALL).count("methodEntry")


def test_a_byte_order_mark_is_no_junk() -> None:
    assert [kind for kind, _, _ in findings(b"\xef\xbb\xbf<TRACE>" + CALL)] == ["no end mark"]
    assert ("junk", 7 + len(CALL), 3) in findings(b"<TRACE>" + CALL + b"\xef\xbb\xbf" + CALL)
    assert read_by_kernel(b"\xef\xbb\xbf" + CALL) == read_plainly(b"\xef\xbb\xbf" + CALL)
