"""The methods of a log by their labels, and the tasks that compiled them.

A label is looked up by spelling it as the log does, so the labels of all methods are made only for a search of all.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from parsers.formats.hotspot.grouped import Grouped
from parsers.formats.hotspot.names import PRIMITIVES, Method, method_of, value
from parsers.model.distinct import distinct
from parsers.model.late import numpy as np
from parsers.model.late.lazy_sequence import LazySequence

if TYPE_CHECKING:
    from parsers.formats.hotspot.log.log import Log

LETTERS = {name: letter for letter, name in PRIMITIVES.items()}


class TaskMethods:
    """Methods and their tasks; known when the log is complete."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._by_method = Grouped()
        self._numbers: dict[bytes, int] = {}
        self._labels: dict[str, list[int]] | None = None
        self._known = -1
        self._compiled: list[int] | None = None

    def tasks_of(self, method: int) -> Sequence[int]:
        """Returns the tasks that compiled the method of a number, in the order of the log."""
        if not self._log.is_complete:
            return ()
        return self._by_method.of(self._log.column("task_method"), method)

    def tasks(self, label: str) -> Sequence[int]:
        """Returns the tasks that compiled the method of a label, in the order of the log."""
        return sorted(task for method in self.numbers(label) for task in self.tasks_of(method))

    def numbers(self, label: str) -> Sequence[int]:
        """Returns the methods of a label: several only if the log spells it in several ways."""
        self._look()
        found = [self._numbers[text] for text in spellings(label) if text in self._numbers]
        if found or not _is_odd(label):
            return found
        if self._labels is None:
            self._labels = {}
            for number in range(len(self._log.methods)):
                self._labels.setdefault(self.label(number), []).append(number)
        return self._labels.get(label, ())

    def label(self, method: int) -> str:
        """Returns the label of the method of a number."""
        return method_of(value(self._log.method(method))).label

    @property
    def compiled(self) -> Sequence[int]:
        """The methods that have tasks."""
        if not self._log.is_complete:
            return ()
        if self._compiled is None:
            self._compiled = distinct(np.asarray(self._log.column("task_method"))).tolist()
        return self._compiled

    @property
    def names(self) -> Sequence[bytes]:
        """The labels of the methods that have tasks, as UTF-8; empty until they are known."""
        return Labels(self)

    def _look(self) -> None:
        methods = self._log.methods
        if self._log.is_complete and self._known != len(methods):
            self._known, self._labels = len(methods), None
            self._numbers = {bytes(text): number for number, text in enumerate(methods)}


class Labels(LazySequence[bytes]):
    """The labels of the methods that have tasks, each made on access."""

    def __init__(self, methods: TaskMethods) -> None:
        self._methods = methods

    def __len__(self) -> int:
        return len(self._methods.compiled)

    def item(self, index: int) -> bytes:
        """Returns a label: one line, as text that is searched by lines may not contain line ends."""
        return self._methods.label(self._methods.compiled[index]).replace("\n", " ").encode("utf-8", "surrogatepass")


def spellings(label: str) -> list[bytes]:
    """Returns the method of a label as logs of JDK 8 and of later ones write it, if its names are plain."""
    method = parse_label(label)
    if method is None or method.parameters is None:
        return []
    parameters = "".join(map(descriptor, method.parameters))
    name = method.name.replace("<", "&lt;").replace(">", "&gt;")
    signature = f"({parameters}){descriptor(method.result)}"
    holders = dict.fromkeys((method.holder, _slashed(method.holder)))
    return [f"{holder} {name} {signature}".encode("utf-8", "surrogatepass") for holder in holders]


def parse_label(label: str) -> Method | None:
    """Splits a label `holder.name(types):type`; None if it isn't one."""
    close = label.rfind("):")
    opening = label.find("(")
    if opening < 0 or close < opening:
        return None
    holder, _, name = label[:opening].rpartition(".")
    inside = label[opening + 1 : close]
    return Method(holder, name, tuple(inside.split(", ")) if inside else (), label[close + 2 :])


def descriptor(type: str) -> str:
    """Returns a type as a JVM descriptor."""
    element = type
    while element.endswith("[]"):
        element = element[:-2]
    arrays = "[" * ((len(type) - len(element)) // 2)
    return arrays + (LETTERS.get(element) or f"L{_slashed(element)};")


def _slashed(name: str) -> str:
    return name.replace(".", "/")


def _is_odd(label: str) -> bool:
    """True if the log may write a label otherwise than `spellings` does."""
    return not label.isascii() or any(character in label for character in "&'\"\\ ") or not label.isprintable()
