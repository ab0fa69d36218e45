"""Evaluates rules: measures them and compares with their limits.

A damaged report has lost rows, never gained any. So an exceeded limit is exceeded, and an existing row exists. But
absence or a kept limit can't be proved: the result is unknown then. Numbers that don't add up, such as shares and
retained sizes, are always unknown there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import compress
from math import isfinite
from typing import TYPE_CHECKING, Protocol, cast

from parsers.model.late import numpy as np
from parsers.model.row import counted, value_in
from parsers.reporting.rules.amount import amount_text, exact, plain_number
from parsers.reporting.rules.array_rows import ArrayRows, Number
from parsers.reporting.rules.named_rows import STEP, named_rows, silent
from parsers.reporting.rules.question import Question, limit_in_unit
from parsers.reporting.rules.rule import asked

CUT = "cut"
"""Kind of the problem of a truncated file, in all formats."""

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from parsers.model.report import Problem, Report
    from parsers.model.row import Column


@dataclass(frozen=True)
class MeasuredValue:
    """The measurement of a rule in one report: the value, and the names if known."""

    value: Number
    names: Counter[str] | None = None
    lost: str = ""
    """Reason why the measured value may be too small."""


class Baseline(Protocol):
    """Earlier measurements."""

    def measured(self, question: Question) -> MeasuredValue | None:
        """Returns the measurement for a question; None: there is none. Raises `ReportError`."""
        ...


@dataclass(frozen=True)
class RuleResult:
    """The result of a question."""

    question: Question
    passed: bool | None
    """None: unknown, as the report is damaged."""
    value: Number
    limit: Number | None
    """The limit it was compared with, in the unit of the value."""
    rows: int
    """Number of rows of the rule."""
    summary: str
    """Short text: the measured value, and the rule."""
    before: Number | None = None
    """Value of the baseline."""
    nodes: Sequence[int] = ()
    """Rows of the question's view that violate the rule, the worst first."""
    lost: str = ""
    """Reason why the result is unknown."""


class RuleRows:
    """The rows of questions; each kind of row of a view is scanned once."""

    def __init__(self, questions: Iterable[Question] = (), report_progress: Callable[[str], object] = silent) -> None:
        """
        questions  the questions to come
        report_progress       receives progress messages
        """
        self._report_progress = report_progress
        self._columns: dict[tuple[int, str], dict[str, Column]] = {}
        for question in questions:
            if question.column is not None:
                self._columns.setdefault(_place(question), {})[question.column.name] = question.column
        self._found: dict[tuple[int, str], ArrayRows] = {}

    def of(self, question: Question) -> ArrayRows:
        """Returns all rows of the kind of a question."""
        key = _place(question)
        found = self._found.get(key)
        if found is None:
            columns = list(self._columns.get(key, {}).values())
            found = self._found[key] = named_rows(question.view, question.kind, self._report_progress, columns)
        return found

    def measure(self, question: Question) -> Measurement:
        """Measures a rule."""
        rows, rule = self.of(question), question.rule
        if rule.patterns.is_all and not rule.exceptions:
            nodes = rows.all_nodes
        else:
            matching = rows.names.of(rule.patterns)
            if rule.exceptions:
                matching &= ~rows.names.of(rule.exceptions)
            nodes = rows.nodes(matching)
        if question.where:
            found = (node for node in self._with_progress(question.view.name, nodes) if _matches(question, node))
            nodes = np.fromiter(found, np.int64)  # type: ignore[assignment]
        return Measurement(question, rows, nodes, self._report_progress)

    def _with_progress(self, name: str, nodes: Sequence[int]) -> Iterator[int]:
        """Yields rows, with a progress message now and then."""
        for place, node in enumerate(map(int, nodes)):
            if place and not place % STEP:
                self._report_progress(f"looking at what rows of {name} have: {place:,} of {len(nodes):,}")
            yield node


def _matches(question: Question, node: int) -> bool:
    """True if a row meets the conditions on its columns."""
    row = question.view.tree.row(node)
    for column, patterns in question.where:
        if column is None:
            if not any(flag in patterns for flag in row.flags):
                return False
        elif str(value_in(row, column)) not in patterns:
            return False
    return True


def _place(question: Question) -> tuple[int, str]:
    """Identifies the rows of a question."""
    return id(question.view), question.kind


@dataclass(frozen=True)
class Measurement:
    """The rows of a rule, and their totals."""

    question: Question
    rows: ArrayRows
    nodes: Sequence[int]
    report_progress: Callable[[str], object] = silent
    """Receives progress messages."""

    @cached_property
    def _numbered(self) -> tuple[list[Number], list[int]]:
        """Values of rows in the column, and these rows, without those that have no number."""
        column = self.question.column
        assert column is not None
        values: list[Number | None] = []
        for start in range(0, len(self.nodes), STEP):
            if start:
                self.report_progress(f"looking at {column.name}: {start:,} of {counted(len(self.nodes), 'row')}")
            values += self.rows.numbers(column, self.nodes[start : start + STEP])
        is_number = [value is not None and isfinite(value) for value in values]
        values_known = cast("list[Number]", list(compress(values, is_number)))
        return values_known, list(compress(map(int, self.nodes), is_number))

    @cached_property
    def numbers(self) -> list[tuple[Number, int]]:
        """Value and row of each row in the column, largest first, without those that have no number."""
        values, nodes = self._numbered
        order = sorted(range(len(values)), key=values.__getitem__, reverse=True)
        return [(plain_number(values[place]), nodes[place]) for place in order]

    @cached_property
    def value(self) -> Number:
        """The number of rows; or the sum, maximum (for required rows minimum) of the column."""
        question = self.question
        if question.column is None:
            return len(self.nodes)
        values, _ = self._numbered
        if not question.takes_each:
            return plain_number(total(values))
        found = min if question.rule.wish == "require" else max
        return plain_number(found(values, default=0))

    @cached_property
    def names(self) -> Counter[str]:
        """Number of rows by name, with volatile names normalised."""
        normal = self.question.report.normal_name
        return Counter(normal(self.rows.name(int(node))) for node in self.nodes)

    def beyond(self, before: Counter[str]) -> list[int]:
        """Returns rows whose names the baseline lacks, or has fewer times."""
        normal, left = self.question.report.normal_name, Counter(before)
        found = []
        for node in map(int, self.nodes):
            name = normal(self.rows.name(node))
            if left[name] > 0:
                left[name] -= 1
            else:
                found.append(node)
        return found


def total(values: Iterable[Number]) -> Fraction:
    """Returns the exact decimal sum."""
    whole, rest = 0, Fraction(0)
    for value in values:
        if isinstance(value, int):
            whole += value
        else:
            rest += exact(value)
    return whole + rest


def lost_in(report: Report, accepted: Collection[str]) -> str:
    """Returns the damage of a report that may have lost rows; empty: none that matters."""
    if not report.problem_count:
        return ""
    problems = report.problems
    counted: Counter[str] = Counter(problem.kind for problem in problems if problem.kind not in accepted)
    unlisted = report.problem_count - len(problems)
    if not counted and not unlisted:
        return ""
    # Damage after a truncation has caused further problems: the truncation alone is named.
    is_cut = CUT in counted
    kinds = sorted(counted, key=lambda kind: (kind != CUT, kind))
    parts = [f"{kind} ({counted[kind]:,})" if counted[kind] > 1 else kind for kind in kinds]
    first: Problem | None = next((each for each in problems if each.kind in ({CUT} if is_cut else counted)), None)
    where = "" if first is None or first.offset is None else f"at byte {first.offset:,}"
    if is_cut and where:
        parts[0] += f" {where}"
    parts += [f"{unlisted:,} more that are not listed"] if unlisted else []
    parts += [f"first {where}"] if where and not is_cut else []
    return f"{report.title} is damaged: {', '.join(parts)}"


@dataclass
class Evaluator:
    """Evaluates questions one by one."""

    rows: RuleRows
    baseline: Baseline | None = None
    """None: no baseline."""
    accepted: Collection[str] = frozenset()
    """Kinds of problems to ignore."""
    _lost: dict[int, str] = field(default_factory=dict)

    def evaluate(self, question: Question) -> RuleResult:
        """Evaluates a question. Raises `ReportError` if the baseline has no answer."""
        match question.rule.wish:
            case "forbid":
                return self._forbidden(self.rows.measure(question))
            case "require":
                return self._required(self.rows.measure(question))
        return self._limited(self.rows.measure(question))

    def _lost_of(self, report: Report) -> str:
        key = id(report)
        if key not in self._lost:
            self._lost[key] = lost_in(report, self.accepted)
        return self._lost[key]

    def _forbidden(self, found: Measurement) -> RuleResult:
        question, nodes, before = found.question, found.nodes, None
        if question.rule.is_new:
            before = self._before(question)
            nodes = () if before is None else found.beyond(before.names or Counter())
        count = len(nodes)
        new = "new " if question.rule.is_new else ""
        summary = f"{_counted(question, count, new)}: {asked(question.rule)}"
        return self._result(found, not count, count, Fraction(0), summary, nodes, before)

    def _required(self, found: Measurement) -> RuleResult:
        question = found.question
        limit = limit_in_unit(question, "at-least")
        least = Fraction(1) if limit is None else limit
        is_kept = not least or (len(found.nodes) > 0 and exact(found.value) >= least)
        summary = f"{self._measured(found)}: {asked(question.rule)}"
        return self._result(found, is_kept, found.value, least, summary, helps=not question.takes_each)

    def _limited(self, found: Measurement) -> RuleResult:
        question, rule = found.question, found.question.rule
        limits = [limit_in_unit(question, "at-most")]
        before = self._before(question) if rule.may_grow is not None else None
        if before is not None:
            limits.append(_grown(before.value, question))
        limit = min((each for each in limits if each is not None), default=None)
        is_kept = limit is None or exact(found.value) <= limit
        summary = f"{self._measured(found)}: {asked(rule)}"
        if before is not None:
            summary += f", which has {amount_text(before.value, question.unit)}"
        nodes = () if is_kept else self._too_many(found, limit, before)
        return self._result(found, is_kept, found.value, limit, summary, nodes, before)

    def _result(
        self,
        found: Measurement,
        is_kept: bool,
        value: Number,
        limit: Fraction | None,
        summary: str,
        nodes: Sequence[int] = (),
        before: MeasuredValue | None = None,
        *,
        helps: bool = False,
    ) -> RuleResult:
        """Builds the result. helps: True if lost rows of a damaged report could only help to keep the rule"""
        question = found.question
        lost = self._lost_of(question.report)
        # Rows that are lost may also add rows to the result of a query, such as those without partner.
        adds_up = not question.rule.sql and (question.column is None or question.column.adds_up)
        if lost and adds_up and is_kept == helps:
            lost = ""
        lost = lost or ("" if before is None else before.lost)
        return RuleResult(
            question,
            passed=None if lost else is_kept,
            value=value,
            limit=None if limit is None else plain_number(limit),
            rows=len(found.nodes),
            summary=summary,
            before=None if before is None else before.value,
            nodes=nodes,
            lost=lost,
        )

    def _before(self, question: Question) -> MeasuredValue | None:
        return None if self.baseline is None else self.baseline.measured(question)

    def _too_many(self, found: Measurement, limit: Fraction | None, before: MeasuredValue | None) -> Sequence[int]:
        """Returns the rows to show for an exceeded limit."""
        question = found.question
        if question.column is not None:
            if question.takes_each and limit is not None:
                return [node for value, node in found.numbers if exact(value) > limit]
            return [node for value, node in found.numbers if value]
        if before is not None and before.names is not None:
            return found.beyond(before.names)
        return () if question.rule.patterns.is_all and not question.rule.sql else found.nodes

    def _measured(self, found: Measurement) -> str:
        """Returns the measured value as text."""
        question = found.question
        if question.column is None:
            return _counted(question, len(found.nodes))
        amount, name = amount_text(found.value, question.unit), question.column.name
        if not question.takes_each:
            amount = f"{name} {amount} in all"
        elif question.rule.wish == "require":
            amount = f"{name} down to {amount}"
        else:
            amount = f"{name} up to {amount}"
        return f"{_counted(question, len(found.nodes))}, {amount}"


def _counted(question: Question, count: int, before: str = "") -> str:
    """Returns the number of rows with its pattern as text: `3 methods match com.acme.*`."""
    rule = question.rule
    description = f"{amount_text(count)} {before}{question.noun(count)}"
    if not rule.patterns.is_all:
        description += f" match{'es' if count == 1 else ''} {', '.join(rule.patterns.patterns)}"
    for name, patterns in rule.where:
        description += f", {name} {', '.join(patterns.patterns)}"
    return f"{description} (but for {', '.join(rule.exceptions.patterns)})" if rule.exceptions else description


def _grown(before: Number, question: Question) -> Fraction:
    """Returns the limit for a value that may grow, from that of the baseline."""
    growth = question.rule.may_grow
    assert growth is not None
    if growth.is_percent:
        return exact(before) * (1 + growth.number / 100)
    return exact(before) + growth.in_unit(question.unit)
