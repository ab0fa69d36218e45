"""An opened binary file of the agent: the views of text profiles, but for heap dumps, which are not read yet."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from parsers.hprof.binary_profile import BinaryProfile
from parsers.hprof.columns import CPU_SAMPLES, SITES_KIND
from parsers.hprof.report import HprofReport
from parsers.hprof.tables import Tables


class BinaryReport(HprofReport):
    """One file."""

    format = "hprof-binary"
    format_title = "HPROF binary profile"

    def _read_head(self) -> None:
        """Rows at once: what the first bytes tell."""
        head = self.source.head
        profile = BinaryProfile(Tables())
        profile.read(lambda count, offset: head[offset : offset + count], len(head), is_head=True)
        self.version, self.created_ms = profile.version.decode("ascii", "replace"), profile.created_ms
        counts = profile.counts
        kinds = {CPU_SAMPLES: counts["cpu_samples"], SITES_KIND: counts["alloc_sites"]}
        self._sections_of_head = frozenset(kind for kind, count in kinds.items() if count)
        self.recording.take_plain(profile.tables)

    @property
    def sections_there(self) -> frozenset[int]:
        """The kinds of sections that the file is known to have."""
        return super().sections_there if self.recording.is_complete else self._sections_of_head

    @property
    def line_end(self) -> str:
        """There are no lines."""
        return "none"

    @property
    def facts(self) -> Mapping[str, Any]:
        """When it was made, in universal time; what is left out."""
        created = time.strftime("%a %b %d %H:%M:%S %Y UTC", time.gmtime(self.created_ms / 1000 % 1e11))
        facts: dict[str, Any] = {"created": created}
        if self.recording.is_complete:
            facts["sections"] = [f"{each['kind']}: {each['rows']:,} rows" for each in self.recording.facts["sections"]]
            records = self.recording.facts["records"]
            if records["heap_dump"] or records["heap_dump_segment"]:
                facts["heap_dumps"] = "not read yet"
        return {name: fact for name, fact in facts.items() if fact}
