"""A rule applied to a report: the view that answers it, its rows, the column that counts.

All mistakes are found before anything is counted, so that a rule that no report can answer never passes.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

from parsers.reporting.rules.named_rows import ANY
from parsers.reporting.rules.rule import SUBJECTS
from parsers.reporting.rules.rule_file import RuleError
from parsers.views.collection import owner_of

if TYPE_CHECKING:
    from parsers.model.names.patterns import PatternSet
    from parsers.model.report import Report
    from parsers.model.row import Column, Kind
    from parsers.model.view import View
    from parsers.reporting.rules.rule import Rule
    from parsers.reporting.rules.rule_file import RuleFile
    from parsers.reporting.rules.rule_queries import RuleQueries

TEXT = "text"

FLAGS = "flags"
"""As a column: the flags of rows."""


@dataclass(frozen=True)
class Access:
    """The means by which rules reach the data of reports."""

    wait: Callable[[Report], object]
    """Blocks until a report is complete."""
    queries: RuleQueries | None
    """None if no rule is a query."""


@dataclass(frozen=True)
class Question:
    """A rule with the view of a report that answers it."""

    rule: Rule
    report: Report
    view: View
    kind: str
    """Kind of rows; empty: those at the top."""
    column: Column | None = None
    where: tuple[tuple[Column | None, PatternSet], ...] = ()
    """Conditions on columns of rows; None represents their flags."""

    @property
    def unit(self) -> str:
        """Unit of the measured value."""
        return "count" if self.column is None else self.column.unit

    @property
    def takes_each(self) -> bool:
        """True if the numbers of a column are compared one by one, not added up."""
        if self.column is None:
            return False
        return self.rule.take == "each" if self.rule.take else not self.column.adds_up

    def noun(self, count: int) -> str:
        """Returns the name of the counted rows, singular or plural: `classes`, `task rows of Tasks`."""
        subject = self.rule.subject
        if self.rule.sql:
            return "row" if count == 1 else "rows"
        if subject:
            return SUBJECTS[subject][0][1] if count == 1 else subject
        kind = f"{self.kind} " if self.kind not in ("", ANY) else ""
        return f"{kind}{'row' if count == 1 else 'rows'} of {self.view.name}"


def questions_of(
    file: RuleFile, reports: Sequence[Report], joined: Callable[[], Sequence[Report]], access: Access
) -> list[Question]:
    """Applies each rule to each report that it is for. Raises `RuleError` with all mistakes.

    joined  returns combinations of these reports, for rules that no single one can answer
    """
    mistakes: list[str] = []
    found: list[Question] = []
    for rule in file.rules:
        with _gathering(mistakes, partial(mistake, file, rule)):
            _check_query(rule, reports, access)
    # Reports are read for rules that may be right.
    for rule in file.rules if not mistakes else ():
        with _gathering(mistakes, partial(mistake, file, rule)):
            found += _questions(rule, reports, joined, access)
    if mistakes:
        raise RuleError(*mistakes)
    return found


def _check_query(rule: Rule, reports: Sequence[Report], access: Access) -> None:
    """Raises `RuleError` for a query that is wrong whatever the reports contain."""
    if rule.sql and access.queries is not None:
        for report in reports:
            if _is_meant(rule, report):
                access.queries.may_answer(rule, report)


def mistake(file: RuleFile, rule: Rule, text: str) -> str:
    """Formats a mistake in a rule, with the line of the key that the text begins with."""
    return f"{file.path}:{rule.place(text.partition(':')[0])}: [[{rule.wish}]] {rule.name!r}: {text}"


def _questions(
    rule: Rule, reports: Sequence[Report], joined: Callable[[], Sequence[Report]], access: Access
) -> list[Question]:
    meant = [report for report in reports if _is_meant(rule, report)]
    for places in (rule.places, rule.fallbacks) if not rule.sql else (rule.places,):
        found = [question for report in meant if (question := _asked(rule, report, places, access)) is not None]
        if found:
            return found
    # Combined reports have the views of their parts, too: they are tried last.
    of_all = [report for report in joined() if _is_meant(rule, report)]
    found = [question for report in of_all if (question := question_of(rule, report, access)) is not None]
    if found:
        return found
    meant = of_all or meant
    if not meant:
        given = ", ".join(f"{report.format} ({report.title})" for report in reports)
        raise RuleError(f"report: no report is {', '.join(rule.report.patterns)}: there are {given}")
    raise RuleError(_cannot(rule, meant, access))


def _is_meant(rule: Rule, report: Report) -> bool:
    """True if a rule is for a report: by its format, or the name of one of its files."""
    names = (report.format, report.title, *map(os.path.basename, report.files))
    return any(name in rule.report for name in names)


def question_of(rule: Rule, report: Report, access: Access) -> Question | None:
    """Applies a rule to a report; None if it has no such view. Raises `RuleError` if the view lacks what it needs."""
    return _asked(rule, report, rule.places, access) or _asked(rule, report, rule.fallbacks, access)


def _asked(rule: Rule, report: Report, places: Sequence[tuple[str, str | None]], access: Access) -> Question | None:
    """Applies a rule to the first of some views; a report that can't have any is not waited for."""
    if rule.sql:
        return _query(rule, report, access)
    possible = {name.lower() for name in (*report.views.possible, *report.views.hidden_names())}
    if not any(name.lower() in possible for name, _ in places):
        return None
    access.wait(report)
    names = {name.lower() for name in (*report.views.names, *report.views.hidden_names())}
    for name, kind in places:
        if name.lower() in names:
            view = report.view(name)
            mistakes: list[str] = []
            with _gathering(mistakes):
                kind = _kind(rule, report, view, kind)
            with _gathering(mistakes):
                column = _column(rule, view)
            where: list[tuple[Column | None, PatternSet]] = []
            for asked, patterns in rule.where:
                with _gathering(mistakes):
                    where.append((_where(view, asked), patterns))
            if mistakes:
                raise RuleError(*mistakes)
            return Question(rule, report, view, kind or "", column, tuple(where))
    return None


def _query(rule: Rule, report: Report, access: Access) -> Question | None:
    """Applies a query to a report; None if it lacks a table. A report that can't have it is not waited for."""
    queries = access.queries
    if queries is None or not queries.may_answer(rule, report):
        return None
    access.wait(report)
    view = queries.view(rule, report)
    return None if view is None else Question(rule, report, view, ANY, _column(rule, view))


@contextmanager
def _gathering(mistakes: list[str], written: Callable[[str], str] = str) -> Iterator[None]:
    """Collects the messages of a mistake as they are written."""
    try:
        yield
    except RuleError as error:
        mistakes += map(written, error.args)


def _where(view: View, name: str) -> Column | None:
    """Returns the column of a condition; None: the flags of rows."""
    if name.lower() == FLAGS:
        return None
    found = _named(view.columns, name)
    if found is None:
        there = ", ".join(column.name for column in view.columns)
        raise RuleError(f"where: {view.name} has no column {name!r}: there are {there}, {FLAGS}")
    return found


def _named(columns: Iterable[Column], name: str) -> Column | None:
    """Returns the column of a name or title, ignoring case."""
    asked = name.lower()
    return next((column for column in columns if asked in (column.name.lower(), column.title.lower())), None)


def _kind(rule: Rule, report: Report, view: View, kind: str | None) -> str:
    if kind is None:
        return default_kind(report, view)
    kinds = _kinds_of(report, view)
    if rule.kind and kind != ANY and kind not in kinds:
        there = ", ".join(sorted(kinds))
        raise RuleError(f"kind: no row of {report.title} is a {kind!r}: there are {there}, or {ANY} for all")
    return kind


def default_kind(report: Report, view: View) -> str:
    """Returns the kind that a view is named after: classes in Classes; empty: its rows at the top."""
    name = view.name.lower()
    singular = (name.removesuffix("s"), name.removesuffix("es"))
    kinds = _kinds_of(report, view)
    return next((kind for kind in singular if kind in kinds), "")


def _kinds_of(report: Report, view: View) -> Mapping[str, Kind]:
    """Returns the kinds of rows of a view; for a combined report those of the part it is from."""
    return {**report.kinds, **owner_of(report, view).kinds}


def _column(rule: Rule, view: View) -> Column | None:
    if not rule.column:
        return None
    numbers = [column for column in view.columns if column.unit != TEXT]
    column = _named(numbers, rule.column)
    if column is not None:
        _check_units(rule, column, numbers)
        return column
    there = ", ".join(column.name for column in numbers) or "none"
    raise RuleError(f"column: {view.name} has no number {rule.column!r}: there are {there}")


def _check_units(rule: Rule, column: Column, others: Iterable[Column]) -> None:
    """Checks that the rule's units match the column's. Raises `RuleError` with columns that would match."""
    for key, amount in (("at-most", rule.at_most), ("at-least", rule.at_least), ("may-grow", rule.may_grow)):
        if amount is None or (key == "may-grow" and amount.is_percent):
            continue
        try:
            amount.in_unit(column.unit)
        except ValueError as error:
            meant = ", ".join(other.name for other in others if amount.fits(other.unit))
            hint = f" ({meant} would be)" if meant else ""
            raise RuleError(f"{key}: the column {column.name} {error}{hint}") from None
    if rule.take == "sum" and column.unit == "percent":
        raise RuleError(f"take: shares of {column.name} can't be added up: expected 'each'")


def _cannot(rule: Rule, reports: Sequence[Report], access: Access) -> str:
    """Returns the reason why no report can answer a rule, and the available views or tables."""
    if rule.sql and access.queries is not None:
        return access.queries.why_not(reports)
    there = "; ".join(map(_views_of, reports))
    if rule.subject:
        return f"{rule.subject}: no report lists them: {there}"
    whys = [why for each in reports if (why := each.why_not(rule.view))]
    reason = f" ({'; '.join(whys)})" if whys else ""
    return f"view: no report has a view {rule.view!r}{reason}: {there}"


def _views_of(report: Report) -> str:
    """Returns the views of a report as text; if it is incomplete, those that it may have."""
    if report.progress.state == "ready":
        return f"{report.title} has {', '.join(report.views.names)}"
    return f"{report.title} may have {', '.join(report.views.possible)}"


def limit_in_unit(question: Question, key: str) -> Fraction | None:
    """Returns a limit of a rule in the unit of the measured value."""
    rule = question.rule
    amount = rule.at_least if key == "at-least" else rule.at_most
    return None if amount is None else amount.in_unit(question.unit)
