"""What a rule says: which rows of a report it is about, and what must be true of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from parsers.model.patterns import PatternSet
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
"""Short forms: in which view the rows are, and of what kind; the first view that a report has."""

LISTED: dict[str, tuple[str, str]] = {
    "methods": ("Used methods", "method"),
    "classes": ("Used classes", "class"),
    "packages": ("Used packages", "package"),
}
"""Short forms where no report has a tree: lists of the same things, without ways that lead to them."""

SINGULAR = {
    "methods": "method",
    "classes": "class",
    "packages": "package",
    "entries": "entry",
    "types": "type",
    "objects": "object",
}

EVERYTHING = PatternSet(("*",))


@dataclass(frozen=True)
class Rule:
    """One rule, as it was written."""

    wish: Wish
    name: str
    line: int
    """Where it begins in its file, from 1."""
    lines: Mapping[str, int] = field(default_factory=dict, compare=False)
    """Where its keys stand."""
    subject: str = ""
    """A short form; empty: `view` names one."""
    view: str = ""
    kind: str | None = None
    """Of rows; None: that of the view's name, if there is such a kind, else the rows at the top."""
    reason: str = ""
    report: PatternSet = EVERYTHING
    """Formats or names of files that it is for."""
    patterns: PatternSet = EVERYTHING
    exceptions: PatternSet = field(default_factory=lambda: PatternSet(()))
    where: tuple[tuple[str, PatternSet], ...] = ()
    """Columns, and patterns of what rows must have in them."""
    column: str = ""
    """What is added up or looked at; empty: rows are counted."""
    take: Take = ""
    at_most: Amount | None = None
    at_least: Amount | None = None
    may_grow: Amount | None = None
    """How much more than the baseline has."""
    is_new: bool = False
    """Whether only what the baseline has not is forbidden."""

    @property
    def needs_baseline(self) -> bool:
        """Whether it can't be judged without one."""
        return self.is_new or self.may_grow is not None

    def place(self, key: str) -> int:
        """The line of a key; of one that it has not where it begins."""
        return self.lines.get(key, self.line)

    @property
    def places(self) -> tuple[tuple[str, str | None], ...]:
        """Views that it can be answered by, best first, each with the kind of rows."""
        return SUBJECTS[self.subject] if self.subject else ((self.view, self.kind),)

    @property
    def fallbacks(self) -> tuple[tuple[str, str | None], ...]:
        """Views that answer it where no report has one of these."""
        return (LISTED[self.subject],) if self.subject in LISTED else ()

    @property
    def about(self) -> str:
        """What it is about, in a few words: `methods com.acme.*`."""
        what = self.subject or " ".join(part for part in (self.view, self.kind or "") if part)
        words = [what] if self.patterns == EVERYTHING else [what, ", ".join(self.patterns.patterns)]
        words += [f"where {column} is {', '.join(patterns.patterns)}" for column, patterns in self.where]
        if self.exceptions:
            words.append(f"but for {', '.join(self.exceptions.patterns)}")
        return " ".join(words)


def asked(rule: Rule) -> str:
    """What a rule asks for, in a few words: `none may be there`."""
    if rule.wish == "forbid":
        return "none may be new" if rule.is_new else "none may be there"
    if rule.wish == "require":
        least = rule.at_least
        return "at least one must be there" if least is None else f"at least {least.written} wanted"
    parts = [] if rule.at_most is None else [f"at most {rule.at_most.written} allowed"]
    if rule.may_grow is not None:
        parts.append(f"at most {rule.may_grow.written} more than the baseline")
    return ", ".join(parts)
