"""Names without the parts that JVMs and libraries generate differently in each run."""

from __future__ import annotations

import re

VOLATILE = (
    (re.compile(r"(\$\$Lambda)\$\d+"), r"\1"),
    (re.compile(r"[+/]0x[0-9a-f]+"), ""),
    (re.compile(r"(\$\$Lambda)\.0x[0-9a-f]+"), r"\1"),
    (re.compile(r"(\$Proxy)\d+"), r"\1"),
    (re.compile(r"(Generated\w*Accessor)\d+"), r"\1"),
    (re.compile(r"(\$\$(?:EnhancerBy|FastClassBy)\w+\$\$)[0-9a-f]+"), r"\1"),
)
"""Generated names: lambdas and hidden classes, proxies, accessors, generated classes."""


def normal_name(name: str) -> str:
    """Returns a class or method name without the parts that change with each run."""
    for pattern, replacement in VOLATILE:
        name = pattern.sub(replacement, name)
    return name
