"""Check for strict XML: the kernel agrees with a real parser."""

from __future__ import annotations

import lzma
from xml.parsers import expat

import pytest
from conftest import TESTS
from examples import more_examples
from hypothesis import given
from hypothesis import strategies as st

from parsers.formats.hotspot.log.read import strict_xml
from parsers.formats.hotspot.log.read.strict_xml import PROLOG, Read, first_doubt, strictly

CORPUS = TESTS / "corpus" / "hotspot"
LOG = (
    b"<hotspot_log version='160 1'>\n<compilation_log thread='5'>\n<task a='1'  b=\"it's\" >\n<bc/>&lt;&amp;\xc3\xa9\n"
    b"</task>\n<fragment><![CDATA[\n<task c='&'> ]] ]>\n]]></fragment>\n<!-- safepoint -->\n"
    b"</compilation_log>\n</hotspot_log>\n"
)


def reading(data: bytes) -> Read:
    return lambda count, offset: data[offset : offset + count]


def is_xml(data: bytes) -> bool:
    parser = expat.ParserCreate()
    try:
        parser.Parse(data, True)
    except expat.ExpatError:
        return False
    return True


def test_a_whole_log_is_sure() -> None:
    data = PROLOG + LOG

    assert is_xml(data)
    assert first_doubt(reading(data), len(data), 0) is None
    assert first_doubt(reading(data), len(data), data.index(b"<task a")) is None


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"</task>", b"</tusk>"),
        (b'b="it\'s"', b"a='2'"),
        (b"a='1'", b"a='<'"),
        (b"a='1'", b"a='\x01'"),
        (b"&lt;", b"&lt"),
        (b"&amp;", b"]]>"),
        (b"\xc3\xa9", b"\xed\xa0\x80"),
        (b"\xc3\xa9", b"\xc0\x80"),
        (b"\xc3\xa9", b"\xef\xbf\xbf"),
        (b"safepoint", b"--"),
        (b"</hotspot_log>\n", b""),
        (b"</hotspot_log>\n", b"</hotspot_log><a/>"),
        (b"</hotspot_log>\n", b"</hotspot_log>a"),
        (b"a='1'  b", b"a='1'b"),
        (b"]]></fragment>", b"</fragment>"),
    ],
)
def test_whatever_breaks_a_document_is_in_doubt(before: bytes, after: bytes) -> None:
    data = PROLOG + LOG.replace(before, after, 1)

    assert not is_xml(data)
    assert first_doubt(reading(data), len(data), 0) is not None
    assert first_doubt(reading(data), len(data), data.index(b"<task ")) is not None


PIECES = st.sampled_from(
    [
        b"<a>",
        b"</a>",
        b"<b c='d'",
        b" e='f'",
        b"/>",
        b">",
        b"</b>",
        b"]]>",
        b"<![CDATA[",
        b"<!--",
        b"-->",
        b"&lt;",
        b"x",
    ]
)


@more_examples(3)
@given(st.lists(st.one_of(PIECES, st.binary(max_size=3)), max_size=14), st.integers(1, 40))
def test_logs_accepted_by_the_kernel_are_well_formed(pieces: list[bytes], piece: int) -> None:
    data = PROLOG + b"<r>" + b"".join(pieces) + b"</r>"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(strict_xml, "PIECE", piece)

        assert first_doubt(reading(data), len(data), 0) is not None or is_xml(data)


@pytest.mark.parametrize("name", ["work_tiered_8", "work_tiered_17", "print_torn_25", "odd_latin_17", "segv_torn_17"])
def test_samples_are_classified_as_by_a_parser(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    data = lzma.decompress((CORPUS / f"{name}.log.xz").read_bytes())
    told = strictly(reading(data), len(data), False, 0)
    monkeypatch.setattr(strict_xml, "MOST", 0)
    middle = data.index(b"<task ", len(data) // 2)

    assert strictly(reading(data), len(data), True, middle) == told
    assert told["well_formed"] == is_xml(data)
