"""The two text reports that native-image writes as trees, recognised by their first line; readers are imported late.

Source: `CallTreePrinter` and `ObjectTreePrinter` of oracle/graal, versions 19 to 25: the header never changed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from parsers.formats.format import Format, only_file
from parsers.formats.graalvm.folder.format import NAME as BUILD
from parsers.formats.graalvm.folder.format import starts_with
from parsers.model.late import late

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from parsers.io.cache import Cache
    from parsers.io.source import Source
    from parsers.model.report import Report


def _opens(report: str) -> Callable[[Sequence[Source], Cache], Report]:
    return lambda sources, cache: late(report)(only_file(sources, "a call tree or object tree"), cache)


CALL_TREE = _opens("parsers.formats.graalvm.calls.tree_report:CallTreeReport")
OBJECT_TREE = _opens("parsers.formats.graalvm.objects.tree_report:ObjectTreeReport")

INDEX = late("parsers.formats.graalvm.text.build:TextTreeBuild")
KERNELS = ("parsers.formats.graalvm.kernels:TEXT", "parsers.formats.graalvm.kernels:BUILDS")

FORMATS = (
    Format(
        "graalvm-call-tree",
        "GraalVM call tree",
        starts_with(b"VM Entry Points"),
        CALL_TREE,
        expected="a GraalVM call tree (text or CSV), object tree or report beside them",
        index=INDEX,
        kernels=KERNELS,
        together=BUILD,
        producer="GraalVM",
        tables="parsers.formats.graalvm.calls.tables:CALL_TABLES",
    ),
    Format(
        "graalvm-object-tree",
        "GraalVM object tree",
        starts_with(b"Heap roots"),
        OBJECT_TREE,
        index=INDEX,
        kernels=KERNELS,
        together=BUILD,
        producer="GraalVM",
        tables="parsers.formats.graalvm.objects.tables:OBJECT_TABLES",
    ),
)
