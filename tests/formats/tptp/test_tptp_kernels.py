"""The kernel that reads recordings gives what plain code gives: on samples cut and changed, on what is made up,
wherever chunks end."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from examples import more_examples
from hypothesis import given, settings
from hypothesis import strategies as st
from tptp_events import SMALL, read_by_kernel, read_plainly, sample, whole

from parsers.formats.tptp.read import element_chunk
from parsers.formats.tptp.read.blocks import PlainReader
from parsers.formats.tptp.read.kernel_reader import KernelReader
from parsers.formats.tptp.read.parts import DocumentPart
from parsers.formats.tptp.read.session_state import MOST_SESSIONS
from parsers.formats.tptp.schema.batch import NEVER, EventBatch
from parsers.formats.tptp.schema.values import MOST_OTHERS
from parsers.formats.tptp.schema.vocabulary import ATTRIBUTES, ELEMENTS, NOTHING, PLAIN, ROOT_TYPES, SLOTS
from parsers.index.build import ChangedReport
from parsers.io.concatenated import MemoryBytes

CHUNK = 3000


@given(st.sampled_from(SMALL), st.integers(0, 2**32), st.sampled_from([100, 1000, CHUNK, 1 << 20]))
def test_cut_and_changed_samples(name: str, seed: int, chunk: int) -> None:
    random, data = Random(seed), bytearray(sample(name))
    start = random.randrange(len(data) - 9000)
    data = data[start : start + 9000]
    for _ in range(random.choice((0, 1, 5, 60))):
        place = random.randrange(len(data))
        match random.randrange(4):
            case 0:
                data[place] = random.randrange(256)
            case 1:
                data[place] = random.choice(b"<>/=\"'&! \n\0?-9.")
            case 2:
                del data[place : place + random.randrange(200)]
            case _:
                data[place:place] = random.choice((b"<!--", b"-->", b"<![CDATA[", b"]]>", b"<", b"</TRACE>", bytes(40)))
        data = data or bytearray(b"<")
    plain = read_plainly(bytes(data))
    assert read_by_kernel(bytes(data), chunk=chunk) == plain
    assert read_plainly(bytes(data), block=chunk) == plain


VALUES = st.one_of(
    st.integers(-10, 10**20).map(str),
    st.tuples(st.integers(0, 10**11), st.integers(0, 10**10)).map(lambda pair: f"{pair[0]}.{pair[1]}"),
    st.integers(0, 10**9).map(lambda nanos: f"1178705700.{nanos:09}"),
    st.sampled_from(["true", "false", "truex", "0", "1", "", "&lt;", "a>b", "é", "UUID-1-2", " 5", "5 ", *ROOT_TYPES]),
)
NAMED = st.sampled_from(
    [*ATTRIBUTES, "transientObjIdRef", "transientThreadIdRef", "sourceIdRef", "ownerThreadIdRef", "other", "x" * 30]
)
KNOWN = st.sampled_from([name for name in ELEMENTS if name not in ("TRACE", "node")] + ["objReference", "own"])


@st.composite
def written(draw: st.DrawFn) -> bytes:
    """An element, mostly one that a kernel reads."""
    parts = [f"<{draw(KNOWN)}"]
    for name, value in draw(st.lists(st.tuples(NAMED, VALUES), max_size=6)):
        quote = draw(st.sampled_from('"""\''))
        blank = draw(st.sampled_from((*(" ",) * 9, "  ", "\n", "\t ", "")))
        sign = draw(st.sampled_from((*("=",) * 9, " =", "= ")))
        parts.append(f"{blank}{name}{sign}{quote}{value}{quote}")
    end = draw(st.sampled_from((*("/>",) * 9, " />", ">", "/", "/ >", "", "></own>")))
    return "".join((*parts, end, draw(st.sampled_from(("", "\n", "\r\n", " ", "junk", "\0"))))).encode()


@given(st.lists(written(), max_size=8), st.sampled_from([60, 1 << 20]))
def test_made_up_elements(elements: list[bytes], chunk: int) -> None:
    data = b"".join(elements)
    assert read_by_kernel(data, chunk=chunk) == read_plainly(data)


PIECES = [
    *(
        b"<TRACE>",
        b"</TRACE>",
        b"<TRACE/>",
        b"<node/>",
        b'<node hostname="h"/>',
        b"<t:node/>",
        b"<traceStart/>",
        b"</t:TRACE>",
    ),
    *(
        b"<a>",
        b"</a>",
        b"</a >",
        b"<a/>",
        b"<a b='1' c=\"2\"/>",
        b"<a b='1' b='2'/>",
        b"<a b='<'/>",
        b"<a b='\1\t'/>",
        b"<x:a/>",
    ),
    *(
        b"<a b='&lt;&#65;&#x1F600;'/>",
        b"<a b='&#0;'/>",
        b"<a b='&#x110000;'/>",
        b"<a b='&foo;'/>",
        b"<a b='&#;'/>",
        b"<a:/>",
    ),
    *(
        "<é/>".encode(),
        "<a b='é'/>".encode(),
        b"<a b='\xe9'/>",
        b"<e\xff/>",
        b"<a \n b = 'c' />",
        b"<a b=c/>",
        b"<a b='c'd='e'/>",
    ),
    *(
        b"<!---->",
        b"<!-- <a/> -->",
        b"<!-->",
        b"<!--->",
        b"-->",
        b"<![CDATA[ <a/> ]]>",
        b"<![CDATA[]]>",
        b"]]>",
        b"<![CDATA[",
    ),
    *(
        b"<?a?>",
        "<é😀/>".encode(),
        "<x:ü\uffff a='\ud7ff'/>".encode(),
        b"<a b='\xed\xa0\xbd\xed\xb8\x80'/>",
        b"<a b='\xc0\x80'/>",
        b"<a b='\xf0\x8f\xbf\xbf'/>",
        b"<a b='\xf4\x90\x80\x80'/>",
        b"<a b='\xe2\x82'/>",
        b"<?>",
        b"<??>",
        b"?>",
        b"<?xml ?>",
        b"<?xml encoding='ISO-8859-1'?>",
        b"<?xmlx?>",
        b"<? <a/>",
        b"<!x>",
    ),
    *(
        b"<!DOCTYPE a>",
        b"<!DOCTYPE a [<!ENTITY b 'c'>]>",
        b"<!DOCTYPE",
        b"<",
        b"</",
        b"<!",
        b"<a ",
        b"<a b='",
        b"'/>",
        b">",
    ),
    *(
        b"text",
        b" ",
        b"\n",
        b"\0",
        bytes(20),
        b"\xef\xbb\xbf",
        b"</>",
        b"</1>",
        b"<gcStart/>",
        b"<gcStart>",
        b"<gcStart a='1'/>",
    ),
    *(
        b'<gcStart time="1.0">',
        b'<objFree objIdRef="x"/>',
        b'<objFree objIdRef=""/>',
        b'<objFree objIdRef="1" name="x"/>',
    ),
    *(
        b'<classDef name="a/B" classId="2" time="1.0"/>',
        b'<classDef name="a&lt;" classId="2"/>',
        b'<classDef name="\t"/>',
    ),
    *(
        b'<methodDef name="m" signature="()V" methodId="m" classIdRef="1" startLineNumber="-1"/>',
        b'<methodDef name="m" x:y="1"/>',
    ),
    *(
        b'<gcRoot type="THREAD"/>',
        b'<gcRoot type="odd" objIdRef="1"/>',
        b'<threadStart threadName="\xc3\xa9"/>',
        b'<option key="a"/>',
    ),
    *(
        b"<option key=\"a&#10;\" value='&quot;\r\n'/>",
        b'<node hostname="\xc3\xa9" own="1"/>',
        b'<processCreate pid="1"/>',
        b'<traceStart time="1.0" own="1"/>',
        b'<traceEnd t:time="&#49;.0"/>',
        b'<objFree objIdRef="&#x31;2" time="1.1234567890123"/>',
        b'<objFree objIdRef="1" objId="2" transientObjIdRef="3"/>',
        b'<objFree xmlns:a="b" xmlns="c" a:xmlns="d" objIdRef="5&quot;6"/>',
        b'<threadStart threadIdRef="-1" threadId="2" threadName="&lt;\xc3\xa9&#233;&#x1F600;\t"/>',
        "<threadStart threadId='&amp;' threadName='\uffff&#13;'/>".encode(),
        b'<methodExit own="1" time="x" overhead="1.5" ticket="" stackDepth="&foo;"/>',
        b'<gcStart anAttributeWithAVeryLongName="1"/>',
        b"<?xml encoding='Shift_JIS'?>",
        b"<?xml encoding='EUC-JP'?>",
        b"<?xml encoding='GB18030'?>",
        b"<?xml encoding='johab'?>",
        b'<threadStart threadId="&#49;\x83\x5c" threadName="\x83&lt;" groupName="\x88\x9f&#233;\t"/>',
        b'<threadStart threadId="&#49;" threadName="\x8f\xb0\xa1" groupName="\xb0\xa1"/>',
        b'<threadStart threadId="\\" threadName="\x81\x30\x81\x30" parentName="\xd9\x3c"/>',
        b'<threadStart \x88\x9f="8" threadName="\x88\x9f"/>',
        b'<threadStart threadId="3" threadName="\x88"/>',
        b"<?xml encoding='ISO-8859-15'?>",
        b"<?xml encoding='US-ASCII'?>",
        b"<?xml encoding='unicode_escape'?>",
        b"<?xml encoding='cp1252'?>",
        b'<threadStart threadId="\xe9" threadName="\xa4&lt;\x93" groupName="a&#233;"/>',
        b'<threadStart threadId="8" threadName="\x81" groupName="\xc3\xa9\n"/>',
        b'<threadStart threadId="9" threadName="\xed\xa0\xbd\xed\xb8\x80" groupName="&gt;" own="\xe9"/>',
        b'<threadStart threadId="\xc0\x80" threadName="\xed\xa0\xbd&amp;"/>',
        b'<threadStart \xe9="8" threadName="\xe9"/>',
        b'<threadStart \xc3\xa9="8" threadName="\xe9" x="<"/>',
        b'<gcRoot type="\xff" objIdRef="\x83A"/>',
        b'<classDef classId="7" name="\x83\x41\\x41" sourceName="\\x41"/>',
        b"<gcStart" + b' a="1"' * 70 + b"/>",
        b'<!DOCTYPE a [<!-- ] \' --><!ENTITY b "]>">] >',
        b"<!DOCTYPE a [<!-- ",
        b"<!DOCTYPE a '\0'>",
        b"<!DOCTYPE a [<!-->]>",
    ),
    *(
        b'<objAlloc isArray="yes" size="5" objId="o"/>',
        b'<objFree transientObjIdRef="x" objIdRef="y"/>',
        b'<objFree time=""/>',
    ),
]
"""Constructs, and parts of constructs."""
MIXED = st.lists(st.sampled_from(PIECES), max_size=30).map(b"".join)


@more_examples(3)
@given(MIXED, st.sampled_from([40, 90, 1 << 20]))
def test_constructs_of_all_kinds(data: bytes, chunk: int) -> None:
    assert read_by_kernel(data, chunk=chunk) == read_plainly(data)


ENCODINGS = (
    "EUC-JP euc_jis_2004 EUC-KR GB18030 johab shift_jis_2004 shift_jisx0213 cp864 Big5 hz ISO-2022-KR UTF-8 cp1256"
)
CHARACTERS = st.one_of(
    st.text(
        st.sampled_from("a100%\\~ <&'\u3042\u30d7\u309a\u4e02\ub77d\ubdc1\u066a\u00e9\U0001f600\ufffe\uffff\r"),
        max_size=4,
    ),
    st.text(max_size=3),
)


@st.composite
def declared(draw: st.DrawFn) -> bytes:
    """Elements after a declaration of their encoding: texts in it, or bytes."""
    encoding = draw(st.sampled_from(ENCODINGS.split()))
    values = draw(st.lists(st.one_of(CHARACTERS, st.binary(max_size=5)), max_size=20))
    found = [f"<?xml encoding='{encoding}'?>".encode()]
    for value in values:
        data = value.encode(encoding, "xmlcharrefreplace") if isinstance(value, str) else value
        found.append(b"<threadStart threadId='1%%' threadName=\"%b\" groupName='%b%%'/>" % (data, data))
    return b"".join(found)


@more_examples(3)
@given(st.lists(declared(), min_size=1, max_size=3).map(b"".join), st.sampled_from([90, 1 << 20]))
def test_texts_of_declared_encodings(data: bytes, chunk: int) -> None:
    assert read_by_kernel(data, chunk=chunk) == read_plainly(data)


@pytest.mark.parametrize(
    ("encoding", "text"),
    [("EUC-JP", "\u4e02"), ("GB18030", "\U0001f600"), ("shift_jis_2004", "\u3042\xa5"), ("cp864", "\ufe8d\u066a")],
)
def test_long_characters_and_other_signs_than_ascii(encoding: str, text: str) -> None:
    data = f"<?xml encoding='{encoding}'?><threadStart threadId='1' threadName='{text}'/>".encode(encoding)
    read = read_by_kernel(data)
    assert [text in event[3] for event in read.events if event[0] == "threadStart"] == [True]
    assert "lying encoding" not in [kind for kind, _, _ in read.findings]


@settings(max_examples=10)
@given(MIXED)
def test_constructs_of_all_kinds_after_the_last_session_that_has_marks(data: bytes) -> None:
    data = b"<TRACE>" * (MOST_SESSIONS + 1) + data
    plain = read_plainly(data)
    assert read_by_kernel(data) == plain
    assert len(plain.ends) == MOST_SESSIONS


@settings(max_examples=4)
@given(st.lists(st.sampled_from(PIECES), min_size=50, max_size=200).map(b"".join))
def test_constructs_of_all_kinds_when_no_more_attributes_are_remembered(data: bytes) -> None:
    data = b"".join(b'<objFree own%d="1"/>' % number for number in range(MOST_OTHERS)) + data
    assert read_by_kernel(data) == read_plainly(data)


def sums(data: bytes, chunk: int = 1 << 21) -> tuple[int, int, set[tuple[str, ...]]]:
    """Numbers of events and findings by the kernel, and the texts of events by slot."""
    events, findings, texts = 0, 0, set()

    def take(batch: EventBatch) -> None:
        nonlocal events, findings
        is_event = np.asarray(batch.code) != NOTHING
        events += int(is_event.sum())
        findings += len(batch.findings)
        numbers = np.asarray(batch.numbers).reshape(-1, SLOTS)[is_event]
        words = np.array([*batch.words, ""])[np.where(numbers == NEVER, -1, -1 - numbers)]
        texts.update(zip(*words.T.tolist(), strict=True))

    KernelReader(MemoryBytes(data), whole(data), PLAIN, chunk).read(take)
    return events, findings, texts


def test_more_findings_words_and_rows_than_the_capacity() -> None:
    count = element_chunk.MOST_FINDINGS
    assert sums(b"<a/>x" * (count + 50))[:2] == (count + 50, count + 51)
    count = element_chunk.MOST_WORDS // 3
    data = b"<methodDef name='a' signature='b' methodId='c'/>" * (count + 50)
    events, _, texts = sums(data, 1 << 24)
    assert (events, texts) == (count + 50, {("", "", "b", "", "c", "a", "", "")})
    count = element_chunk.ROWS
    data = b"<" * (count + 50) + b"<gcStart/>" * (count + 50)
    assert sums(data)[:2] == (count + 50, 2)
    assert read_by_kernel(data[: count + 60]).findings[0] == ("torn element", 0, count + 50)


def test_very_many_names_of_unknown_elements() -> None:
    data = b"".join(b"<own%d/>" % number for number in range(5000)) * 2 + b"<" + b"x" * 60_000 + b"/>"
    read = read_by_kernel(data, chunk=CHUNK)
    assert read == read_plainly(data)
    assert len(set(read.names)) == 5001


@given(st.binary(max_size=300))
def test_any_bytes(data: bytes) -> None:
    assert read_by_kernel(data, chunk=50) == read_plainly(data)


def test_something_that_covers_several_chunks() -> None:
    call = b'<objFree objIdRef="1"/>'
    data = call + b"<!-- " + call * 20 + b" -->" + call + b"<option key='" + call * 20 + b"'/>" + call
    plain = read_plainly(data)
    assert plain.names == ["objFree", "objFree", "option", "objFree"]
    for chunk in (50, 64, 100, 333):
        assert read_by_kernel(data, chunk=chunk) == plain


def test_an_unknown_attribute_is_skipped_after_its_first_occurrence() -> None:
    data = b'<objFree objIdRef="1" cpu="x"/>' * 50
    read = read_by_kernel(data, chunk=100)
    assert read == read_plainly(data)
    assert read.ends[0].facts is not None
    assert read.ends[0].facts["others"] == [["objFree", "cpu"]]


def test_members_begin_new_sessions() -> None:
    data = b'<objFree objIdRef="1"/><!-- <objFree objIdRef="2"/><objFree objIdRef="3"/>'
    parts = [DocumentPart("a", 0, 27), DocumentPart("b", 27, 51), DocumentPart("c", 51, len(data))]
    read = read_by_kernel(data, parts, chunk=40)
    assert read == read_plainly(data, parts)
    assert [end.member for end in read.ends] == ["a", "b", "c"]


def test_a_file_that_shrank_is_reported() -> None:
    with pytest.raises(ChangedReport):
        read_by_kernel(b"<gcStart/>", [DocumentPart(None, 0, 100)])


def test_attributes_with_ever_new_names_are_not_all_remembered() -> None:
    data = b"".join(b'<objFree objIdRef="%d" own%d="1"/>' % (number, number) for number in range(2 * MOST_OTHERS))
    reader = PlainReader(MemoryBytes(data).pread, [DocumentPart(None, 0, len(data))], PLAIN)
    assert sum(len(batch) for batch in reader.batches()) == 2 * MOST_OTHERS
    assert len(reader.sessions.others) == MOST_OTHERS
    assert read_by_kernel(data, chunk=CHUNK) == read_plainly(data)
