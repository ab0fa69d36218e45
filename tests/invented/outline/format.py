"""The declaration of the invented format: a module of the registry's `DECLARATIONS`."""

from __future__ import annotations

from parsers.formats.format import Confidence, Format
from parsers.model.late import late

HEADER = b"OUTLINE 1\n"


def sniff(head: bytes, name: str) -> Confidence:
    """Sure by the first line."""
    return Confidence.SURE if head.startswith(HEADER) else Confidence.NO


FORMATS = (
    Format(
        "outline",
        "Outline",
        sniff,
        late("outline.report:OutlineReport"),
        expected="an outline",
        index=late("outline.build:OutlineBuild"),
        kernels=("outline.kernels:KERNELS",),
    ),
)
