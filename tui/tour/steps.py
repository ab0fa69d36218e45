"""The steps of the guided tour: each asks for one key and shows its effect. No line is longer than 76 characters."""

from __future__ import annotations

import os
from typing import NamedTuple

SAMPLE = os.path.join(os.path.dirname(__file__), "javac-samples.txt.xz")
"""Path of the report of the tour: CPU samples of javac, recorded with HPROF."""


class Step(NamedTuple):
    """One step of the tour."""

    key: str
    """The key that it asks for."""
    asks: str
    """The instruction; begins with the key."""
    check: str
    """Name of the command that completes the step, or `view:` and the name of the view that does."""
    did: str
    """Effect of the key, in a sentence."""
    opens: bool = False
    """True if the step is complete only with a list or page open: without one, the next key would mean another."""


READING = "The sample is being read …"
"""First line until the first view, which the steps are about, is known."""

WELCOME = "A profile of javac: each row is a method, its bar is its share of the time."

STEPS = (
    Step("l", "opens the row under the cursor.", "right", "Below are its stack traces. h closes the row."),
    Step("/", "searches: press /, type select, press Enter.", "find", "Rows of closed nodes are found, too."),
    Step("n", "goes to the next match.", "next-match", "N goes to the previous one. < returns to where you were."),
    Step("r", "lists everything that refers to the row.", "refs", "Enter goes to a row of a list, / narrows it.", True),
    Step("q", "closes the list.", "q", "q closes what was opened last. With nothing open it quits."),
    Step("v", "lists the views of the report.", "view", "The same file from other sides.", True),
    Step("Enter", "shows a view: j moves down to Flame, then press Enter.", "view:Flame", "Width is time."),
    Step("?", "lists the keys of this view, then all keys.", "help", "That is all you need to begin.", True),
)

END = "End of the tour. Q quits; `coffeetree FILE` opens your own report."
END_OVER_REPORT = "End of the tour. q closes the help, q again returns to where you were."
"""Last line of a tour that was begun in the browser (`:tour`)."""
