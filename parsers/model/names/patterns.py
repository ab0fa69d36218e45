"""Suppress and expand patterns with GraalVM's exact semantics, for types, roots and methods.

The six options are those of `-H:ImageObjectTree{Suppress,Expand}{Types,Roots}=…` and, by the same rules, two for
methods. An option's value is trimmed once and split at commas; its items are *not* trimmed, and case matters. An item
`*` matches every text, `*s` texts that end with s, `s*` texts that start with s, `*s*` texts that contain s, `s` only s
itself. A `*` elsewhere is an ordinary character, and an empty item matches the empty text only. If both an expand and a
suppress pattern match, the text is expanded.

GraalVM's printer also has built-in lists (`BUILT_IN_TYPES`, `BUILT_IN_ROOTS`), applied after both. A finished report
lacks what they matched, except what an expand option of that build kept. So they are applied only on request. From 24.2
on a root's loader prevents most of these root patterns from matching, in the printer as well.

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
"""Names of the six options; on the command line they have `-` for `_`."""

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
"""Types that the printer itself never expands; `short` is not among them."""

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
"""Roots that the printer itself never expands. It lists those of ICU one by one; here one pattern covers them."""

TRIMMED = "".join(map(chr, range(0x21)))
"""Characters that Java's `String.trim` removes at both ends."""


def split(value: str) -> tuple[str, ...]:
    """Returns the patterns of an option's value: trimmed as a whole, then split at commas. An empty value has none."""
    return tuple(value.strip(TRIMMED).split(",")) if value else ()


def matches(pattern: str, text: str) -> bool:
    """True if the pattern matches the text."""
    if pattern == "*":
        return True
    if pattern.startswith("*"):
        return pattern[1:-1] in text if pattern.endswith("*") else text.endswith(pattern[1:])
    return text.startswith(pattern[:-1]) if pattern.endswith("*") else text == pattern


def advice(pattern: str) -> str:
    """Returns the hint to append to a message about a pattern that matches nothing."""
    return "" if "*" in pattern else f": patterns match whole names, use {pattern}* or *{pattern}* for parts"


def element_type(name: str) -> str:
    """The innermost element type of an array type; other types are returned unchanged."""
    while name.endswith("[]"):
        name = name[:-2]
    return name


@value_class
class PatternSet:
    """The patterns of one option, sorted by form, so that matching a text takes a few tests however many there are."""

    patterns: tuple[str, ...]
    is_all: bool = field(init=False, repr=False, compare=False)
    """True if every text matches."""
    exact: frozenset[str] = field(init=False, repr=False, compare=False)
    """Texts that match as a whole."""
    starts: tuple[str, ...] = field(init=False, repr=False, compare=False)
    """Prefixes of matching texts."""
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
        """True if any pattern matches the text."""
        return isinstance(text, str) and (
            self.is_all
            or text in self.exact
            or text.startswith(self.starts)
            or text.endswith(self.ends)
            or (bool(self.parts) and any(part in text for part in self.parts))
        )


@value_class
class Patterns:
    """The six options as written, and whether the printer's own lists apply after them."""

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
        """Builds patterns from a mapping with any of the six names; other names are ignored."""
        given = [options.get(name) or "" for name in OPTIONS]
        return cls(given[0], given[1], given[2], given[3], given[4], given[5])

    def __bool__(self) -> bool:
        """True if anything can be suppressed."""
        return any(self.suppresses(subject) for subject in SUBJECTS)

    def suppresses(self, subject: Subject) -> bool:
        """True if anything of this subject can be suppressed."""
        _, suppress, built_in = self._sets[subject]
        return bool(suppress) or bool(built_in)

    def sets(self, subject: Subject) -> tuple[PatternSet, PatternSet, PatternSet]:
        """The expand patterns, the suppress patterns, and the printer's own suppress patterns."""
        return self._sets[subject]

    def is_suppressed(self, subject: Subject, text: str) -> bool:
        """True if a text is suppressed: expand overrides suppress, and both override the printer's own list."""
        expand, suppress, built_in = self.sets(subject)
        return text not in expand and (text in suppress or text in built_in)

    def is_suppressed_type(self, name: str) -> bool:
        """True if values of a type are suppressed: its fully qualified name, or that of the innermost element type."""
        return self.is_suppressed("types", element_type(name))

    def is_expanded_type(self, name: str) -> bool:
        """True if values of a type are expanded despite any suppress pattern."""
        return element_type(name) in self._sets["types"][0]

    def is_suppressed_root(self, source: str) -> bool:
        """True if a root is suppressed: its source exactly as printed, with the loader if there is one."""
        return self.is_suppressed("roots", source)

    def is_suppressed_method(self, method: str) -> bool:
        """True if the callees of a method are suppressed: `holder.name(types):type`, without loader."""
        return self.is_suppressed("methods", method)


def methods_pattern(holder: str) -> Mapping[Subject, str]:
    """A pattern that matches all methods of a class, by what it matches; none if a comma in the name would end it."""
    return {"methods": f"{holder}.*"} if holder and "," not in holder else {}


def type_pattern(type: str) -> Mapping[Subject, str]:
    """A pattern that matches a type, or the element type of an array, by what it matches."""
    return {"types": proposed(element_type(type))}


def proposed(text: str) -> str:
    """Returns a pattern that matches this text, as exactly as a pattern list allows.

    A comma would end the pattern. So a text with commas is matched by its longer end: the part before its first comma
    plus `*`, or `*` plus the part after its last comma. A text that begins or ends with a `*` or a blank would be
    misread or trimmed, so it is matched as a part.
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
    """True if the beginning of a pattern is taken literally."""
    return bool(text) and not text.startswith("*") and text.lstrip(TRIMMED) == text


def _ends_plain(text: str) -> bool:
    """True if the end of a pattern is taken literally."""
    return bool(text) and not text.endswith("*") and text.rstrip(TRIMMED) == text
