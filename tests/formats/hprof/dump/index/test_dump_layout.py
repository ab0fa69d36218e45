"""Sizes of instances whose classes have fields that only the JVM knows."""

from __future__ import annotations

import pytest

from parsers.formats.hprof.dump.index.layout import CALL_SITE, InstanceSizes, JvmLayout
from parsers.formats.hprof.dump.read.class_record import HeapClass
from parsers.formats.hprof.dump.records.tags import BOOLEAN, OBJECT


def declared(id: int, above: int, *types: int) -> HeapClass:
    return HeapClass(id, 0, above, 0, 0, 0, 8, (), (), tuple((1, type) for type in types), 0)


@pytest.mark.parametrize(
    ("jdk", "references", "size"),
    [
        (17, 2, 24),
        (21, 2, 24),
        # Sizes of ConstantCallSite as `jcmd GC.class_histogram` of 25.0.3 has them.
        (25, 1, 40),
    ],
)
def test_a_call_site_holds_its_dependencies_where_it_has_no_context(jdk: int, references: int, size: int) -> None:
    classes = {1: declared(1, 2, BOOLEAN), 2: declared(2, 3, *[OBJECT] * references), 3: declared(3, 0)}
    names = {1: "java.lang.invoke.ConstantCallSite", 2: CALL_SITE, 3: "java.lang.Object"}
    assert InstanceSizes(JvmLayout(4, 12, 16, fields="jdk15", jdk=jdk), classes, names).instance(1) == size
