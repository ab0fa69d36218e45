"""Outcomes as JUnit XML, which CI servers show as tests: a suite per report, a test per rule.

Source: the schemas of Jenkins (`junit-10.xsd`) and of Ant's `JUnitReport`, as far as they agree. A violated rule is a
failure; an unknown result is an error.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from xml.sax.saxutils import escape, quoteattr

from parsers.reporting.rules.outcome import Outcome, text_lines

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that no XML 1.0 document may contain, not even as references."""

_CLASS = "coffeetree"


def junit(outcomes: Sequence[Outcome], name: str) -> str:
    """Returns the document. name: of the rule file"""
    suites: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        suites.setdefault(outcome.title, []).append(outcome)
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f"<testsuites {_counts(name, outcomes)}>"]
    for title, of_report in suites.items():
        lines.append(f'  <testsuite {_counts(title, of_report)} skipped="0">')
        for outcome in of_report:
            lines += _test(outcome, name)
        lines.append("  </testsuite>")
    return "\n".join([*lines, "</testsuites>", ""])


def _counts(name: str, outcomes: Iterable[Outcome]) -> str:
    states = [outcome.state for outcome in outcomes]
    failures, errors = states.count("broken"), states.count("unknown")
    return f'name={_attribute(name)} tests="{len(states)}" failures="{failures}" errors="{errors}" time="0"'


def _test(outcome: Outcome, file: str) -> list[str]:
    rule = outcome.rule
    head = f"    <testcase name={_attribute(rule.name)} classname={_attribute(f'{_CLASS}.{rule.wish}')}"
    head += ' time="0"'
    if outcome.state == "kept":
        return [f"{head}/>"]
    tag = "failure" if outcome.state == "broken" else "error"
    result = outcome.result
    message = result.lost or result.summary
    text = "\n".join([f"{file}:{rule.line}", *text_lines(outcome)])
    return [
        f"{head}>",
        f"      <{tag} message={_attribute(message)} type={_attribute(rule.wish)}>{escape(xml_text(text))}</{tag}>",
        "    </testcase>",
    ]


def xml_text(text: str) -> str:
    """Returns a text valid in XML: symbols for control characters, else the replacement character."""
    return _NOT_XML.sub(_picture, text)


def _picture(found: re.Match[str]) -> str:
    code = ord(found[0])
    return chr(0x2400 + code) if code < 0x20 else "\ufffd"


def _attribute(text: str) -> str:
    return quoteattr(xml_text(text))
