"""Completion of the word before the cursor of a query: columns, tables, keywords, functions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tui.interaction.sql.schema import BEFORE_TABLES, ENDS_TABLES, Token, plain, tokens

if TYPE_CHECKING:
    from tui.interaction.sql.schema import Schema

KEYWORDS = (
    "SELECT", "FROM", "WHERE", "GROUP BY", "GROUP BY ALL", "ORDER BY", "LIMIT", "HAVING", "JOIN", "LEFT JOIN", "USING",
    "ON", "AS", "AND", "OR", "NOT", "IN", "IS NULL", "IS NOT NULL", "LIKE", "ILIKE", "BETWEEN", "DISTINCT", "DESC",
    "ASC", "CASE WHEN", "THEN", "ELSE", "END", "UNION ALL", "EXCEPT", "INTERSECT", "WITH", "OVER", "PARTITION BY",
    "QUALIFY", "EXISTS", "FILTER", "NULLS LAST",
)  # fmt: skip
AT_START = ("SELECT", "FROM", "WITH")


def word_before(text: str) -> tuple[str, list[Token]]:
    """Returns the unfinished word at the end of a text, perhaps empty, and the tokens before it."""
    before = list(tokens(text))
    last = before[-1] if before else Token("blank", "")
    is_open = last.kind == "name" and not (last.text.startswith('"') and last.text.endswith('"') and last.text != '"')
    return (last.text, before[:-1]) if is_open else ("", before)


def completions(text: str, query: str, schema: Schema) -> list[str]:
    """Returns texts to which the text before the cursor can be completed. query: the whole text"""
    word, before = word_before(text)
    last = before[-1] if before else Token("blank", "")
    if last.kind in ("text", "comment") and not word:
        return []
    wanted = plain(word).lower()
    found = dict.fromkeys(
        name for name in candidates(word, before, query, schema) if plain(name).lower().startswith(wanted)
    )
    head = text.removesuffix(word)
    return [head + name for name in found if head + name != text]


def candidates(word: str, before: Sequence[Token], query: str, schema: Schema) -> Iterator[str]:
    """Yields what can follow some tokens, the most probable first, as it is written in a query."""
    used = schema.used(query)
    words = [token for token in before if token.kind not in ("blank", "comment")]
    if words and words[-1].text == "." and before[-1].kind == "sign":
        yield from _members(plain(words[-2].text) if len(words) > 1 else "", query, schema)
        return
    if _expects_table(words):
        yield from map(schema.written, schema.tables)
        return
    keywords = AT_START if not words else KEYWORDS
    shown = (keyword.lower() if word.islower() else keyword for keyword in keywords)
    if not words:
        yield from shown
        return
    yield from (schema.quoted(column.name) for table in used.values() for column in table.columns)
    if word:
        yield from map(schema.quoted, used)
        yield from shown
        yield from (f"{name}(" for name in schema.functions)
        yield from map(schema.written, schema.tables)
    elif not used:
        yield from shown


def _members(name: str, query: str, schema: Schema) -> Iterator[str]:
    """Columns of a table or alias, or tables of a schema."""
    used = {alias.lower(): table for alias, table in schema.used(query).items()}
    table = used.get(name.lower()) or schema.find(name)
    if table is not None:
        yield from (schema.quoted(column.name) for column in table.columns)
    else:
        yield from (schema.quoted(each.name) for each in schema.tables if each.schema.lower() == name.lower())


def _expects_table(words: Sequence[Token]) -> bool:
    """True if a table follows: after FROM, JOIN, and a comma between tables."""
    if not words:
        return False
    last = words[-1].text.upper()
    if last != ",":
        return last in BEFORE_TABLES
    depth = 0
    for word in reversed(words):
        upper = word.text.upper()
        depth += {")": 1, "(": -1}.get(word.text, 0)
        if depth < 0 or (not depth and upper in ENDS_TABLES):
            return False
        if not depth and upper in BEFORE_TABLES:
            return True
    return False
