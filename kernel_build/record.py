"""Adds signatures that tests have noted to `signatures.json`, so that the library has them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from parsers.kernels.signatures import PATH, listed, merged


def merge_unlisted(noted: Path) -> None:
    """Adds the rows of a file of `UNLISTED`, one signature a line."""
    known: dict[str, list[list[Any]]] = {name: list(kinds) for name, kinds in listed().items()}
    for line in noted.read_text().splitlines():
        row = json.loads(line)
        _add(known.setdefault(f"{row['module']}:{row['name']}", []), row["arguments"])
    lines = ",\n".join(f"{json.dumps(name)}: [\n{_lines(kinds)}\n]" for name, kinds in sorted(known.items()))
    Path(PATH).write_text(f"{{\n{lines}\n}}\n")
    listed.cache_clear()


def _add(signatures: list[list[Any]], new: list[Any]) -> None:
    for number, each in enumerate(signatures):
        both = merged(each, new)
        if both is not None:
            signatures[number] = both
            return
    signatures.append(new)


def _lines(signatures: list[list[Any]]) -> str:
    return ",\n".join(f"  {line}" for line in sorted(map(json.dumps, signatures)))
