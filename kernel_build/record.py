"""Adds signatures that tests have noted to `signatures.json`, so that the library has them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from parsers.kernels.signatures import PATH, listed, merged


def merge_unlisted(noted: Path) -> None:
    """Adds the rows of a file of `UNLISTED`, one signature a line."""
    known = dict(listed())
    for line in noted.read_text().splitlines():
        row = json.loads(line)
        name = f"{row['module']}:{row['name']}"
        known[name] = with_signature(known.get(name, []), row["arguments"])
    lines = ",\n".join(f"{json.dumps(name)}: [\n{_lines(kinds)}\n]" for name, kinds in sorted(known.items()))
    Path(PATH).write_text(f"{{\n{lines}\n}}\n")
    listed.cache_clear()


def with_signature(signatures: list[list[Any]], new: list[Any]) -> list[list[Any]]:
    """Returns the signatures of a kernel with a new one, without those of an earlier source."""
    present = [each for each in signatures if _layout(each) == _layout(new)]
    for number, each in enumerate(present):
        both = merged(each, new)
        if both is not None:
            present[number] = both
            return present
    return [*present, new]


def _layout(kinds: Any) -> Any:
    """The part of a signature that the kernel's source decides: number of arguments, classes, fields of records."""
    if isinstance(kinds, list):
        return [_layout(each) for each in kinds]
    if isinstance(kinds, dict) and "of" in kinds:
        return kinds.get("class"), _layout(kinds["of"])
    item = kinds["array"] if isinstance(kinds, dict) else kinds
    return None if isinstance(item, str) else item


def _lines(signatures: list[list[Any]]) -> str:
    return ",\n".join(f"  {line}" for line in sorted(map(json.dumps, signatures)))
