"""Outcomes as SARIF 2.1.0, which code hosts show beside the code: a result for each violation, its path as code flow.

Source: OASIS, Static Analysis Results Interchange Format Version 2.1.0. The location of a result is its rule in the
rule file: that is in the reader's repository, the report most likely is not. The code flow has the locations in the
report. A rule with an unknown result is of the kind `open`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from parsers.reporting.rules.junit import xml_text
from parsers.reporting.rules.named_rows import row_name
from parsers.reporting.rules.outcome import Outcome

if TYPE_CHECKING:
    from parsers.model.report import Report
    from parsers.model.row import Row
    from parsers.reporting.rules.rule import Rule
    from parsers.reporting.rules.witness import PathWitness

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
KINDS = {"method": "function", "class": "type", "type": "type", "package": "namespace"}
"""SARIF's names of kinds of rows."""

FINGERPRINT = "coffeetreeRule/v1"


def sarif(outcomes: Sequence[Outcome], path: str, version: str) -> str:
    """Returns the document.

    path     of the rule file
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
    """Returns the value with texts valid for any reader. Recursive to the depth of the format."""
    if isinstance(value, str):
        return xml_text(value)
    if isinstance(value, dict):
        return {key: _clean(each) for key, each in value.items()}
    return [_clean(each) for each in value] if isinstance(value, list) else value


def _message(*lines: str) -> dict[str, str]:
    """Returns a message of some lines; braces are escaped, as they would be placeholders."""
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
    """Returns a result for each witness, or a single one without witnesses."""
    rule, result = outcome.rule, outcome.result
    is_open = outcome.state == "unknown"
    text = f"{outcome.title}: {result.summary}"
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
    if not outcome.witnesses:
        message = _message(*reason, text, *([result.lost] if result.lost else []))
        print_of = {FINGERPRINT: _fingerprint(rule.name)}
        return [{**shared, "message": message, "locations": [here], "partialFingerprints": print_of}]
    found = []
    for witness in outcome.witnesses:
        row = witness.view.tree.row(witness.node)
        name = result.question.report.normal_name(row_name(row))
        found.append(
            {
                **shared,
                "message": _message(*reason, text, row_name(row)),
                "locations": [{**here, "logicalLocations": [_logical(row)]}],
                "codeFlows": [_flow(outcome, witness)],
                "partialFingerprints": {FINGERPRINT: _fingerprint(rule.name, row.kind, name)},
            }
        )
    return found


def _flow(outcome: Outcome, witness: PathWitness) -> dict[str, Any]:
    report = outcome.result.question.report
    steps = [{"location": _location(report, row)} for row in outcome.rows(witness)]
    return {"threadFlows": [{"locations": steps}]}


def _location(report: Report, row: Row) -> dict[str, Any]:
    """Returns the location of a row of a path: its line in the report, if that is one file with lines."""
    location: dict[str, Any] = {
        "message": _message(f"{row.kind} {row.label}"),
        "logicalLocations": [_logical(row)],
    }
    if row.line is not None and len(report.files) == 1:
        # Of several files, a row does not identify the one with its line.
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
    """Returns a path as a URI reference: relative to the current folder, outside of it absolute with scheme."""
    here = os.path.normpath(os.path.relpath(path) if os.path.isabs(path) else path)
    if here == os.pardir or here.startswith(os.pardir + os.sep):
        return f"file://{_quoted(os.path.abspath(path))}"
    return f"./{_quoted(here)}" if ":" in here.partition(os.sep)[0] else _quoted(here)


def _quoted(path: str) -> str:
    return quote(os.fsencode(path).replace(os.sep.encode(), b"/"), safe="/")
