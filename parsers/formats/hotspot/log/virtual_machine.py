"""The VM as described in a main log's head: version, arguments, properties. Values that look like secrets are masked.

Source: `LogCompilation` of HotSpot writes `<vm_version>` and `<vm_arguments>` before `<tty>`, as text between tags.
"""

from __future__ import annotations

import html
import re
from dataclasses import field
from datetime import UTC, datetime

from parsers.model.value import value_class

MOST = 4 << 20
"""Bytes at a log's start that contain these elements; class paths are long."""

RELEASE_WITHIN = 20_000

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


@value_class
class VirtualMachine:
    """One VM as described by its log's head. Texts are unescaped and masked."""

    version: str = ""
    """The attribute of `hotspot_log`: `160 1` in all JDKs."""
    process: int | None = None
    started: str | None = None
    """UTC, ISO 8601."""
    name: str = ""
    release: str = ""
    info: str = ""
    flags: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    command: str = ""
    launcher: str = ""
    properties: tuple[tuple[str, str], ...] = ()
    places: dict[str, int] = field(default_factory=dict)
    """Offsets of the elements that contain these values."""

    @property
    def jdk(self) -> str:
        """The JDK's number, such as `17`; empty if unknown."""
        found = re.search(r"\bJRE .*?\((?:1\.)?(\d+)[.+\-_)]", self.info)
        if found is not None:
            return found[1]
        # A release such as 25.504-b01 is HotSpot's own number, in JDK 8 and older.
        old = re.match(r"2(\d)\.\d+-b", self.release)
        new = re.match(r"(\d+)[.+]", self.release)
        return {"5": "8", "4": "7", "3": "7"}.get(old[1], "6") if old else new[1] if new else ""


def read_virtual_machine(head: bytes) -> VirtualMachine | None:
    """Reads the VM from the first bytes of a main log; None if they are of no main log."""
    header = re.search(rb"<hotspot_log\b([^>\n]*)", head)
    if header is None:
        return None
    attributes = dict(re.findall(rb"(\w+)='([^']*)'", header[1]))
    end = head.find(b"<tty", header.end())
    end = end if end >= 0 else len(head)
    places = {"hotspot_log": header.start()}
    texts: dict[str, str] = {}
    for name in ("name", "release", "info", "flags", "args", "command", "launcher", "properties"):
        found = re.compile(rb"<%b>(.*?)</%b>" % ((name.encode(),) * 2), re.DOTALL).search(head, header.end(), end)
        if found is not None:
            places[name] = found.start()
            texts[name] = html.unescape(found[1].decode("utf-8", "replace")).strip("\n")
    process, milliseconds = attributes.get(b"process", b""), attributes.get(b"time_ms", b"")
    started = None
    if milliseconds.isdigit() and len(milliseconds) <= 14:
        started = datetime.fromtimestamp(int(milliseconds) / 1000, UTC).isoformat(" ", "milliseconds")[:-6] + " UTC"
    return VirtualMachine(
        version=attributes.get(b"version", b"").decode("ascii", "replace"),
        process=int(process) if process.isdigit() and len(process) <= 12 else None,
        started=started,
        name=texts.get("name", ""),
        release=texts.get("release", ""),
        info=texts.get("info", ""),
        flags=tuple(line for line in texts.get("flags", "").split("\n") if line),
        arguments=tuple(masked_words(texts.get("args", "").split(), are_options=True)),
        command=" ".join(masked_words(texts.get("command", "").split())),
        launcher=texts.get("launcher", ""),
        properties=tuple(_properties(texts.get("properties", ""))),
        places=places,
    )


def release_of(head: bytes) -> str | None:
    """Returns the VM's release in the first bytes of a log; None if there is none."""
    found = re.search(rb"<release>\s*(.*?)\s*</release>", head[:RELEASE_WITHIN], re.DOTALL)
    return None if found is None else html.unescape(found[1].decode("utf-8", "replace"))


def _properties(text: str) -> list[tuple[str, str]]:
    pairs = []
    for line in text.split("\n"):
        name, sign, value = line.partition("=")
        if sign:
            pairs.append((name, masked_value(name, value)))
        elif line and pairs:
            # A value may continue on the next line.
            pairs[-1] = (pairs[-1][0], f"{pairs[-1][1]}\n{line}")
    return pairs


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
