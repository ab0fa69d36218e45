"""ASCII instead of other signs, for terminals and pipes without UTF-8."""

from __future__ import annotations

from collections.abc import Mapping
from typing import IO

MARKS = str.maketrans(
    {"…": "...", "→": "->", "←": "<-", "↩": "^", "▸": "+", "▾": "-", "µ": "u", "×": "x", "·": "-", "•": "*", "–": "-"}
)
"""Signs that texts of the program contain, and their replacements."""


def is_ascii(environment: Mapping[str, str], stream: IO[str] | None = None) -> bool:
    """True if the locale is set to another encoding than UTF-8, or the stream has another one.

    Without a locale UTF-8 is assumed, as Python does: containers often set none.
    """
    encoding = getattr(stream, "encoding", None) or "utf-8"
    locale = next((value for name in ("LC_ALL", "LC_CTYPE", "LANG") if (value := environment.get(name))), "utf-8")
    return any("utf" not in name.lower() for name in (encoding, locale))


def ascii_text(text: str) -> str:
    """Text with ASCII signs for those of the program."""
    return text if text.isascii() else text.translate(MARKS)


class _Cells(dict[int, str]):
    """ASCII for each character, as wide as the character."""

    def __missing__(self, code: int) -> str:
        from unicodedata import normalize

        from rich.cells import cell_len

        width = cell_len(chr(code))
        plain = normalize("NFKD", chr(code)).encode("ascii", "ignore").decode("ascii")
        self[code] = chr(code) if code < 0x80 else (plain or "_" * width)[:width].ljust(width, "_")
        return self[code]


_CELLS = _Cells(
    zip(map(ord, "…→←↩↪▸▾▲▼µ×·•–—─━│┃┆┄▏█▐▌▁▂▃▄▅▆▇↑↓✓"), ".><^^+-^vux-*---||||||###_.:-=+#^v*", strict=True)
)
"""Signs of the screen; other characters are decomposed, or become underscores."""


def ascii_cells(text: str) -> str:
    """Text for the screen in ASCII; every character keeps its cells."""
    return text if text.isascii() else text.translate(_CELLS)
