"""The VM as described in a main log's head: version, arguments, properties. Values that look like secrets are masked.

Source: `LogCompilation` of HotSpot writes `<vm_version>` and `<vm_arguments>` before `<tty>`, as text between tags.
"""

from __future__ import annotations

import html
import re
from dataclasses import field
from datetime import UTC, datetime

from parsers.model.names.secrets import masked_value, masked_words
from parsers.model.value import value_class

MOST = 4 << 20
"""Bytes at a log's start that contain these elements; class paths are long."""

RELEASE_WITHIN = 20_000


@value_class
class VirtualMachine:
    """One VM as described by its log's head. Texts are unescaped and masked."""

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
