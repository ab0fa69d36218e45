"""Facts that a session states about its recording: agent, node, process, options, filters."""

from __future__ import annotations

from typing import Any

from parsers.formats.tptp.schema.batch import EventAttributes
from parsers.formats.tptp.schema.vocabulary import CODES

MOST = 10_000
"""Maximum facts of a kind."""
AGENT_FACTS = ("agentName", "version", "agentType", "agentParameters")
FILTER_FACTS = ("pattern", "mode", "genericPattern", "methodPattern", "methodMode", "methodGenericPattern")
NODE_FACTS = ("hostname", "ipaddress", "timezone")

_LISTS = {CODES["node"]: "nodes", CODES["agentCreate"]: "agents", CODES["filter"]: "filters"}
_WANTED = {CODES["node"]: NODE_FACTS, CODES["agentCreate"]: AGENT_FACTS, CODES["filter"]: FILTER_FACTS}
_OPTION, _PROCESS, _START = CODES["option"], CODES["processCreate"], CODES["traceStart"]


class SessionFacts:
    """Collector of facts; `facts` can be written as JSON.

    nodes, agents, filters  dictionaries by the attributes' names, in file order
    options                 pairs of key and value: a key may repeat
    processes               process ids
    recordings              number of times recording started

    `Sessions` adds `start` (offset of its part), `lying` (its texts are not in the declared encoding) and `others`
    (pairs of an element and an unknown attribute of it).
    """

    def __init__(self) -> None:
        self.facts: dict[str, Any] = {name: [] for name in ("nodes", "agents", "filters", "options", "processes")}
        self.facts["recordings"] = 0

    def add(self, code: int, texts: EventAttributes | None) -> None:
        """Adds the facts of an element; most elements have none."""
        if code == _START:
            self.facts["recordings"] += 1
        if texts is None:
            return
        texts_by_name = texts.attributes
        if code in _LISTS:
            self._append(_LISTS[code], {name: texts_by_name[name] for name in _WANTED[code] if name in texts_by_name})
        elif code == _OPTION:
            self._append("options", [texts_by_name.get("key", ""), texts_by_name.get("value", "")])
        elif code == _PROCESS and "pid" in texts_by_name:
            self._append("processes", texts_by_name["pid"])

    def _append(self, name: str, fact: Any) -> None:
        if len(self.facts[name]) < MOST:
            self.facts[name].append(fact)
