"""`check`: hold reports against rules, for builds; text, JSON, and files for CI servers."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from parsers.folder import Run, find_reports, group_runs
from parsers.gate.rule_file import RuleError, RuleFile, read_rules
from parsers.opening import open_report
from parsers.report import ReportError
from tui.arguments import VERSION
from tui.headless.export import write_file
from tui.headless.json_row import node_fields, path_fields
from tui.headless.text_row import BOLD, DIM, FLAG, row_line
from tui.sanitise import safe

if TYPE_CHECKING:
    from parsers.cache import Cache
    from parsers.gate.judge import Baseline, Rows
    from parsers.gate.outcome import Outcome, State
    from parsers.gate.question import Question
    from parsers.report import Report
    from tui.arguments import Arguments
    from tui.headless.session import Output, Remarks

STATUSES: dict[State, int] = {"kept": 0, "broken": 1, "unknown": 3}
CANNOT = 2

MATCHES = 10
"""Rows that are shown of each broken rule."""

WORDS: dict[State, str] = {"kept": "kept", "broken": "BROKEN", "unknown": "UNKNOWN"}


def run(arguments: Arguments, cache: Cache, output: Output, remarks: Remarks) -> int:
    """Print what came of each rule that is not kept, and how many are; as JSON all of them."""
    path = arguments.text("rules")
    if path is None:
        raise ReportError("check needs --rules FILE: the rules, in TOML")
    if any(arguments.patterns.values()):
        raise ReportError("check looks at all rows: what is not meant stands in the rules, as except")
    try:
        rules = read_rules(path)
        for doubt in rules.doubts:
            remarks.say(doubt)
        with ExitStack() as opened:
            return _Check(arguments, rules, cache, output, remarks, opened).run()
    except RuleError as error:
        for line in error.args:
            remarks.say(f"coffeetree: {line}")
        return CANNOT


class _Check:
    """Reports being held against rules."""

    def __init__(
        self,
        arguments: Arguments,
        rules: RuleFile,
        cache: Cache,
        output: Output,
        remarks: Remarks,
        opened: ExitStack,
    ) -> None:
        self._arguments = arguments
        self._rules = rules
        self._cache = cache
        self._output = output
        self._remarks = remarks
        self._opened = opened
        self._builds: list[Sequence[str]] = []
        """The files of each build in a folder, where they are several reports."""
        self._made: list[Report] = []
        self._known: set[int] = set()
        """Reports that were waited for."""

    def run(self) -> int:
        """The exit status."""
        from parsers.gate.judge import Judge, Rows
        from parsers.gate.outcome import outcome_of, worst
        from parsers.gate.question import questions_of

        reports = self._open(self._arguments.reports)
        self._look_before(reports)
        mistakes = self._without_baseline()
        try:
            questions = questions_of(self._rules, reports, self._joined, self._know)
        except RuleError as error:
            raise RuleError(*error.args, *mistakes) from None
        if mistakes:
            raise RuleError(*mistakes)
        rows = Rows(questions, self._remarks.show)
        needs_baseline = any(rule.needs_baseline for rule in self._rules.rules)
        baseline = self._baseline(rows, questions) if needs_baseline else None
        judge = Judge(rows, baseline, self._rules.accepted)
        limit = self._arguments.count("limit", MATCHES)
        outcomes = [outcome_of(judge.judge(question), limit) for question in questions]
        self._remarks.done()
        self._say_problems([report for report in reports if id(report) in self._known])
        self._say_doubts(outcomes)
        self._print(outcomes)
        self._write(outcomes)
        if (save := self._arguments.text("save")) is not None:
            self._save(save, rows, outcomes)
        return STATUSES[worst(outcomes)]

    # -- what is given ------------------------------------------------------------------------------------------------

    def _open(self, paths: Sequence[str]) -> list[Report]:
        """The reports of some paths, each once; of a folder those of the newest build of each image in it."""
        reports: list[Report] = []
        known: set[str] = set()
        for files in (files for path in paths for files in self._files(path)):
            report: Any = open_report(files, format=self._arguments.text("format"), cache=self._cache)
            self._opened.callback(report.close)
            if hasattr(report, "is_private_shown"):
                report.is_private_shown = self._arguments.is_given("private")
            own = {os.path.realpath(file) for file in report.files}
            if not own <= known or not own:
                reports.append(report)
            known |= own
        return reports

    def _know(self, report: Report) -> None:
        """Wait until all of a report is known."""
        if id(report) not in self._known:
            report.wait(self._remarks.progress)
            self._remarks.done()
            self._known.add(id(report))

    def _joined(self) -> list[Report]:
        """What the reports of each folder are together; opened when a rule asks for what none of them has alone."""
        files, self._builds = self._builds, []
        self._made += [report for each in files for report in self._opened_joined(each)]
        return self._made

    def _opened_joined(self, files: Sequence[str]) -> list[Report]:
        try:
            report = open_report(files, cache=self._cache)
        except ReportError:
            # They are of several kinds that are nothing together.
            return []
        self._opened.callback(report.close)
        return [report]

    def _files(self, path: str) -> list[Sequence[str]]:
        """The files of each report that a path stands for."""
        if not os.path.isdir(path):
            return [[path]]
        wanted = self._arguments.text("format")
        able = [report for report in find_reports(path) if report.can_be_opened]
        able = [report for report in able if wanted in (None, report.format.name)]
        if not able:
            raise ReportError(f"{path}: holds no report that can be opened")
        newest: dict[str, Run] = {}
        runs = group_runs(able)
        for run in runs:
            newest.setdefault(run.image, run)
        if len(newest) < len(runs):
            times = ", ".join(f"{run.image} {run.written:%Y-%m-%d %H:%M}".strip() for run in newest.values())
            self._remarks.say(f"{path}: holds several builds, of which the newest are held against the rules: {times}")
        files: list[Sequence[str]] = []
        for run in newest.values():
            of_run: list[Sequence[str]] = [report.files or [report.path] for report in run.reports]
            if len(of_run) > 1:
                self._builds.append([file for of_report in of_run for file in of_report])
            files += of_run
        return files

    @property
    def _baseline_path(self) -> str | None:
        return self._arguments.text("baseline") or self._rules.baseline

    def _without_baseline(self) -> list[str]:
        """What is told of rules that need a baseline, if there is none."""
        from parsers.gate.question import mistake

        path = self._baseline_path
        if self._arguments.text("save") is not None or (path is not None and os.path.exists(path)):
            return []
        what = "there is none: expected baseline = PATH in the rules, or --baseline PATH"
        says = what if path is None else f"{path} is not there: --save {path} writes it"
        keys = ((rule, "new" if rule.is_new else "may-grow") for rule in self._rules.rules if rule.needs_baseline)
        return [mistake(self._rules, rule, f"{key}: needs a baseline: {says}") for rule, key in keys]

    def _baseline(self, rows: Rows, questions: Sequence[Question]) -> Baseline | None:
        """What rules are held against; none while a new one is written."""
        from parsers.gate.baseline import ReportBaseline, SavedBaseline, is_saved
        from parsers.gate.told_apart import names_of

        if self._arguments.text("save") is not None:
            return None
        path = self._baseline_path
        assert path is not None
        reports = [question.report for question in questions]
        if is_saved(path):
            return SavedBaseline(path, names_of(reports))
        builds, self._builds = self._builds, []
        older = self._open([path])
        asked = {question.report.format for question in questions if question.rule.needs_baseline}
        if not asked <= {report.format for report in older}:
            older += [report for files in self._builds for report in self._opened_joined(files)]
        self._builds = builds
        return ReportBaseline(older, rows, self._rules.accepted, names_of(reports), self._know)

    def _look_before(self, reports: Sequence[Report]) -> None:
        """Refuse to write over what is read."""
        read = [self._rules.path, *(file for report in reports for file in report.files)]
        for option in ("save", "junit", "sarif"):
            path = self._arguments.text(option)
            if path is not None and any(_is_same(path, each) for each in read):
                raise ReportError(f"--{option} {path}: is read itself: give another name")

    # -- what came of it ----------------------------------------------------------------------------------------------

    def _say_problems(self, reports: Sequence[Report]) -> None:
        from tui.headless.run import say_problems

        for report in reports:
            say_problems(report, list(report.files), self._output, self._remarks)

    def _say_doubts(self, outcomes: Sequence[Outcome]) -> None:
        """Limits of what isn't there: there may be a slip in their patterns."""
        of_rows = {outcome.rule.name: 0 for outcome in outcomes if outcome.rule.wish == "limit"}
        for outcome in outcomes:
            if outcome.rule.name in of_rows:
                of_rows[outcome.rule.name] += outcome.judgement.rows
        for rule in self._rules.rules:
            if not of_rows.get(rule.name, 1):
                self._remarks.say(f"{self._rules.path}:{rule.line}: [[limit]] {rule.name!r}: there are no {rule.about}")

    def _write(self, outcomes: Sequence[Outcome]) -> None:
        """The files for CI servers."""
        if (path := self._arguments.text("junit")) is not None:
            from parsers.gate.junit import junit

            write_file([junit(outcomes, self._rules.path)], path)
        if (path := self._arguments.text("sarif")) is not None:
            from parsers.gate.sarif import sarif

            write_file([sarif(outcomes, self._rules.path, VERSION)], path)

    def _save(self, path: str, rows: Rows, outcomes: Sequence[Outcome]) -> None:
        """Write a baseline, unless something is missing in what it would say."""
        from parsers.gate.baseline import saved
        from parsers.gate.judge import lost_in

        questions = [outcome.judgement.question for outcome in outcomes]
        for report in {id(question.report): question.report for question in questions}.values():
            if lost := lost_in(report, self._rules.accepted):
                self._remarks.say(f"coffeetree: {path} is not written: {lost}")
                return
        write_file([saved(questions, rows.measure)], path)

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
        from parsers.gate.outcome import skipped

        paint, line, rule = self._output.paint, self._output.line, outcome.rule
        place = paint(f"({rule.wish}, {safe(self._rules.path)}:{rule.line})", DIM)
        line(f"{paint(WORDS[outcome.state], FLAG)}  {paint(safe(rule.name), BOLD)}  {place}")
        for each in rule.reason.splitlines():
            line(f"  {safe(each)}")
        line(f"  {safe(outcome.title)}: {safe(outcome.judgement.says)}")
        if outcome.judgement.lost:
            line(f"  can't be judged: {safe(outcome.judgement.lost)}")
        for proof in outcome.proofs:
            line("")
            for depth, step in outcome.steps(proof):
                line("  " * depth + skipped(step) if isinstance(step, int) else row_line(paint, step, depth))
        if outcome.more:
            limit = self._arguments.count("limit", MATCHES)
            line(f"\n  and {outcome.more:,} more (--limit {limit}; all lifts it)")
        line("")

    def _summary(self, outcomes: Sequence[Outcome]) -> str:
        """How many rules are kept, in one line."""
        by_rule: dict[str, list[Outcome]] = {}
        for outcome in outcomes:
            by_rule.setdefault(outcome.rule.name, []).append(outcome)
        from parsers.gate.outcome import worst

        states = [worst(of_rule) for of_rule in by_rule.values()]
        kept, broken, unknown = (states.count(state) for state in STATUSES)
        parts = [f"{kept:,} of {len(states):,} rules kept"]
        parts += [f"{broken:,} broken"] if broken else []
        parts += [f"{unknown:,} can't be judged"] if unknown else []
        return self._output.paint(", ".join(parts), BOLD)


def outcome_fields(outcome: Outcome) -> dict[str, Any]:
    """An outcome as JSON."""
    judgement, rule = outcome.judgement, outcome.rule
    question = judgement.question
    return {
        "rule": rule.name,
        "passed": judgement.passed,
        "value": judgement.value,
        "limit": judgement.limit,
        "rows": judgement.rows,
        "matches": [
            {"match": node_fields(proof.view, proof.node), "path": path_fields(proof.way_view, proof.way)}
            for proof in outcome.proofs
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
        "baseline": judgement.before,
        "says": judgement.says,
        "lost": judgement.lost,
    }


def _is_same(one: str, other: str) -> bool:
    return os.path.exists(one) and os.path.exists(other) and os.path.samefile(one, other)
