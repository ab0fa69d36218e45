"""Names without parts that differ between builds, one by one and all of an index at once."""

from __future__ import annotations

from array import array
from itertools import accumulate

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.formats.graalvm.builds.normalised import normalised, normalised_names, normalised_source, normalised_text
from parsers.formats.graalvm.text.indexed_tree import IndexedNames
from parsers.io.charset import CHARSETS, decode

HASH = "0123456789abcdef0123456789abcdef01234567"

METHODS = [
    ("a.B$$Lambda$277/0x00000007c08538b0.run():void", "a.B$$Lambda.run():void"),
    ("a.B$$Lambda/0x00007f16c4231960.run():void", "a.B$$Lambda.run():void"),
    ("a.B$$Lambda$7ad16f47b695d909/0x0000000800c3a000.get():int", "a.B$$Lambda.get():int"),
    ("a.B$$Lambda$5/1324119927.run():void", "a.B$$Lambda.run():void"),
    ("B$$Lambda$1/0x01.run(C$$Lambda$2/0x02, int):E$$Lambda$3/0x03", "B$$Lambda.run(C$$Lambda, int):E$$Lambda"),
    ("a.LambdaForm$MH/0x00007f16c420a800.<clinit>():void", "a.LambdaForm$MH.<clinit>():void"),
    ("a.LambdaForm$MH.0x00007f16c420a800.f():void", "a.LambdaForm$MH.f():void"),
    ("jdk.proxy1.$Proxy17.equals(a.$Proxy3):boolean", "jdk.proxy1.$Proxy.equals(a.$Proxy):boolean"),
    ("a.GeneratedConstructorAccessor7.new(int[]):int", "a.GeneratedConstructorAccessor#.new(int[]):int"),
    ("a.GeneratedSerializationConstructorAccessor1.f():int", "a.GeneratedSerializationConstructorAccessor#.f():int"),
    (f"IsolateEnterStub.run_{HASH}(int, long):int", "IsolateEnterStub.run_#(int, long):int"),
    ("a.B.f%%R(int):void", "a.B.f(int):void"),
    ("app:a.B.f(c.D):void", "a.B.f(c.D):void"),
    ("org.x.Loader @1f:a.B.f(c.D):void", "a.B.f(c.D):void"),
    ("app:a.B", "a.B"),
]  # fmt: skip

UNTOUCHED = [
    "java.lang.reflect.Proxy$ProxyBuilder.isProxyClass(java.lang.Class):boolean",
    "a.B.lambda$main$0(java.lang.String):void",
    "a.B$$LambdaFactory.f():void",
    "a.Test$adds 50%% of it, then 0x10.f():void",
    f"a.B.f_{HASH}x(int):void",
    f"a.B.f_{HASH.upper()}(int):void",
    "a.B$1.f(int[][]):c.D[]",
    "",
]


@pytest.mark.parametrize(("name", "normal"), [*METHODS, *((name, name) for name in UNTOUCHED)])
def test_a_method_keeps_what_it_is_called_in_every_build(name: str, normal: str) -> None:
    assert normalised(name) == normal


def test_the_colon_of_a_result_is_no_loaders() -> None:
    assert normalised("a.B.f(int):void") == "a.B.f(int):void"


def test_identity_hashes_are_dropped_from_texts_of_objects_only() -> None:
    assert normalised_source("null:a.B.cache:java.util.Map @ 17, a.B@1324119927") == (
        "null:a.B.cache:java.util.Map @ 17, a.B@#"
    )
    assert normalised("a.B@17.f():void") == "a.B@17.f():void"


NESTED = [
    ("a.B$Pro/0x1xy7.f():void", "a.B$Proxy.f():void"),
    ("a.B/0.0x1x2.f():void", "a.B.f():void"),
    ("a.B.f%%R%%S(int):void", "a.B.f(int):void"),
    (f"a.B.f_{HASH}%%R(int):void", "a.B.f_#(int):void"),
    ("one:two:a.B.f():void", "a.B.f():void"),
]


@pytest.mark.parametrize(("name", "normal"), NESTED)
def test_names_that_are_generated_only_without_their_middle_are_dropped_too(name: str, normal: str) -> None:
    assert (normalised(name), normalised(normal)) == (normal, normal)
    if ":a" not in name:
        assert at_once([name.encode(), b"b"], "utf-8") == [normal, "b"]


def test_addresses_within_addresses_are_dropped_at_any_depth() -> None:
    assert normalised_text("a" + "/0" * 5000 + "x1" * 5000 + "z") == "az"


def names_of(encoded: list[bytes]) -> IndexedNames:
    starts = memoryview(array("Q", accumulate(map(len, encoded), initial=0)))
    # After the last text an index has unused bytes.
    return IndexedNames(starts, memoryview(b"".join(encoded) + bytes(128)))


def at_once(encoded: list[bytes], encoding: str, *, is_as_printed: bool = False) -> list[str]:
    found = normalised_names(names_of(encoded), encoding, is_as_printed=is_as_printed)
    assert np.array_equal(found.data, normalised_names(encoded, encoding, is_as_printed=is_as_printed).data)
    return [found.text(number) for number in range(found.count)]


PIECES = st.sampled_from(
    [
        "$$Lambda",
        "$277",
        "/0x0f",
        ".0x1",
        "/12",
        "$Proxy",
        "Generated",
        "Accessor",
        "7",
        f"_{HASH}",
        "(",
        "%%R",
        "ä",
        ".",
    ]
)
HALVES = st.sampled_from(
    ["/", "/0", "x", "0x", "f", "$$", "Lamb", "da", "$Pro", "xy", "Acc", "essor", "%", "_", HASH, "@1", ":"]
)
NAMES = st.lists(st.lists(PIECES | st.text("ab$.(): é→", max_size=3), max_size=6).map("".join), max_size=6)


@given(name=st.lists(PIECES | HALVES | st.text("ab$.(): é→", max_size=3), max_size=12).map("".join))
def test_a_normal_name_stays_as_it_is(name: str) -> None:
    for normalise in (normalised, normalised_text, normalised_source):
        normal = normalise(name)
        assert normalise(normal) == normal
    (text,) = at_once([name.encode()], "utf-8")
    assert (text, at_once([text.encode()], "utf-8")) == (normalised_text(name), [text])


@given(names=NAMES, encoding=st.sampled_from([boxes.encoding for boxes in CHARSETS]))
def test_all_names_at_once_read_as_one_by_one(names: list[str], encoding: str) -> None:
    codec = next(boxes.codec for boxes in CHARSETS if boxes.encoding == encoding)
    encoded = [name.encode(codec, "replace") for name in names]
    # Names of an index have lost their loaders.
    plain = [decode(name, encoding) for name in encoded]
    assert at_once(encoded, encoding) == [normalised("(" + name)[1:] for name in plain]
    assert at_once(encoded, encoding, is_as_printed=True) == plain


def test_bytes_that_are_invalid_in_the_charset_stay_in_their_name() -> None:
    assert at_once([b"a.\xff$Proxy1.f()", b"b"], "utf-8") == ["a.�$Proxy.f()", "b"]


@pytest.mark.parametrize("encoding", [boxes.encoding for boxes in CHARSETS])
def test_a_name_that_ends_inside_a_character_takes_nothing_of_the_next(encoding: str) -> None:
    encoded = [part for byte in range(0x80, 0x100) for part in (b"a" + bytes([byte]), b"b$Proxy1")]
    assert at_once(encoded, encoding)[1::2] == ["b$Proxy"] * 0x80
