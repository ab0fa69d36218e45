"""Names without what JVMs and libraries make up anew each time a program runs."""

from __future__ import annotations

import re

MADE_UP = (
    (re.compile(r"(\$\$Lambda)\$\d+"), r"\1"),
    (re.compile(r"[+/]0x[0-9a-f]+"), ""),
    (re.compile(r"(\$\$Lambda)\.0x[0-9a-f]+"), r"\1"),
    (re.compile(r"(\$Proxy)\d+"), r"\1"),
    (re.compile(r"(Generated\w*Accessor)\d+"), r"\1"),
    (re.compile(r"(\$\$(?:EnhancerBy|FastClassBy)\w+\$\$)[0-9a-f]+"), r"\1"),
)
"""What JVM and libraries number anew each time: lambdas and hidden classes, proxies, accessors, generated classes."""


def normal_name(name: str) -> str:
    """A class or method without what is made up anew each time the program runs."""
    for made_up, kept in MADE_UP:
        name = made_up.sub(kept, name)
    return name
