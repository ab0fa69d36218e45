"""The outcome of all rules for output: results with their witnesses, and the overall state."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from parsers.model.report import value_in
from parsers.reporting.rules.named_rows import row_name
from parsers.reporting.rules.witness import Proof, proofs

if TYPE_CHECKING:
    from parsers.model.report import Row
    from parsers.reporting.rules.evaluation import Judgement
    from parsers.reporting.rules.rule import Rule

MOST_STEPS = 100
"""Maximum of steps of a path shown as text: each is indented further than the previous one."""

FIRST_STEPS = 10
"""Steps from the start of a longer path."""

State = Literal["kept", "broken", "unknown"]


@dataclass(frozen=True)
class Outcome:
    """One result, and the rows that violate the rule, with their paths."""

    judgement: Judgement
    proofs: Sequence[Proof] = ()
    more: int = 0
    """Number of further violating rows."""

    @property
    def rule(self) -> Rule:
        """The evaluated rule."""
        return self.judgement.question.rule

    @property
    def title(self) -> str:
        """The name of the report."""
        return self.judgement.question.report.title

    @property
    def state(self) -> State:
        """The state of the rule."""
        passed = self.judgement.passed
        return "unknown" if passed is None else "kept" if passed else "broken"

    def rows(self, proof: Proof) -> list[Row]:
        """Returns the path of a witness, and the row itself if it isn't the end of the path."""
        way = [proof.way_view.tree.row(node) for node in proof.way]
        if proof.ends_in_itself and way:
            return way
        row = proof.view.tree.row(proof.node)
        column = self.judgement.question.column
        is_told = bool(way) and way[-1].label == row.label
        if is_told and column is not None:
            is_told = value_in(way[-1], column) == value_in(row, column)
        return way if is_told else [*way, row]

    def steps(self, proof: Proof) -> Iterator[tuple[int, Row | int]]:
        """Yields the rows with their depth; of a very long path its ends, and the number of omitted steps between."""
        rows = self.rows(proof)
        left_out = len(rows) - MOST_STEPS
        for depth, row in enumerate(rows):
            if left_out <= 0 or not FIRST_STEPS <= depth < FIRST_STEPS + left_out:
                yield depth if left_out <= 0 or depth < FIRST_STEPS else depth - left_out + 1, row
            elif depth == FIRST_STEPS:
                yield depth, left_out


def outcome_of(judgement: Judgement, limit: int | None) -> Outcome:
    """Returns a result with at most `limit` witnesses."""
    if judgement.passed is not False:
        return Outcome(judgement)
    found = proofs(judgement.question, judgement.nodes, limit)
    return Outcome(judgement, found, len(judgement.nodes) - len(found))


def worst(outcomes: Iterable[Outcome]) -> State:
    """Returns broken if any is, else unknown if any is."""
    states = {outcome.state for outcome in outcomes}
    return "broken" if "broken" in states else "unknown" if "unknown" in states else "kept"


def skipped(steps: int) -> str:
    """Returns the text for omitted steps."""
    return f"... {steps:,} steps ..."


def told(outcome: Outcome) -> list[str]:
    """Returns an outcome as lines of plain text: reason, result, paths. Texts are as in the file."""
    lines = [outcome.rule.reason] if outcome.rule.reason else []
    lines.append(f"{outcome.title}: {outcome.judgement.says}")
    if outcome.judgement.lost:
        lines.append(f"can't be judged: {outcome.judgement.lost}")
    for proof in outcome.proofs:
        lines += ["", row_name(proof.view.tree.row(proof.node))]
        for depth, step in outcome.steps(proof):
            said = skipped(step) if isinstance(step, int) else f"{step.kind} {step.label}  {step.ref}"
            lines.append(f"  {'  ' * depth}{said}")
    if outcome.more:
        lines += ["", f"and {outcome.more:,} more"]
    return lines
