"""Values that look like secrets in command lines, properties and environments, and their masks."""

from __future__ import annotations

import re

MASK = "•••"

_SECRET = re.compile(
    r"pass(?:word|wd|phrase)?|pwd|secret|token|credential|auth|session|cookie|bearer|jwt|(?:\A|[._-])pat(?:\Z|[._-])"
    r"|(?:api|access|account|encryption|license|master|private|shared|signing)[._-]?key",
    re.IGNORECASE,
)
_NOT_SECRET = re.compile(r"(?:java|sun|jdk)\.(?!.*(?:password|secret|token|credential))|.*\.(?:author|authority)", re.I)
_PAIR = re.compile(r"(?P<option>(?<=-)D)?(?P<name>[A-Za-z_][\w.\-]*)(?P<sign>=|:)(?P<value>\S+)")
_NEXT = re.compile(r"--?(?P<name>[A-Za-z][\w.\-]*)\Z")
_HEADER = re.compile(r"(?P<name>[A-Za-z][\w\-]*):\Z")
_IS_HEADER = re.compile(r"[A-Za-z][\w\-]*:(?!//)")
_SCHEME = re.compile(r"(?:basic|bearer|digest|negotiate|token)\Z", re.IGNORECASE)
_KNOWN = re.compile(
    r"\b(?:gh[opsur]_\w{16,}|github_pat_\w{16,}|glpat-[\w\-]{16,}|xox[a-z]-[\w\-]{10,}|A[KS]IA[0-9A-Z]{16}"
    r"|sk-[\w\-]{16,}|eyJ[\w\-]{6,}\.[\w\-]{6,}\.[\w\-]*)"
)
"""Secrets with a known form: tokens of GitHub, GitLab, Slack, AWS and OpenAI, JSON Web Tokens."""
_ADDRESS = re.compile(r"(?P<scheme>[a-z][a-z0-9+.\-]*://[^/\s:@]+:)(?P<secret>[^/\s@]+)(?=@)", re.IGNORECASE)


def is_secret(name: str) -> bool:
    """True if a value of this name should not be shown."""
    return bool(_SECRET.search(name)) and not _NOT_SECRET.match(name)


def masked_value(name: str, value: str) -> str:
    """Returns a value, masked if its name looks like a secret's; otherwise words in it are masked."""
    if is_secret(name):
        return MASK if value else value
    return " ".join(masked_words(value.split(" ")))


def masked_words(words: list[str], are_options: bool = False) -> list[str]:
    """Masks the words of a command line: values after `name=`, `name:` or `--name` if the name is a secret's.

    are_options  True if each value begins with `-`, so that a word without one continues the value before it
    """
    masked: list[str] = []
    is_next = is_open = False
    for word in words:
        continues = is_open and are_options and not word.startswith("-")
        if is_next or continues:
            masked.append(MASK)
            # The scheme of an `Authorization` precedes its secret.
            is_next = bool(_SCHEME.match(word))
            continue
        shown = _ADDRESS.sub(lambda found: found["scheme"] + MASK, word)
        shown = _KNOWN.sub(MASK, _PAIR.sub(_mask_pair, shown))
        masked.append(shown)
        option = _NEXT.match(word) or _HEADER.match(word)
        is_open = shown.endswith(MASK)
        is_next = (option is not None and is_secret(option["name"])) or bool(is_open and _ends_with_scheme(word))
    return masked


def _ends_with_scheme(word: str) -> bool:
    """True if a word's value is the scheme of an `Authorization`, which precedes the secret."""
    return bool(_SCHEME.match(re.split("[=:]", word)[-1]))


def _mask_pair(found: re.Match[str]) -> str:
    front = found[0][: found.start("value") - found.start()]
    if is_secret(found["name"]):
        return front + MASK
    # A value that is a list of pairs itself, as in -Dargs=user=a,password=b and --header=Authorization:Basic.
    has_pairs = "=" in found["value"] or _IS_HEADER.match(found["value"]) is not None
    return front + _PAIR.sub(_mask_pair, found["value"]) if has_pairs else found[0]
