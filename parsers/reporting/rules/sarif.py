"""Outcomes as SARIF 2.1.0, which code hosts show beside the code: a result for each breach, with the way as code flow.

Source: OASIS, Static Analysis Results Interchange Format Version 2.1.0. A result stands at its rule in the file of
rules, since that is in the repository of whoever reads it and the report most likely is not; where it was found in the
report is told by the code flow. A rule that can't be judged is of the kind `open`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from parsers.reporting.rules.evaluation import normal_name
from parsers.reporting.rules.junit import xml_text
from parsers.reporting.rules.named_rows import row_name
from parsers.reporting.rules.outcome import Outcome

if TYPE_CHECKING:
    from parsers.model.report import Report, Row
    from parsers.reporting.rules.rule import Rule
    from parsers.reporting.rules.witness import Proof

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
KINDS = {"method": "function", "class": "type", "type": "type", "package": "namespace"}
"""What kinds of rows are called in SARIF."""

FINGERPRINT = "coffeetreeRule/v1"


def sarif(outcomes: Sequence[Outcome], path: str, version: str) -> str:
    """The document.

    path     of the file of rules
    version  of this program
    """
    rules = list({outcome.rule.name: outcome.rule for outcome in outcomes}.values())
    places = {rule.name: place for place, rule in enumerate(rules)}
    results = [result for outcome in outcomes for result in _results(outcome, path, places) if outcome.state != "kept"]
    run = {
        "tool": {
            "driver": {
                "name": "coffeetree",
                "semanticVersion": _semantic(version),
                "rules": [_rule(each) for each in rules],
            }
        },
        "columnKind": "unicodeCodePoints",
        "results": results,
    }
    document = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(_clean(document), indent=2, ensure_ascii=True) + "\n"


def _clean(value: Any) -> Any:
    """The same with texts that any reader takes. As deep as the form is."""
    if isinstance(value, str):
        return xml_text(value)
    if isinstance(value, dict):
        return {key: _clean(each) for key, each in value.items()}
    return [_clean(each) for each in value] if isinstance(value, list) else value


def _message(*lines: str) -> dict[str, str]:
    """A message of some lines; braces would stand for arguments."""
    return {"text": "\n".join(lines).replace("{", "{{").replace("}", "}}")}


def _semantic(version: str) -> str:
    return version if version.count(".") == 2 else f"{version}.0"


def _rule(rule: Rule) -> dict[str, Any]:
    fields = {
        "id": rule.name,
        "shortDescription": {"text": f"{rule.wish} {rule.about}"},
        "defaultConfiguration": {"level": "error"},
    }
    return {**fields, "fullDescription": {"text": rule.reason}} if rule.reason else fields


def _results(outcome: Outcome, path: str, places: Mapping[str, int]) -> list[dict[str, Any]]:
    """One for each proof, or one alone where there are none."""
    rule, judgement = outcome.rule, outcome.judgement
    is_open = outcome.state == "unknown"
    text = f"{outcome.title}: {judgement.says}"
    if outcome.more:
        text += f" ({outcome.more:,} more rows break it)"
    shared = {
        "ruleId": rule.name,
        "ruleIndex": places[rule.name],
        "kind": "open" if is_open else "fail",
        "level": "none" if is_open else "error",
    }
    here = {
        "physicalLocation": {"artifactLocation": {"uri": uri(path)}, "region": {"startLine": rule.line}},
    }
    reason = [rule.reason] if rule.reason else []
    if not outcome.proofs:
        message = _message(*reason, text, *([judgement.lost] if judgement.lost else []))
        print_of = {FINGERPRINT: _fingerprint(rule.name)}
        return [{**shared, "message": message, "locations": [here], "partialFingerprints": print_of}]
    found = []
    for proof in outcome.proofs:
        row = proof.view.tree.row(proof.node)
        name = normal_name(judgement.question.report)(row_name(row))
        found.append(
            {
                **shared,
                "message": _message(*reason, text, row_name(row)),
                "locations": [{**here, "logicalLocations": [_logical(row)]}],
                "codeFlows": [_flow(outcome, proof)],
                "partialFingerprints": {FINGERPRINT: _fingerprint(rule.name, row.kind, name)},
            }
        )
    return found


def _flow(outcome: Outcome, proof: Proof) -> dict[str, Any]:
    report = outcome.judgement.question.report
    steps = [{"location": _location(report, row)} for row in outcome.rows(proof)]
    return {"threadFlows": [{"locations": steps}]}


def _location(report: Report, row: Row) -> dict[str, Any]:
    """Where a row of a way stands: on its line of the report, if that is one file with lines."""
    location: dict[str, Any] = {
        "message": _message(f"{row.kind} {row.label}"),
        "logicalLocations": [_logical(row)],
    }
    if row.line is not None and len(report.files) == 1:
        # Of several files a row does not tell in which one its line is.
        artifact = {"uri": uri(report.files[0])}
        location["physicalLocation"] = {"artifactLocation": artifact, "region": {"startLine": row.line}}
    return location


def _logical(row: Row) -> dict[str, Any]:
    kind = KINDS.get(row.kind)
    name = {"fullyQualifiedName": row_name(row)}
    return name if kind is None else {**name, "kind": kind}


def _fingerprint(*parts: str) -> str:
    return sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def uri(path: str) -> str:
    """A path as a URI reference: from the folder in which the program runs, of what is not in that with its scheme."""
    here = os.path.normpath(os.path.relpath(path) if os.path.isabs(path) else path)
    if here == os.pardir or here.startswith(os.pardir + os.sep):
        return f"file://{_quoted(os.path.abspath(path))}"
    return f"./{_quoted(here)}" if ":" in here.partition(os.sep)[0] else _quoted(here)


def _quoted(path: str) -> str:
    return quote(os.fsencode(path).replace(os.sep.encode(), b"/"), safe="/")
