"""The outcome of all rules for output: results with their witnesses, and the overall state."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from parsers.model.row import counted, value_in
from parsers.reporting.rules.named_rows import row_name
from parsers.reporting.rules.witness import PathWitness, find_witnesses

if TYPE_CHECKING:
    from parsers.model.row import Row
    from parsers.reporting.rules.evaluation import RuleResult
    from parsers.reporting.rules.rule import Rule

MOST_STEPS = 100
"""Maximum of steps of a path shown as text: each is indented further than the previous one."""

FIRST_STEPS = 10
"""Steps from the start of a longer path."""

State = Literal["kept", "broken", "unknown"]


@dataclass(frozen=True)
class Outcome:
    """One result, and the rows that violate the rule, with their paths."""

    result: RuleResult
    witnesses: Sequence[PathWitness] = ()
    more: int = 0
    """Number of further violating rows."""

    @property
    def rule(self) -> Rule:
        """The evaluated rule."""
        return self.result.question.rule

    @property
    def title(self) -> str:
        """The name of the report."""
        return self.result.question.report.title

    @property
    def state(self) -> State:
        """The state of the rule."""
        passed = self.result.passed
        return "unknown" if passed is None else "kept" if passed else "broken"

    def rows(self, witness: PathWitness) -> list[Row]:
        """Returns the path of a witness, and the row itself if it isn't the end of the path."""
        path = [witness.path_view.tree.row(node) for node in witness.path]
        if witness.ends_in_itself and path:
            return path
        row = witness.view.tree.row(witness.node)
        column = self.result.question.column
        # A row of a query also has the numbers that prove it.
        is_last = bool(path) and path[-1].label == row.label and not self.rule.sql
        if is_last and column is not None:
            is_last = value_in(path[-1], column) == value_in(row, column)
        return path if is_last else [*path, row]

    def steps(self, witness: PathWitness) -> Iterator[tuple[int, Row | int]]:
        """Yields the rows with their depth; of a very long path its ends, and the number of omitted steps between."""
        rows = self.rows(witness)
        left_out = len(rows) - MOST_STEPS
        for depth, row in enumerate(rows):
            if left_out <= 0 or not FIRST_STEPS <= depth < FIRST_STEPS + left_out:
                yield depth if left_out <= 0 or depth < FIRST_STEPS else depth - left_out + 1, row
            elif depth == FIRST_STEPS:
                yield depth, left_out


def outcome_of(result: RuleResult, limit: int | None) -> Outcome:
    """Returns a result with at most `limit` witnesses."""
    if result.passed is not False:
        return Outcome(result)
    found = find_witnesses(result.question, result.nodes, limit)
    return Outcome(result, found, len(result.nodes) - len(found))


def worst(outcomes: Iterable[Outcome]) -> State:
    """Returns broken if any is, else unknown if any is."""
    states = {outcome.state for outcome in outcomes}
    return "broken" if "broken" in states else "unknown" if "unknown" in states else "kept"


def omitted_steps(steps: int) -> str:
    """Returns the text for omitted steps."""
    return f"... {counted(steps, 'step')} ..."


def text_lines(outcome: Outcome) -> list[str]:
    """Returns an outcome as lines of plain text: reason, result, paths. Texts are as in the file."""
    lines = [outcome.rule.reason] if outcome.rule.reason else []
    lines.append(f"{outcome.title}: {outcome.result.summary}")
    if outcome.result.lost:
        lines.append(f"can't be judged: {outcome.result.lost}")
    for witness in outcome.witnesses:
        lines += ["", row_name(witness.view.tree.row(witness.node))]
        for depth, step in outcome.steps(witness):
            text = omitted_steps(step) if isinstance(step, int) else f"{step.kind} {step.label}  {step.ref}"
            lines.append(f"  {'  ' * depth}{text}")
    if outcome.more:
        lines += ["", f"and {outcome.more:,} more"]
    return lines
