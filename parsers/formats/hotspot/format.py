"""HotSpot's LogCompilation logs, recognised by their content; the reader is imported late.

A main log begins with an XML declaration and `<hotspot_log`, perhaps behind output of the program if both share a
file. A file that a compiler thread of a killed VM left behind has no root: it begins with `<start_compile_thread`.
"""

from __future__ import annotations

from parsers.formats.format import Confidence, Format, expression
from parsers.model.late import late

LOOKED_AT = 16 << 10
"""Bytes at the start in which a log must begin."""

_MAIN = expression(rb"(?:\A|\n)(?:<\?xml[^>\n]{0,200}\?>\s*)?<hotspot_log\s+version='")
_THREAD = expression(rb"\s*<start_compile_thread\s+(?:name|thread)='")
_PIECE = expression(
    rb"\s*<(?:task compile_id='\d|compilation_log thread='|tty>\s*<(?:writer thread|blob)|hotspot_log )"
)


def sniff(head: bytes, name: str) -> Confidence:
    """Returns sure for the first tags of a log, likely for the first bytes of a cut or concatenated one."""
    looked_at = head[:LOOKED_AT]
    if _MAIN().search(looked_at) or _THREAD().match(looked_at):
        return Confidence.SURE
    return Confidence.LIKELY if _PIECE().match(looked_at) else Confidence.NO


FORMATS = (
    Format(
        "hotspot-compilation-log",
        "HotSpot compilation log",
        sniff,
        late("parsers.formats.hotspot.log_report:LogReport"),
        expected="a HotSpot compilation log",
        index=late("parsers.formats.hotspot.build:LogBuild"),
        kernels=("parsers.formats.hotspot.kernels:KERNELS",),
        part_of=late("parsers.formats.hotspot.log.run_files:part_of"),
        tables="parsers.formats.hotspot.tables:LOG_TABLES",
    ),
)
