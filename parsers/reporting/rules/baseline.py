"""Baselines of rules: earlier measurements, stored in a small file, or an older report that is measured the same way.

The file is TOML that people can read and review: sorted by name, one name a line, without times and paths. So it
changes only when a measurement does. If several reports of one format are checked together, `of` distinguishes them
by their images.

    version = 1

    [[measured]]
    rule = "size of the image"
    report = "graalvm-call-tree"
    value = 11_001

    [[measured]]
    rule = "no new packages"
    report = "graalvm-call-tree"
    value = 2
    names = [
        "com.acme",
        "java.lang",
    ]
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from parsers.reporting.rules.evaluation import MeasuredValue, Measurement, RuleRows, lost_in
from parsers.reporting.rules.question import Access, Question, question_of
from parsers.reporting.rules.report_labels import image_of, names_of
from parsers.reporting.rules.rule_file import RuleError, parse_toml, read_toml

if TYPE_CHECKING:
    from parsers.model.report import Report

VERSION = 1
"""Version of the file's format."""

LARGEST = 256 << 20
"""Maximum of bytes: the names of all methods of a large image take some ten million."""

HEAD = "# What rules measured: `coffeetree check REPORT... --rules FILE --save FILE` writes it."

TIMES = " × "
"""Separates a name and its number of rows, if there are several."""


Key = tuple[str, str, str]
"""Identifies a measurement: the rule, the format, and the label of the report among those of that format."""


class SavedBaseline:
    """A baseline file, as written by `saved`."""

    def __init__(self, path: str, names: Mapping[int, str]) -> None:
        """names: labels of reports of one format, by `id`. Raises `ReportError`, `OSError`."""
        self._path = path
        self._names = names
        fields = parse_toml(read_toml(path, LARGEST), path)
        if fields.get("version") != VERSION:
            raise RuleError(f"{path}: is no baseline: expected version = {VERSION}, as --save writes it")
        self._measured: dict[Key, MeasuredValue] = {}
        tables = fields.get("measured", [])
        for place, table in enumerate(tables if isinstance(tables, list) else [None], 1):
            key, measured = self._entry(table, place)
            self._measured[key] = measured

    def _entry(self, table: Any, place: int) -> tuple[Key, MeasuredValue]:
        fields = table if isinstance(table, dict) else {}
        rule, report, value, names = (fields.get(key) for key in ("rule", "report", "value", "names"))
        of = fields.get("of", "")
        is_list = names is None or (isinstance(names, list) and all(isinstance(name, str) for name in names))
        is_number = isinstance(value, int | float) and not isinstance(value, bool) and value == value
        are_texts = isinstance(rule, str) and isinstance(report, str) and isinstance(of, str)
        if value is None or not is_number or not is_list or not are_texts:
            raise RuleError(
                f"{self._path}: [[measured]], the {place}. one: expected rule and report (texts), value (a number) and "
                "perhaps of (a text) and names (a list of texts)"
            )
        return (str(rule), str(report), of), MeasuredValue(
            value, None if names is None else Counter(dict(map(_counted, names)))
        )

    def measured(self, question: Question) -> MeasuredValue:
        """Returns the stored measurement for a question. Raises `RuleError` if there is none."""
        rule, report = question.rule, question.report
        name = self._names.get(id(report), "")
        found = self._measured.get((rule.name, report.format, name or image_of(report)))
        if found is None and not name:
            found = self._measured.get((rule.name, report.format, ""))
        if found is None or (rule.is_new and found.names is None):
            of = f" of {name}" if name else ""
            raise RuleError(
                f"{self._path}: has nothing for the rule {rule.name!r} and a report of the format "
                f"{report.format}{of}: write it again with --save"
            )
        return found


class ReportBaseline:
    """Older reports, measured the same way as the new ones."""

    def __init__(
        self,
        reports: Sequence[Report],
        rows: RuleRows,
        accepted: Collection[str],
        names: Mapping[int, str],
        access: Access,
    ) -> None:
        """names: labels of the new reports of one format, by `id`"""
        self._reports = reports
        self._rows = rows
        self._accepted = accepted
        self._names = names
        self._access = access

    def measured(self, question: Question) -> MeasuredValue:
        """Measures the old report of that format, of several that of the image. Raises `RuleError` if there is none."""
        name = self._names.get(id(question.report), "")
        alike = [report for report in self._reports if report.format == question.report.format]
        if name or len(alike) > 1:
            older = names_of(alike)
            image = image_of(question.report)
            alike = [each for each in alike if (older[id(each)] or image_of(each)) == (name or image)]
        for report in alike:
            asked = question_of(question.rule, report, self._access)
            if asked is not None:
                found = self._rows.measure(asked)
                return MeasuredValue(found.value, found.names, lost_in(report, self._accepted))
        there = ", ".join(f"{report.format} ({report.title})" for report in self._reports)
        of = f" of {name}" if name else ""
        raise RuleError(
            f"the baseline has no {question.report.format}{of} for the rule {question.rule.name!r}: there are {there}"
        )


def saved(questions: Sequence[Question], measure: Callable[[Question], Measurement]) -> str:
    """Returns the text of a baseline: the values of limits, and the names for rules about new ones."""
    entries: dict[Key, list[str]] = {}
    names = names_of(question.report for question in questions)
    for question in questions:
        rule, report = question.rule, question.report
        if rule.wish != "limit" and not rule.is_new:
            continue
        found, of = measure(question), names[id(report)]
        lines = [f"rule = {quoted(rule.name)}", f"report = {quoted(report.format)}"]
        lines += [f"of = {quoted(of)}"] if of else []
        lines.append(f"value = {found.value!r}")
        if rule.is_new:
            lines += ["names = [", *(f"    {quoted(name)}," for name in _written(found.names)), "]"]
        entries[rule.name, report.format, of] = lines
    tables = ("\n".join(("", "[[measured]]", *entries[key], "")) for key in sorted(entries))
    return "".join([f"{HEAD}\nversion = {VERSION}\n", *tables])


def _written(names: Counter[str]) -> Iterator[str]:
    for name in sorted(names):
        count = names[name]
        yield name if count == 1 and not name.rpartition(TIMES)[2].isdigit() else f"{name}{TIMES}{count}"


def _counted(written: str) -> tuple[str, int]:
    name, times, count = written.rpartition(TIMES)
    is_counted = bool(times) and count.isascii() and count.isdigit() and len(count) <= 18
    return (name, int(count)) if is_counted else (written, 1)


def quoted(text: str) -> str:
    """Returns a text as TOML: invisible characters and invalid text are escaped."""
    return f'"{"".join(map(_escaped, text))}"'


def _escaped(character: str) -> str:
    if character in '"\\':
        return f"\\{character}"
    if character.isprintable():
        return character
    code = ord(character)
    if 0xD800 <= code < 0xE000:
        # TOML can't contain surrogates: the replacement character is shown instead.
        return "\ufffd"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def is_saved(path: str) -> bool:
    """True if a path is a file written by --save, not a report."""
    try:
        with open(path, "rb") as stream:
            head = stream.read(1 << 12)
    except OSError:
        return path.endswith(".toml")
    return path.endswith(".toml") or head.startswith(HEAD.encode()[:20])
