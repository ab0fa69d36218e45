"""The tables that a query can use, and the tokens of SQL as far as completion needs them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

TOKEN = re.compile(
    r"""(?P<text>'(?:[^']|'')*'?)|(?P<comment>--[^\n]*|/\*.*?(?:\*/|$))|(?P<name>"(?:[^"]|"")*"?|[^\W\d][\w$]*)"""
    r"""|(?P<number>\d[\w.]*)|(?P<blank>\s+)|(?P<sign>.)""",
    re.DOTALL,
)
BEFORE_TABLES = ("FROM", "JOIN")
ENDS_TABLES = (
    "WHERE", "GROUP", "ORDER", "HAVING", "LIMIT", "SELECT", "UNION", "EXCEPT", "INTERSECT", "QUALIFY", "WINDOW", "ON",
    "USING", "OFFSET",
)  # fmt: skip
"""Words after which commas separate no more tables."""
NO_ALIAS = (
    *ENDS_TABLES, "JOIN", "LEFT", "RIGHT", "FULL", "INNER", "CROSS", "NATURAL", "POSITIONAL", "ASOF", "SEMI", "ANTI",
    "OUTER", "AS", "FROM", "WITH", "TABLESAMPLE",
)  # fmt: skip
"""Words after a table that are no alias of it."""


class Token(NamedTuple):
    """A piece of a query. kind: "text", "comment", "name", "number", "blank" or "sign"."""

    kind: str
    text: str


def tokens(query: str) -> Iterator[Token]:
    """Yields all tokens of a query; together they are the query."""
    for found in TOKEN.finditer(query):
        assert found.lastgroup is not None
        yield Token(found.lastgroup, found.group())


def one_line(query: str) -> str:
    """Returns a query of several lines as one line, without comments."""
    pieces: list[str] = []
    for token in tokens(query):
        if token.kind not in ("comment", "blank"):
            pieces.append(token.text.replace("\n", " "))
        elif pieces and pieces[-1] != " ":
            pieces.append(" ")
    return "".join(pieces).strip()


def plain(name: str) -> str:
    """Returns the name that an identifier means."""
    return name.strip('"').replace('""', '"') if name.startswith('"') else name


@dataclass(frozen=True, slots=True)
class SchemaColumn:
    """A column of a table."""

    name: str
    type: str
    unit: str = ""
    key: str = ""
    about: str = ""


@dataclass(frozen=True, slots=True)
class SchemaTable:
    """A table or view."""

    schema: str
    name: str
    about: str
    columns: tuple[SchemaColumn, ...]


@dataclass(frozen=True)
class Schema:
    """All tables and functions of a connection."""

    tables: tuple[SchemaTable, ...] = ()
    functions: tuple[str, ...] = ()
    reserved: Collection[str] = frozenset()
    """Words in lower case that are no names unless in quotes."""

    @cached_property
    def schemas(self) -> list[str]:
        """Names of the schemas."""
        return list(dict.fromkeys(table.schema for table in self.tables))

    def find(self, name: str, schema: str = "") -> SchemaTable | None:
        """The table of a name; of a schema, or of the only one that there is."""
        for table in self.tables:
            is_meant = table.schema.lower() == schema.lower() if schema else len(self.schemas) == 1
            if is_meant and table.name.lower() == name.lower():
                return table
        return None

    def quoted(self, name: str) -> str:
        """A name as it is written in a query."""
        is_plain = re.fullmatch(r"[a-z_][a-z0-9_]*", name) is not None and name not in self.reserved
        return name if is_plain else '"' + name.replace('"', '""') + '"'

    def written(self, table: SchemaTable) -> str:
        """The name of a table as it is written in a query."""
        before = f"{self.quoted(table.schema)}." if len(self.schemas) > 1 else ""
        return before + self.quoted(table.name)

    def used(self, query: str) -> Mapping[str, SchemaTable]:
        """The tables that a query names, by their aliases, in its order."""
        words = [token for token in tokens(query) if token.kind not in ("blank", "comment")]
        found: dict[str, SchemaTable] = {}
        is_in_tables = False
        for place, word in enumerate(words):
            upper = word.text.upper()
            if word.kind == "name" and upper in ENDS_TABLES:
                is_in_tables = False
            is_next = upper in BEFORE_TABLES or (word.text == "," and is_in_tables)
            if upper in BEFORE_TABLES:
                is_in_tables = True
            if is_next:
                table, alias = self._named(words[place + 1 : place + 6])
                if table is not None:
                    found.setdefault(alias, table)
        return found

    def _named(self, words: Sequence[Token]) -> tuple[SchemaTable | None, str]:
        """The table that some words begin with, and its alias."""
        if not words or words[0].kind != "name":
            return None, ""
        schema, name, rest = "", plain(words[0].text), words[1:]
        if len(rest) > 1 and rest[0].text == "." and rest[1].kind == "name":
            schema, name, rest = name, plain(rest[1].text), rest[2:]
        table = self.find(name, schema)
        if rest and rest[0].text.upper() == "AS":
            rest = rest[1:]
        is_alias = bool(rest) and rest[0].kind == "name" and rest[0].text.upper() not in NO_ALIAS
        return table, plain(rest[0].text) if is_alias else name


def schema_of(tables: Sequence[Mapping[str, Any]], functions: Sequence[str], reserved: Sequence[str]) -> Schema:
    """Returns the schema that a child has described."""
    made = (
        SchemaTable(
            table["schema"], table["name"], table["about"], tuple(SchemaColumn(*each) for each in table["columns"])
        )
        for table in tables
    )
    return Schema(tuple(made), tuple(functions), frozenset(reserved))
