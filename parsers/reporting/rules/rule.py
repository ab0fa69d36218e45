"""A rule: the rows of a report that it is about, and its requirement."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from parsers.model.names.patterns import PatternSet
from parsers.reporting.rules.amount import Amount

Wish = Literal["forbid", "require", "limit"]
Take = Literal["", "sum", "each"]

WISHES: tuple[Wish, ...] = ("forbid", "require", "limit")

SUBJECTS: dict[str, tuple[tuple[str, str], ...]] = {
    "methods": (("Packages", "method"), ("Methods", "method")),
    "classes": (("Packages", "class"), ("Classes", "class"), ("Methods", "class")),
    "packages": (("Packages", "package"), ("Classes", "package")),
    "entries": (("Entry points", "entry"),),
    "types": (("Types", "type"),),
    "objects": (("Types", "object"), ("Objects", "")),
}
"""Short forms: the views with the rows, and their kind; the first view that a report has is used."""

LISTED: dict[str, tuple[str, str]] = {
    "methods": ("Used methods", "method"),
    "classes": ("Used classes", "class"),
    "packages": ("Used packages", "package"),
}
"""Short forms for reports without a tree: lists of the same subjects, without paths to them."""

EVERYTHING = PatternSet(("*",))


@dataclass(frozen=True)
class Rule:
    """One rule, as written."""

    wish: Wish
    name: str
    line: int
    """Its first line in its file, from 1."""
    lines: Mapping[str, int] = field(default_factory=dict, compare=False)
    """Lines of its keys."""
    subject: str = ""
    """A short form; empty: `view` names the view."""
    view: str = ""
    kind: str | None = None
    """Kind of rows; None: that of the view's name, if there is such a kind, else the rows at the top."""
    reason: str = ""
    sql: str = ""
    """A query whose rows it is about; empty: `subject` or `view` names them."""
    query_line: int | None = None
    """The line of the file with the first line of the query; None: the query is written on one line."""
    report: PatternSet = EVERYTHING
    """Formats or names of files that it applies to."""
    patterns: PatternSet = EVERYTHING
    exceptions: PatternSet = field(default_factory=lambda: PatternSet(()))
    where: tuple[tuple[str, PatternSet], ...] = ()
    """Columns, and patterns that their values must match."""
    column: str = ""
    """The column that is added up or compared; empty: rows are counted."""
    take: Take = ""
    at_most: Amount | None = None
    at_least: Amount | None = None
    may_grow: Amount | None = None
    """Allowed growth relative to the baseline."""
    is_new: bool = False
    """True if only rows that the baseline lacks are forbidden."""

    @property
    def needs_baseline(self) -> bool:
        """True if it can't be evaluated without a baseline."""
        return self.is_new or self.may_grow is not None

    def place(self, key: str) -> int:
        """Returns the line of a key, or of `sql line N`; for a missing key that of the rule."""
        name, _, line = key.partition(" line ")
        if line.isdecimal() and self.query_line is not None:
            return self.query_line + int(line) - 1
        return self.lines.get(name, self.line)

    @property
    def places(self) -> tuple[tuple[str, str | None], ...]:
        """Views that can answer it, best first, each with the kind of rows."""
        return SUBJECTS[self.subject] if self.subject else ((self.view, self.kind),)

    @property
    def fallbacks(self) -> tuple[tuple[str, str | None], ...]:
        """Views that answer it where no report has one of these."""
        return (LISTED[self.subject],) if self.subject in LISTED else ()

    @property
    def about(self) -> str:
        """The rows as short text: `methods com.acme.*`."""
        if self.sql:
            return "rows of the query"
        what = self.subject or " ".join(part for part in (self.view, self.kind or "") if part)
        words = [what] if self.patterns == EVERYTHING else [what, ", ".join(self.patterns.patterns)]
        words += [f"where {column} is {', '.join(patterns.patterns)}" for column, patterns in self.where]
        if self.exceptions:
            words.append(f"but for {', '.join(self.exceptions.patterns)}")
        return " ".join(words)


def asked(rule: Rule) -> str:
    """Returns the requirement as short text: `none allowed`."""
    if rule.wish == "forbid":
        return "none may be new" if rule.is_new else "none allowed"
    if rule.wish == "require":
        least = rule.at_least
        return "at least one must be there" if least is None else f"at least {least.written} wanted"
    parts = [] if rule.at_most is None else [f"at most {rule.at_most.written} allowed"]
    if rule.may_grow is not None:
        parts.append(f"at most {rule.may_grow.written} more than the baseline")
    return ", ".join(parts)
