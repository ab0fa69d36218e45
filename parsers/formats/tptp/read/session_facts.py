"""Facts that a session states about its recording: agent, node, process, options, filters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from parsers.formats.tptp.schema.vocabulary import CODES

MOST_FACTS = 20_000
"""Elements of a file whose facts are kept. Real sessions have about 30."""
AGENT_FACTS = ("agentName", "version", "agentType", "agentParameters")
FILTER_FACTS = ("pattern", "mode", "genericPattern", "methodPattern", "methodMode", "methodGenericPattern")
NODE_FACTS = ("hostname", "ipaddress", "timezone")

_LISTS = {CODES["node"]: "nodes", CODES["agentCreate"]: "agents", CODES["filter"]: "filters"}
_WANTED = {CODES["node"]: NODE_FACTS, CODES["agentCreate"]: AGENT_FACTS, CODES["filter"]: FILTER_FACTS}
_OPTION, _PROCESS = CODES["option"], CODES["processCreate"]
WITH_FACTS = frozenset((*_LISTS, _OPTION, _PROCESS))
"""Codes of elements with facts."""


class SessionFacts:
    """Collector of facts; `facts` can be written as JSON.

    nodes, agents, filters  dictionaries by the attributes' names, in file order
    options                 pairs of key and value: a key may repeat
    processes               their numbers (pid)

    `Sessions` adds `recordings` (how many times recording started), `start` (offset of its part), `lying` (its texts
    are in another encoding than it says) and `others` (pairs of an element and an attribute of it that is not known).
    """

    def __init__(self) -> None:
        self.facts: dict[str, Any] = {name: [] for name in ("nodes", "agents", "filters", "options", "processes")}

    def add(self, code: int, texts_by_name: Mapping[str, str]) -> None:
        """Adds the facts of an element. texts_by_name: its attributes by their names in `vocabulary`"""
        if code in _LISTS:
            self.facts[_LISTS[code]].append(
                {name: texts_by_name[name] for name in _WANTED[code] if name in texts_by_name}
            )
        elif code == _OPTION:
            self.facts["options"].append([texts_by_name.get("key", ""), texts_by_name.get("value", "")])
        elif "pid" in texts_by_name:
            self.facts["processes"].append(texts_by_name["pid"])
