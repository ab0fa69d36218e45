"""Finds the files that are the tables of one CSV call tree.

A set is opened by any of its files. The others are in the same folder, with the same image and nearly the same time
(until 22.0 the tables of one set may carry different seconds); see `parsers.formats.folder`.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from parsers.formats.folder import tables_in_folder
from parsers.formats.graalvm.csv.format import HEADERS, SEVEN_TABLES, THREE_TABLES, fits
from parsers.formats.graalvm.folder.format import LONGEST_HEADER, header_of
from parsers.io.open_source import open_source
from parsers.io.report_name import split_name
from parsers.model.report import ReportError

if TYPE_CHECKING:
    from parsers.io.cache import Cache
    from parsers.io.source import Source

MOST_ROWS = 0xFFFF_FF00
"""Largest number of rows: row numbers have 32 bits."""
LEAST_ROWS, ROWS_PER_BYTE = 1 << 26, 4


def table_of(source: Source) -> str:
    """Table of a file: by its name, if its header agrees, else by its header, which several tables may share."""
    named = split_name(source.name).table
    possible = [table for table in HEADERS if fits(table, header_of(source.head))]
    if named in possible or not possible:
        return named
    candidates = (table for table in possible if table in source.name)
    return max(candidates, key=len, default=possible[0])


def whole_set(sources: Sequence[Source], cache: Cache) -> list[Source]:
    """All tables of the set that the files are of, by their names. Raises `ReportError` if these are of several sets.

    Sources that are opened here or not needed any more are closed if that fails.
    """
    if sources[0].is_spooling:
        return list(sources)
    paths = {os.path.realpath(path) for source in sources for path in tables_in_folder(source.stored_path)}
    given: dict[str, Source] = {}
    for source in sources:
        path = os.path.realpath(source.stored_path)
        if path in given:
            source.close()
        given.setdefault(path, source)
    found: list[Source] = []
    try:
        for path in sorted(paths, key=lambda path: (os.path.basename(path), path)):
            found.append(given[path] if path in given else open_source(path, cache))
        tables = [table_of(source) for source in found]
        for number, table in enumerate(tables):
            if table in tables[:number]:
                other = found[tables.index(table)]
                raise ReportError(f"{found[number].path}: {other.path} is the table {table} of another call tree")
    except BaseException:
        for source in found:
            source.close()
        raise
    return found


def strange_tables(source: Source, table: str) -> list[str]:
    """Returns the names of files beside one of a set that are named like a table of it, but have another header."""
    folder, name = os.path.split(source.stored_path)
    image = split_name(name).image
    found = []
    try:
        for entry in os.scandir(folder):
            named = split_name(entry.name)
            if image and (named.table, named.image) == (table, image) and entry.is_file(follow_symlinks=False):
                with open(entry.path, "rb") as file:
                    if not fits(table, header_of(file.read(LONGEST_HEADER))):
                        found.append(entry.name)
    except OSError:
        return []
    return sorted(found)


def layout_of(tables: Sequence[str]) -> tuple[str, ...]:
    """Complete list of tables of a set that has these. For a mixture: the layout with the larger part present."""
    there = set(tables) - {"methods"}
    return max((SEVEN_TABLES, THREE_TABLES), key=lambda layout: len(there & {*layout}) / (len(layout) - 1))


def most_rows(size: int) -> int:
    """Most rows for the tree of tables of so many bytes. Real ones have one in ten bytes, but tables of calls and their
    targets can represent any number."""
    return min(MOST_ROWS, max(LEAST_ROWS, ROWS_PER_BYTE * size))


def title_of(names: Sequence[str]) -> str:
    """Returns the title of a set: its first file, with `*` for the table."""
    first = min(names, key=lambda name: (str(split_name(name).written), name), default="")
    table = split_name(first).table
    return first.replace(f"call_tree_{table}", "call_tree_*", 1) if table else first
