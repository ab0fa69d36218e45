"""Unique texts as arrays of an index."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from parsers.index.writer import Writer


def save_texts(writer: Writer, table: str, texts: Sequence[bytes]) -> None:
    """Writes a table of texts."""
    for name, values in text_arrays(table, texts).items():
        writer.save(name, values)


def text_arrays(table: str, texts: Sequence[bytes]) -> dict[str, Any]:
    """The arrays of a table of texts."""
    starts = np.zeros(len(texts) + 1, np.uint64)
    np.cumsum([len(text) for text in texts], dtype=np.uint64, out=starts[1:])
    return {f"{table}_starts": starts, f"{table}_bytes": np.frombuffer(b"".join(texts), np.uint8)}
