"""Texts of a row inside a task: label with spans, badges, the kind of its mark, the remark."""

from __future__ import annotations

from typing import NamedTuple

from parsers.formats.hotspot.names import class_name, method_of
from parsers.formats.hotspot.tasks.call import CallSite
from parsers.formats.hotspot.tasks.tree import TaskTree
from parsers.model.names.java_name import class_spans
from parsers.model.row import Badge, Span, counted

LABELS = {
    "dependency": ("type",),
    "dependency_failed": ("type",),
    "observe": ("that", "trap", "source"),
    "predicted_call": ("klass",),
    "intrinsic": ("id",),
    "predicated_intrinsic": ("method",),
    "predicate_intrinsic": ("method",),
    "late_inline": ("method",),
    "hot_throw": ("reason",),
    "cast_up": ("reason",),
    "assert_null": ("reason",),
    "eliminate_lock": ("kind",),
    "eliminate_allocation": ("type",),
    "eliminate_boxing": ("type",),
    "replace_string_concat": ("arguments",),
    "failure": ("reason",),
    "comment": ("that",),
    "optimize": ("name",),
    "phase": ("name",),
    "parse": ("method",),
}
"""Attributes used as the label of a row, the first one that the element has."""

MARKED = frozenset(("phase", "parse", "late_inline", "failure", "hot_throw", "intrinsic"))
"""Elements whose mark shows their kind, so that the label doesn't repeat it."""

CLASSES = frozenset(("klass", "type", "holder", "ctxk", "receiver", "receiver2", "arguments", "return"))
"""Attributes whose numbers are ids of classes or types."""
METHODS = frozenset(("method", "x", "x0", "x2", "x3", "caller", "callee"))
"""Attributes whose numbers are ids, most of them of methods."""

NUMBERS = ("count", "nodes", "live", "memory", "taken", "not_taken", "iicount")


class Text(NamedTuple):
    """A label and its spans."""

    label: str
    spans: tuple[Span, ...] = ()


def label_of(tree: TaskTree, row: int) -> Text:
    """Returns the label of a row inside a task."""
    task = tree.task
    tag = tree.tag(row)
    if row < 0:
        return Text("traps from the type flow" if tag == "uncommon_trap" else tag)
    if row in tree.calls or tag in ("parse", "late_inline"):
        return method_text(tree, tree.method_of(row)) if tree.method_of(row) else Text(tag)
    if tag == "uncommon_trap":
        return trap_text(tree, row)
    if tag == "branch":
        return Text(_taken(task.get(row, "prob").strip()))
    if tag == "loop":
        kinds = [name.removesuffix("_loop") for name, _ in task.attributes(row) if name.endswith("_loop")]
        return Text(" ".join(("loop", task.get(row, "idx"), *kinds)).replace("_", " ").strip())
    for name in LABELS.get(tag, ()):
        if task.has(row, name):
            text = meaning(tree, name, task.get(row, name))
            return Text(tag) if not text.label else text if tag in MARKED else behind(tag.replace("_", " "), text)
    return Text(tag.replace("_", " ") if tag in LABELS else tag)


def behind(word: str, text: Text) -> Text:
    """Returns a text with a word before it."""
    start = len(word) + 2
    spans = (Span(start + span.start, start + span.end, span.role) for span in text.spans)
    return Text(f"{word}: {text.label}", tuple(spans))


def _taken(probability: str) -> str:
    """Returns `taken 31 %`, from a number, `never` or `always`."""
    try:
        return f"taken {100 * float(probability.replace(',', '.')):.0f} %"
    except (ValueError, OverflowError):
        return f"{probability} taken" if probability else "branch"


def method_text(tree: TaskTree, id: str) -> Text:
    """Returns the method of an id."""
    method = tree.names.method(id)
    return Text(method.label, method.spans)


def trap_text(tree: TaskTree, row: int) -> Text:
    """Returns the reason of a trap, and the class that it is about."""
    task = tree.task
    reason = task.get(row, "reason") or "uncommon_trap"
    klass = tree.names.type(task.get(row, "klass")) if task.has(row, "klass") else ""
    front = Span(0, len(reason), "name")
    if not klass:
        return Text(reason, (front,))
    return Text(f"{reason} {klass}", (front, *class_spans(klass, len(reason) + 1)))


def meaning(tree: TaskTree, name: str, value: str) -> Text:
    """Returns a value of an attribute; resolves it if it is an id."""
    definitions = tree.names.definitions
    if value in definitions and (name in CLASSES or name in METHODS):
        if tree.tag(definitions[value]) == "method":
            return method_text(tree, value)
        klass = tree.names.type(value)
        return Text(klass, tuple(class_spans(klass)))
    if name in CLASSES or name == "witness":
        return Text(class_name(value))
    if name == "method" and " (" in value:
        method = method_of(value)
        return Text(method.label, method.spans)
    return Text(value.strip())


def mark_of(tree: TaskTree, row: int) -> str:
    """Returns the kind whose mark a row has, if it is not its own."""
    if row < 0:
        return "group"
    call = tree.calls.get(row)
    if call is None:
        return ""
    outcome = call.outcome
    if outcome == "none" and tree.task.has(row, "virtual"):
        return "virtual call"
    return outcome if outcome not in ("direct call", "none") else ""


def kind_of(tree: TaskTree, row: int) -> str:
    """Returns the name of the element; `attempt` for an abandoned attempt, `group` for details."""
    if row < 0:
        return "group"
    return "attempt" if row in tree.attempts else tree.tag(row)


def badges_of(tree: TaskTree, row: int) -> dict[str, Badge]:
    """Returns the badges of a row inside a task."""
    task = tree.task
    if row < 0:
        return {"elements": len(tree.details[row])}
    badges: dict[str, Badge] = {}
    bci = tree.bci_of(row)
    if bci and (row in tree.calls or task.has(row, "bci") or tree.tag(row) in ("branch", "hot_throw")):
        badges["bci"] = whole(bci)
    call = tree.calls.get(row)
    if call is not None:
        badges |= _call_badges(tree, call)
        return badges
    tag = tree.tag(row)
    for name in NUMBERS:
        if task.has(row, name):
            badges[name] = whole(task.get(row, name))
    for name in ("reason", "action"):
        if task.has(row, name) and not (name == "reason" and LABELS.get(tag, ("reason",)) == ("reason",)):
            badges[name] = task.get(row, name)
    if tag == "phase":
        milliseconds = duration(tree, row)
        if milliseconds is not None:
            badges["compile_ms"] = milliseconds
            badges["result"] = f"{milliseconds:,} ms"
    return badges


def _call_badges(tree: TaskTree, call: CallSite) -> dict[str, Badge]:
    task = tree.task
    badges: dict[str, Badge] = {}
    if task.has(call.element, "count"):
        badges["count"] = whole(task.get(call.element, "count"))
    badges["outcome"] = call.outcome
    reason = call.reason if call.intrinsic is None else call.intrinsic
    if reason:
        badges["reason"] = reason
    elif call.outcome == "none" and (receivers := _receivers(tree, call.element)):
        badges["result"] = receivers
    return badges


def whole(text: str) -> Badge:
    """Returns a number if the text is one, else the text."""
    digits = text[1:] if text.startswith("-") else text
    return int(text) if digits.isascii() and digits.isdigit() and len(digits) <= 18 else text


def duration(tree: TaskTree, row: int) -> int | None:
    """Returns the duration of a phase or parse in milliseconds; None if the log has none."""
    end = tree.ends.get(row, -1)
    begun = stamp(tree.task.get(row, "stamp"))
    done = stamp(tree.task.get(end, "stamp")) if end >= 0 else None
    return done - begun if begun is not None and done is not None and done >= begun else None


def stamp(text: str) -> int | None:
    """Converts seconds with three decimals to milliseconds; None if it is no number."""
    whole, _, part = text.replace(",", ".").partition(".")
    if not (whole + part).isascii() or not (whole + part).isdigit() or len(whole) > 9:
        return None
    return int(whole or 0) * 1000 + int(part[:3].ljust(3, "0"))


def remark_of(tree: TaskTree, row: int) -> str:
    """Returns the text after the label of a row: receivers with their shares, the subject of a trap."""
    task = tree.task
    if row < 0:
        return ""
    if row in tree.calls:
        return "virtual" if task.has(row, "virtual") else ""
    tag = tree.tag(row)
    if tag == "uncommon_trap":
        comment = task.get(row, "comment")
        flow = "from the type flow, no code" if task.has(row, "method") else ""
        return " · ".join(part for part in (comment if comment != task.get(row, "reason") else "", flow) if part)
    if tag == "branch":
        return f"taken {task.get(row, 'taken')}, not taken {task.get(row, 'not_taken')}"
    if tag == "eliminate_lock":
        return task.get(row, "class") or {"1": "lock", "0": "unlock"}.get(task.get(row, "lock"), "")
    if tag == "dependency":
        return " ".join(meaning(tree, name, text).label for name, text in task.attributes(row) if name != "type")
    if tag == "failure" and row in tree.attempts:
        return "thrown away"
    if tag in ("observe", "replace_string_concat"):
        shown = next((name for name in LABELS[tag] if task.has(row, name)), "")
        return ", ".join(f"{name} {text}" for name, text in task.attributes(row) if name != shown)
    return ""


def _receivers(tree: TaskTree, row: int) -> str:
    """Returns `2 receivers 61/39 %` of a call that has a profile of them."""
    task = tree.task
    counts = [whole(task.get(row, name)) for name in ("receiver_count", "receiver2_count") if task.has(row, name)]
    total = whole(task.get(row, "count"))
    if not counts or not isinstance(total, int) or total <= 0:
        return ""
    shares = "/".join(f"{100 * count / total:.0f}" for count in counts if isinstance(count, int))
    return f"{counted(len(counts), 'receiver')} {shares} %"
