"""The view "VM": version, flags, arguments and properties of the VM, from the head of its log.

Values that look like secrets are masked here, so that no front end receives them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from parsers.views.list_view import ListRow, ListView

if TYPE_CHECKING:
    from parsers.formats.hotspot.report import HotSpotReport


class VMView(ListView):
    """Groups with their values."""

    name = "VM"
    description = "Version, options and properties of the JVM"

    def __init__(self, report: HotSpotReport) -> None:
        super().__init__()
        self._report = report

    def make(self) -> Sequence[ListRow]:
        """Returns all values of the head, which never changes."""
        return list(self._entries_of_head())

    def _entries_of_head(self) -> Iterator[ListRow]:
        vm = self._report.vm
        if vm is None:
            yield ListRow("group", "no main log: facts about the VM are not known")
            return
        facts = {
            "name": vm.name,
            "release": vm.release,
            "JDK": vm.jdk,
            "info": vm.info,
            "process": str(vm.process or ""),
            "started": vm.started or "",
        }
        commands = {"command": vm.command, "launcher": vm.launcher}
        for title, place, kind, texts in (
            ("Version", "hotspot_log", "fact", [f"{name}: {value}" for name, value in facts.items() if value]),
            ("Command", "command", "fact", [f"{name}: {value}" for name, value in commands.items() if value]),
            ("Flags", "flags", "flag", vm.flags),
            ("Arguments", "args", "flag", vm.arguments),
            ("Properties", "properties", "property", [f"{name}={value}" for name, value in vm.properties]),
        ):
            if texts or kind == "fact":
                yield ListRow("group", title, offset=vm.places.get(place), key=("vm", title))
                yield from (ListRow(kind, text, 1) for text in texts)
