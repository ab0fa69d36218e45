"""Views of one heap dump: the chosen one of a file, by default the last."""

from __future__ import annotations

from collections.abc import Mapping

from parsers.heapdump.graph.heap_context import HeapView
from parsers.heapdump.graph.labels import HeapDump
from parsers.heapdump.tables.class_groups import dump_label
from parsers.model.view import Switch
from parsers.views.switches import SwitchableView

DUMP = "dump"


class HeapDumpView(SwitchableView, HeapView):
    """A view of a heap's objects that shows one dump at a time."""

    @property
    def switches(self) -> tuple[Switch, ...]:
        """The choice of the dump, if there are several."""
        dumps = () if self._heap.objects is None else self._heap.objects.graph.dumps
        return (Switch(DUMP, "d", DUMP, tuple(map(dump_label, reversed(dumps)))),) if len(dumps) > 1 else ()

    @property
    def dump(self) -> HeapDump:
        """The dump shown. Raises `LookupError` before it is known."""
        return self.dump_named(self.choice(DUMP))

    def dump_named(self, label: str) -> HeapDump:
        """Returns the dump of a choice; the last one if empty. Raises `LookupError`."""
        dumps = self.objects.graph.dumps
        return next((dump for dump in dumps if dump_label(dump) == label), dumps[-1])

    def chosen_for(self, ref: str) -> Mapping[str, str]:
        """Returns the dump of a REF that names its run."""
        dumps = self.objects.graph.dumps if any(switch.name == DUMP for switch in self.switches) else ()
        return next(({DUMP: dump_label(dump)} for dump in dumps if ref.startswith(f"run:{dump.run}/")), {})
