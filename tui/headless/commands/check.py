"""`check`: checks reports against rules, for builds; text, JSON, and files for CI servers."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING

from parsers.model.report import ReportError
from parsers.reporting.rules.evaluation import Baseline, Evaluator, RuleRows, lost_in
from parsers.reporting.rules.outcome import Outcome, State, omitted_steps, outcome_of, worst
from parsers.reporting.rules.question import Access, Question, mistake, questions_of
from parsers.reporting.rules.rule_file import RuleError, RuleFile, read_rules
from tui.command_line.arguments import ALL
from tui.command_line.registry import VERSION
from tui.headless.commands.export import is_same_file, write_file
from tui.headless.given_reports import GivenReports
from tui.headless.json_row import Fields, node_fields, path_fields
from tui.headless.problems import CANNOT
from tui.headless.text_row import BOLD, DIM, FLAG, problem_line
from tui.screen.sanitise import safe

if TYPE_CHECKING:
    from parsers.model.report import Report
    from parsers.reporting.rules.rule_queries import RuleQueries
    from tui.headless.session import Invocation

STATUSES: dict[State, int] = {"kept": 0, "broken": 1, "unknown": 3}
PROBLEMS = 3
"""Maximum problems of each kind that are printed per report."""

MATCHES = 10
"""Maximum rows printed for each broken rule."""

WORDS: dict[State, str] = {"kept": "kept", "broken": "BROKEN", "unknown": "UNKNOWN"}


def run(invocation: Invocation) -> int:
    """Prints the result of each broken rule, and their number; as JSON of all rules."""
    arguments, remarks = invocation.arguments, invocation.remarks
    path = arguments.text("rules")
    if path is None:
        raise ReportError("check needs --rules FILE: the rules, in TOML")
    if any(arguments.patterns.values()):
        raise ReportError("check looks at all rows: exclude rows in the rules, by except")
    try:
        rules = read_rules(path)
        for doubt in rules.doubts:
            remarks.show_message(doubt)
        with ExitStack() as opened:
            return _Check(invocation, rules, opened).run()
    except RuleError as error:
        for line in error.args:
            remarks.show_message(f"coffeetree: {line}")
        return CANNOT


class _Check:
    """A check of reports against rules."""

    def __init__(self, invocation: Invocation, rules: RuleFile, opened: ExitStack) -> None:
        self._arguments, self._output, self._remarks = invocation.arguments, invocation.output, invocation.remarks
        self._cache = invocation.cache
        self._rules = rules
        self._opened = opened
        self._given = GivenReports(invocation, opened)

    def run(self) -> int:
        """Runs the check; returns the exit status."""
        given = self._given
        queries = self._queries()
        self._access = Access(given.know, queries)
        reports = given.open(self._arguments.reports)
        self._look_before(reports)
        mistakes = self._without_baseline()
        try:
            questions = questions_of(self._rules, reports, given.joined, self._access)
        except RuleError as error:
            mistakes += error.args
        if mistakes:
            raise RuleError(*sorted(mistakes, key=self._line_of))
        rows = RuleRows(questions, self._remarks.show)
        needs_baseline = any(rule.needs_baseline for rule in self._rules.rules)
        baseline = self._baseline(rows, questions) if needs_baseline else None
        evaluator = Evaluator(rows, baseline, self._rules.accepted)
        limit = self._arguments.count("limit", MATCHES)
        outcomes = [self._outcome(evaluator, question, limit) for question in questions]
        self._remarks.done()
        if given.changed:
            for file in given.changed:
                self._remarks.show_message(
                    f"coffeetree: {file}: was written while it was read: nothing is judged, check it again"
                )
            return STATUSES["unknown"]
        self._show_problems()
        self._show_doubts(outcomes)
        self._show_measurements(outcomes)
        self._print(outcomes)
        self._write(outcomes)
        if (save := self._arguments.text("save")) is not None:
            self._save(save, rows, outcomes)
        return STATUSES[worst(outcomes)]

    def _queries(self) -> RuleQueries | None:
        """The databases of rules that are queries; None if there are none. Raises `ReportError` without DuckDB."""
        if not any(rule.sql for rule in self._rules.rules):
            return None
        from parsers.formats.declared_tables import declared_tables
        from parsers.reporting.rules.rule_queries import RuleQueries
        from parsers.reporting.sql.database import MEMORY

        memory = self._arguments.text("memory") or MEMORY
        seconds = self._arguments.count("timeout", ALL)
        folder = self._cache.temporary_folder()
        return RuleQueries(lambda report: declared_tables(report.format), self._opened, folder, memory, seconds)

    def _outcome(self, evaluator: Evaluator, question: Question, limit: int | None) -> Outcome:
        """Evaluates a question. Raises `RuleError` for a query that fails or exceeds its limits."""
        if not question.rule.sql:
            return outcome_of(evaluator.evaluate(question), limit)
        from parsers.reporting.rules.rule_queries import explained
        from parsers.reporting.sql.database import SqlError

        try:
            return outcome_of(evaluator.evaluate(question), limit)
        except SqlError as error:
            raise RuleError(mistake(self._rules, question.rule, explained(error, question.rule))) from error

    # -- baseline -----------------------------------------------------------------------------------------------------

    def _line_of(self, mistake: str) -> int:
        """The line of the rules file to which a mistake refers."""
        return int(mistake.removeprefix(f"{self._rules.path}:").partition(":")[0])

    @property
    def _baseline_path(self) -> str | None:
        return self._arguments.text("baseline") or self._rules.baseline

    def _without_baseline(self) -> list[str]:
        """Mistakes of rules that need a baseline, if there is none."""
        path = self._baseline_path
        if self._arguments.text("save") is not None or (path is not None and os.path.exists(path)):
            return []
        what = "there is none: expected baseline = PATH in the rules, or --baseline PATH"
        summary = what if path is None else f"{path} is not there: --save {path} writes it"
        keys = ((rule, "new" if rule.is_new else "may-grow") for rule in self._rules.rules if rule.needs_baseline)
        return [mistake(self._rules, rule, f"{key}: needs a baseline: {summary}") for rule, key in keys]

    def _baseline(self, rows: RuleRows, questions: Sequence[Question]) -> Baseline | None:
        """The baseline for comparison; None while a new one is written."""
        from parsers.reporting.rules.baseline import ReportBaseline, SavedBaseline, is_saved
        from parsers.reporting.rules.report_labels import names_of

        if self._arguments.text("save") is not None:
            return None
        path = self._baseline_path
        assert path is not None
        reports = [question.report for question in questions]
        if is_saved(path):
            return SavedBaseline(path, names_of(reports))
        formats = {question.report.format for question in questions if question.rule.needs_baseline}
        older = self._given.open_older(path, formats)
        return ReportBaseline(older, rows, self._rules.accepted, names_of(reports), self._access)

    def _look_before(self, reports: Sequence[Report]) -> None:
        """Refuses to overwrite an input file."""
        read = [self._rules.path, *(file for report in reports for file in report.files)]
        for option in ("save", "junit", "sarif"):
            path = self._arguments.text(option)
            if path is not None and any(is_same_file(path, each) for each in read):
                raise ReportError(f"--{option} {path}: is read itself: give another name")

    # -- results ------------------------------------------------------------------------------------------------------

    def _show_problems(self) -> None:
        """Prints the first problems of each kind in each report: thousands would flood a build's log."""
        printed: set[str] = set()
        for report in self._given.known.values():
            counted: Counter[str] = Counter()
            problems = report.problems
            for problem in problems:
                counted[problem.kind] += 1
                line = problem_line(problem, next(iter(report.files), report.title))
                if counted[problem.kind] <= PROBLEMS and line not in printed:
                    printed.add(line)
                    self._remarks.show_message(line)
            more = {kind: count - PROBLEMS for kind, count in counted.items() if count > PROBLEMS}
            if unlisted := report.problem_count - len(problems):
                more["others"] = unlisted
            if more and printed:
                kinds = ", ".join(f"{kind} ({count:,})" for kind, count in more.items())
                self._remarks.show_message(f"{report.title}: more of these: {kinds}")

    def _show_doubts(self, outcomes: Sequence[Outcome]) -> None:
        """Prints limits without any row: their patterns may be mistyped."""
        of_rows = {outcome.rule.name: 0 for outcome in outcomes if outcome.rule.wish == "limit"}
        for outcome in outcomes:
            if outcome.rule.name in of_rows:
                of_rows[outcome.rule.name] += outcome.result.rows
        for rule in self._rules.rules:
            if not of_rows.get(rule.name, 1):
                self._remarks.show_message(
                    f"{self._rules.path}:{rule.line}: [[limit]] {rule.name!r}: there are no {rule.about}"
                )

    def _write(self, outcomes: Sequence[Outcome]) -> None:
        """Writes the files for CI servers."""
        if (path := self._arguments.text("junit")) is not None:
            from parsers.reporting.rules.junit import junit

            write_file([junit(outcomes, self._rules.path)], path)
        if (path := self._arguments.text("sarif")) is not None:
            from parsers.reporting.rules.sarif import sarif

            write_file([sarif(outcomes, self._rules.path, VERSION)], path)

    def _save(self, path: str, rows: RuleRows, outcomes: Sequence[Outcome]) -> None:
        """Writes a baseline, unless its data would be incomplete."""
        from parsers.reporting.rules.baseline import saved

        questions = [outcome.result.question for outcome in outcomes]
        for report in {id(question.report): question.report for question in questions}.values():
            if lost := lost_in(report, self._rules.accepted):
                self._remarks.show_message(f"coffeetree: {path} is not written: {lost}")
                return
        write_file([saved(questions, rows.measure)], path)

    def _show_measurements(self, outcomes: Sequence[Outcome]) -> None:
        """Prints the measurements of fulfilled rules, as evidence that they match something."""
        for outcome in outcomes:
            if outcome.state == "kept":
                self._remarks.detail(f"kept: {outcome.rule.name}: {outcome.title}: {outcome.result.summary}")

    def _print(self, outcomes: Sequence[Outcome]) -> None:
        if self._output.is_json:
            for outcome in outcomes:
                self._output.json(outcome_fields(outcome))
            return
        for outcome in outcomes:
            if outcome.state != "kept":
                self._print_outcome(outcome)
        self._output.line(self._summary(outcomes))

    def _print_outcome(self, outcome: Outcome) -> None:
        paint, line, rule = self._output.paint, self._output.line, outcome.rule
        place = paint(f"({rule.wish}, {safe(self._rules.path)}:{rule.line})", DIM)
        line(f"{paint(WORDS[outcome.state], FLAG)}  {paint(safe(rule.name), BOLD)}  {place}")
        for each in rule.reason.splitlines():
            line(f"  {safe(each)}")
        line(f"  {safe(outcome.title)}: {safe(outcome.result.summary)}")
        if outcome.result.lost:
            line(f"  can't be judged: {safe(outcome.result.lost)}")
        for witness in outcome.witnesses:
            line("")
            for depth, step in outcome.steps(witness):
                if isinstance(step, int):
                    line("  " * depth + omitted_steps(step))
                else:
                    self._output.row(witness.path_view, step, depth)
        if outcome.more:
            limit = self._arguments.count("limit", MATCHES)
            line(f"\n  and {outcome.more:,} more (--limit {limit}; all lifts it)")
        line("")
        self._output.end_table()

    def _summary(self, outcomes: Sequence[Outcome]) -> str:
        """Number of fulfilled rules, in one line."""
        by_rule: dict[str, list[Outcome]] = {}
        for outcome in outcomes:
            by_rule.setdefault(outcome.rule.name, []).append(outcome)
        states = [worst(of_rule) for of_rule in by_rule.values()]
        kept, broken, unknown = (states.count(state) for state in STATUSES)
        parts = [f"{kept:,} of {len(states):,} rules kept"]
        parts += [f"{broken:,} broken"] if broken else []
        parts += [f"{unknown:,} can't be judged"] if unknown else []
        return self._output.paint(", ".join(parts), BOLD)


def outcome_fields(outcome: Outcome) -> Fields:
    """The fields of an outcome for JSON."""
    result, rule = outcome.result, outcome.rule
    question = result.question
    return {
        "rule": rule.name,
        "passed": result.passed,
        "value": result.value,
        "limit": result.limit,
        "rows": result.rows,
        "matches": [
            {"match": node_fields(witness.view, witness.node), "path": path_fields(witness.path_view, witness.path)}
            for witness in outcome.witnesses
        ],
        "more": outcome.more,
        "wish": rule.wish,
        "reason": rule.reason,
        "line": rule.line,
        "report": outcome.title,
        "format": question.report.format,
        "view": question.view.name,
        "kind": question.kind,
        "column": None if question.column is None else question.column.name,
        "unit": question.unit,
        "baseline": result.before,
        "says": result.summary,
        "lost": result.lost,
    }
