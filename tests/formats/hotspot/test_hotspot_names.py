"""Texts of compilation logs as Java names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.formats.hotspot.names import Method, class_name, decode, is_doubtful, method_of, type_name, value


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("java/lang/String getChars (II[CI)V", "java.lang.String.getChars(int, int, char[], int):void"),
        (
            "java.util.HashMap get (Ljava/lang/Object;)Ljava/lang/Object;",
            "java.util.HashMap.get(java.lang.Object):java.lang.Object",
        ),
        ("java.lang.Object <init> ()V", "java.lang.Object.<init>():void"),
        ("Work main ([[Ljava/lang/String;)[I", "Work.main(java.lang.String[][]):int[]"),
        ("Work$$Lambda$30/1002191352 apply ()Z", "Work$$Lambda$30/1002191352.apply():boolean"),
        ("java/util/A$$Lambda$30/1002191352 apply ()Z", "java.util.A$$Lambda$30/1002191352.apply():boolean"),
        ("a.B$$Lambda$1/0x00007f3d40049820 f (J)D", "a.B$$Lambda$1/0x00007f3d40049820.f(long):double"),
        (
            "java.lang.invoke.LambdaForm$MH/0x000000007d045c00 invoke ()I",
            "java.lang.invoke.LambdaForm$MH/0x000000007d045c00.invoke():int",
        ),
        ("has my test method (I)I", "has.my test method(int):int"),
        ("a.T$doesn't break$1 invoke (Lx y;)V", "a.T$doesn't break$1.invoke(x y):void"),
        ("T (weird name (I)V", "T.(weird name(int):void"),
        ("no signature", "no.signature"),
        ("odd", "odd."),
        ("", "."),
    ],
)
def test_a_method_of_the_log_reads_as_a_java_name(text: str, label: str) -> None:
    method = method_of(text)

    assert method.label == label or (not method.name and method.label == label.lstrip("."))


def test_known_classes_decide_where_a_class_with_blanks_ends() -> None:
    assert is_doubtful("has space my test method (I)I")
    assert method_of("has space my test method (I)I", {"has space"}.__contains__) == Method(
        "has space", "my test method", ("int",), "int"
    )


def test_a_method_without_extra_blanks_is_no_doubt() -> None:
    assert not is_doubtful("a.B c (La b;)V")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("[Ljava/lang/Object;", "java.lang.Object[]"),
        ("[Ljava.lang.String;", "java.lang.String[]"),
        ("[[B", "byte[][]"),
        ("[", "["),
        ("[x", "[x"),
        ("java/util/Map$Entry", "java.util.Map$Entry"),
        ("A$$Lambda/0x00000000ab", "A$$Lambda/0x00000000ab"),
        ("int", "int"),
        ("", ""),
    ],
)
def test_a_class_of_the_log_reads_as_a_java_name(text: str, name: str) -> None:
    assert class_name(text) == name


def test_a_descriptor_reads_as_a_type() -> None:
    assert [type_name(each) for each in ("I", "[J", "Ljava/lang/String;", "[Lx/Y;")] == [
        "int",
        "long[]",
        "java.lang.String",
        "x.Y[]",
    ]


def test_entities_and_escapes_are_read() -> None:
    assert (
        value(b"Caf\\u00e9 \\u00fcber &lt;init&gt; it&apos;s &quot;q&quot; a&amp;amp;b")
        == 'Café über <init> it\'s "q" a&amp;b'
    )


def test_an_escape_of_a_plain_character_is_a_real_name() -> None:
    assert value(b"a\\u0041b \\u00zz \\u") == "a\\u0041b \\u00zz \\u"


def test_escaped_surrogates_become_one_character_and_lone_ones_stay() -> None:
    assert value(b"\\ud835\\udc00st \\ud835") == "\U0001d400st \ud835"


def test_modified_utf8_is_read() -> None:
    assert decode(b"nul\xc0\x80 pair\xed\xa0\xb5\xed\xb0\x80 lone\xed\xa0\xb5 bad\xff") == (
        "nul\0 pair\U0001d400 lone\ud835 bad\ufffd"
    )


def test_spans_mark_the_parts() -> None:
    method = method_of("java.util.HashMap get (Ljava/lang/Object;I)[Ljava/util/Map;")

    assert [(span.role, method.label[span.start : span.end]) for span in method.spans] == [
        ("package", "java.util"),
        ("class", "HashMap"),
        ("name", "get"),
        ("argument package", "java.lang"),
        ("argument", "Object"),
        ("argument", "int"),
        ("result package", "java.util"),
        ("result", "Map[]"),
    ]
    assert method.short == "HashMap.get"


@given(st.text(max_size=60))
def test_any_text_gives_a_name_with_spans_inside_it(text: str) -> None:
    method = method_of(text)

    position = 0
    for span in method.spans:
        assert position <= span.start <= span.end <= len(method.label)
        position = span.end


@given(st.binary(max_size=60))
def test_any_bytes_give_a_text(data: bytes) -> None:
    assert isinstance(value(data), str)
