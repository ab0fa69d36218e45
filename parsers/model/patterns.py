"""Suppress and expand patterns with GraalVM's exact meaning, for types, roots and methods.

The six options are those of `-H:ImageObjectTree{Suppress,Expand}{Types,Roots}=…` and, by the same rules, two for
methods. An option's value is trimmed once and split at commas; its items are *not* trimmed, and case matters. One item
against one text: `*` is every text, `*s` ends with s, `s*` starts with s, `*s*` contains s, `s` equals s; a `*`
elsewhere is an ordinary character, and an empty item meets the empty text only. Where both an expand and a suppress
pattern meet, the text is expanded.

GraalVM's printer has lists of its own (`BUILT_IN_TYPES`, `BUILT_IN_ROOTS`) that come after both. What they met is not
in a finished report, and what they meet there was left in by somebody's expand option; so they are not applied unless
asked for. From 24.2 on a root's loader keeps most of these root patterns from meeting: so it is in the printer, too.

Source: the patterns of `ObjectTreePrinter`, GraalVM 20.2 to 25.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Literal

from parsers.model.value import value_class

Subject = Literal["types", "roots", "methods"]

SUBJECTS: tuple[Subject, ...] = ("types", "roots", "methods")

OPTIONS = tuple(f"{verb}_{subject}" for subject in SUBJECTS for verb in ("suppress", "expand"))
"""Names of the six options: as words on the command line they have `-` for `_`."""

BUILT_IN_TYPES = (
    "java.lang.String",
    "java.math.BigInteger",
    "java.lang.Character$UnicodeScript",
    "sun.misc.FDBigInteger",
    "boolean",
    "char",
    "byte",
    "int",
    "long",
    "double",
    "float",
)
"""Types that the printer itself never expands: no `short`."""

BUILT_IN_ROOTS = (
    "java.lang.Character$UnicodeBlock.map*",
    "java.lang.Character$UnicodeScript.aliases*",
    "java.lang.ConditionalSpecialCasing.entryTable*",
    "java.util.Formatter.fsPattern*",
    "java.lang.Character$UnicodeBlock.of(int)",
    "java.util.ResourceBundle.getBundle(String, Locale, ResourceBundle$Control)",
    "com.ibm.icu*",
    "com.oracle.svm.core.option.RuntimeOptionsSupportImpl.set(String, Object)",
)
"""Roots that the printer itself never expands. Those of ICU are single caches; here one pattern stands for them."""

TRIMMED = "".join(map(chr, range(0x21)))
"""What Java's `String.trim` takes away at both ends."""


def split(value: str) -> tuple[str, ...]:
    """The patterns of an option's value: trimmed as a whole, then split at commas. No value, no patterns."""
    return tuple(value.strip(TRIMMED).split(",")) if value else ()


def matches(pattern: str, text: str) -> bool:
    """Whether one pattern meets one text."""
    if pattern == "*":
        return True
    if pattern.startswith("*"):
        return pattern[1:-1] in text if pattern.endswith("*") else text.endswith(pattern[1:])
    return text.startswith(pattern[:-1]) if pattern.endswith("*") else text == pattern


def advice(pattern: str) -> str:
    """What to say behind a pattern that meets nothing."""
    return "" if "*" in pattern else f": names are met as a whole, parts of them by {pattern}* or *{pattern}*"


def element_type(name: str) -> str:
    """The innermost element type of an array type; other types are their own."""
    while name.endswith("[]"):
        name = name[:-2]
    return name


@value_class
class PatternSet:
    """The patterns of one option, sorted by form so that a text is looked at a few times however many there are."""

    patterns: tuple[str, ...]
    is_all: bool = field(init=False, repr=False, compare=False)
    """Whether every text is met."""
    exact: frozenset[str] = field(init=False, repr=False, compare=False)
    """Texts that are met as a whole."""
    starts: tuple[str, ...] = field(init=False, repr=False, compare=False)
    """Beginnings of texts that are met."""
    ends: tuple[str, ...] = field(init=False, repr=False, compare=False)
    parts: tuple[str, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        exact, starts, ends, parts = set(), [], [], []
        for pattern in self.patterns:
            if pattern == "*":
                parts.append("")
            elif pattern.startswith("*") and pattern.endswith("*"):
                parts.append(pattern[1:-1])
            elif pattern.startswith("*"):
                ends.append(pattern[1:])
            elif pattern.endswith("*"):
                starts.append(pattern[:-1])
            else:
                exact.add(pattern)
        object.__setattr__(self, "exact", frozenset(exact))
        object.__setattr__(self, "starts", tuple(starts))
        object.__setattr__(self, "ends", tuple(ends))
        object.__setattr__(self, "parts", tuple(parts))
        object.__setattr__(self, "is_all", "" in parts)

    def __bool__(self) -> bool:
        return bool(self.patterns)

    def __contains__(self, text: object) -> bool:
        """Whether any pattern meets the text."""
        return isinstance(text, str) and (
            self.is_all
            or text in self.exact
            or text.startswith(self.starts)
            or text.endswith(self.ends)
            or (bool(self.parts) and any(part in text for part in self.parts))
        )


@value_class
class Patterns:
    """The six options, each as it was written, and whether the printer's own lists are to be used after them."""

    suppress_types: str = ""
    expand_types: str = ""
    suppress_roots: str = ""
    expand_roots: str = ""
    suppress_methods: str = ""
    expand_methods: str = ""
    built_in: bool = False
    _sets: Mapping[Subject, tuple[PatternSet, PatternSet, PatternSet]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        given = {name: PatternSet(split(getattr(self, name))) for name in OPTIONS}
        printer = {"types": BUILT_IN_TYPES, "roots": BUILT_IN_ROOTS, "methods": ()} if self.built_in else {}
        sets = {
            subject: (given[f"expand_{subject}"], given[f"suppress_{subject}"], PatternSet(printer.get(subject, ())))
            for subject in SUBJECTS
        }
        object.__setattr__(self, "_sets", sets)

    @classmethod
    def from_options(cls, options: Mapping[str, str]) -> Patterns:
        """Patterns of a mapping with any of the six names; other names are passed over."""
        given = [options.get(name) or "" for name in OPTIONS]
        return cls(given[0], given[1], given[2], given[3], given[4], given[5])

    def __bool__(self) -> bool:
        """Whether anything can be suppressed."""
        return any(self.suppresses(subject) for subject in SUBJECTS)

    def suppresses(self, subject: Subject) -> bool:
        """Whether anything of this subject can be suppressed."""
        _, suppress, built_in = self._sets[subject]
        return bool(suppress) or bool(built_in)

    def sets(self, subject: Subject) -> tuple[PatternSet, PatternSet, PatternSet]:
        """What expands, what suppresses, and what the printer suppresses itself."""
        return self._sets[subject]

    def is_suppressed(self, subject: Subject, text: str) -> bool:
        """Whether a text is suppressed: expand wins over suppress, and both over the printer's own list."""
        expand, suppress, built_in = self.sets(subject)
        return text not in expand and (text in suppress or text in built_in)

    def is_suppressed_type(self, name: str) -> bool:
        """Whether values of a type are suppressed: its fully qualified name, an array by its innermost element type."""
        return self.is_suppressed("types", element_type(name))

    def is_expanded_type(self, name: str) -> bool:
        """Whether values of a type are expanded whatever else would close them."""
        return element_type(name) in self._sets["types"][0]

    def is_suppressed_root(self, source: str) -> bool:
        """Whether a root is suppressed: its source exactly as printed, with the loader where there is one."""
        return self.is_suppressed("roots", source)

    def is_suppressed_method(self, method: str) -> bool:
        """Whether what a method calls is suppressed: `holder.name(types):type`, without loader."""
        return self.is_suppressed("methods", method)


def proposed(text: str) -> str:
    """A pattern that meets this text, as exactly as a list of patterns can say it.

    A comma would end the pattern, so a text with commas is met by its longer end: what stands before its first comma
    and a `*`, or a `*` and what stands behind its last one. A text with a `*` or a blank at its own ends, where it
    would be read as a sign or trimmed with the option's value, is met as a part.
    """
    if not text:
        return "*"
    parts = text.split(",")
    head, tail = parts[0], parts[-1]
    if len(parts) == 1:
        return text if _begins_plain(text) and _ends_plain(text) else f"*{text}*"
    if len(head) >= len(tail) and _begins_plain(head):
        return head + "*"
    return "*" + tail if _ends_plain(tail) else f"*{max(parts, key=len)}*"


def _begins_plain(text: str) -> bool:
    """Whether the beginning of a pattern stands for itself."""
    return bool(text) and not text.startswith("*") and text.lstrip(TRIMMED) == text


def _ends_plain(text: str) -> bool:
    """Whether the end of a pattern stands for itself."""
    return bool(text) and not text.endswith("*") and text.rstrip(TRIMMED) == text
