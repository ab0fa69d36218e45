"""The view "VM": version, flags, arguments and properties of the VM, from the head of its log.

Values that look like secrets are masked here, so that no front end receives them.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
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

    @property
    def state(self) -> Hashable:
        """A constant: the head never changes."""
        return None

    def make(self) -> Sequence[ListRow]:
        """Returns all values of the head."""
        return list(self._entries_of_head())

    def _entries_of_head(self) -> Iterator[ListRow]:
        vm = self._report.vm
        if vm is None:
            yield ListRow("group", "no main log: facts about the VM are not known")
            return
        yield self._group("Version", "hotspot_log")
        facts = {
            "name": vm.name,
            "release": vm.release,
            "JDK": vm.jdk,
            "info": vm.info,
            "process": str(vm.process or ""),
            "started": vm.started or "",
        }
        yield from (ListRow("fact", f"{name}: {value}", 1) for name, value in facts.items() if value)
        yield self._group("Command", "command")
        yield from (ListRow("fact", f"{name}: {value}", 1) for name, value in self._commands() if value)
        for title, kind, place, values in (
            ("Flags", "flag", "flags", vm.flags),
            ("Arguments", "flag", "args", vm.arguments),
        ):
            if values:
                yield self._group(title, place)
                yield from (ListRow(kind, value, 1) for value in values)
        if vm.properties:
            yield self._group("Properties", "properties")
            yield from (ListRow("property", f"{name}={value}", 1) for name, value in vm.properties)

    def _commands(self) -> list[tuple[str, str]]:
        vm = self._report.vm
        assert vm is not None
        return [("command", vm.command), ("launcher", vm.launcher)]

    def _group(self, title: str, place: str) -> ListRow:
        vm = self._report.vm
        assert vm is not None
        return ListRow("group", title, offset=vm.places.get(place), key=("vm", title))
