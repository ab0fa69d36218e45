"""The command `coffeetree`: reads its words and imports only the modules for them."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress

from tui.app.arguments import VERSION, UsageError, help_text, parse

USAGE = 2
"""Exit status for an invalid command line, or a file that it names and that can't be opened."""

INTERRUPTED = 130
"""Exit status after SIGINT."""


def main(words: Sequence[str] | None = None) -> int:
    """Runs the command; returns the exit status. `words` None: those of this process."""
    if words is None:
        # Most objects live as long as the command: examining them after each 700 new ones takes up to a third of it.
        gc.set_threshold(20_000)
    try:
        return _run(sys.argv[1:] if words is None else words)
    except KeyboardInterrupt:
        return INTERRUPTED


def _run(words: Sequence[str]) -> int:
    try:
        arguments = parse(words)
    except UsageError as error:
        _complain(str(error))
        return USAGE
    if arguments.is_given("version") or arguments.is_given("help"):
        text = help_text(arguments.command) if arguments.is_given("help") else f"coffeetree {VERSION}"
        return _print(text)
    as_text = any(map(arguments.is_given, ("json", "jvms", "once")))
    is_shown = not arguments.command or (arguments.command in ("listen", "watch") and not as_text)
    if is_shown and has_terminal(os.environ):
        # Imported objects are permanent. Examining them repeatedly takes a fifth of the time to the first screen, and
        # later longer than a frame may: `tui.app.garbage` does it in idle moments.
        gc.disable()
        from tui.app.start import browse, listen, watch

        if arguments.command:
            return listen(arguments) if arguments.command == "listen" else watch(arguments)
        return browse(arguments.reports, arguments)
    if arguments.command == "dump" and arguments.word and not arguments.is_given("json") and has_terminal(os.environ):
        from tui.app.start import browse_dump

        return browse_dump(arguments)
    from tui.headless.run import run

    return run(arguments)


def has_terminal(environment: Mapping[str, str]) -> bool:
    """True if the browser can be shown: on a terminal that can draw, or through a web page."""
    if environment.get("TEXTUAL_DRIVER"):
        return True
    if environment.get("TERM", "dumb") in ("dumb", "") or not _is_terminal(1):
        return False
    try:
        os.close(os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY))
    except OSError:
        return False
    return True


def _is_terminal(descriptor: int) -> bool:
    try:
        return os.isatty(descriptor)
    except OSError:
        return False


def _print(text: str) -> int:
    """Prints a text of the program; returns the exit status."""
    try:
        if sys.stdout is not None:
            print(text)
            sys.stdout.flush()
    except OSError as error:
        # Discard buffered output, else Python would report an error again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        if not isinstance(error, BrokenPipeError):
            _complain(f"writing the answer: {error.strerror}")
            return USAGE
    return 0


def _complain(text: str) -> None:
    """Prints one line on standard error, if that is open."""
    from tui.screen.sanitise import safe

    if sys.stderr is not None:
        with suppress(OSError):
            print(f"coffeetree: {safe(text)}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
