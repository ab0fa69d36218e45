"""The command `coffeetree`: reads its words and imports only the modules for them."""

from __future__ import annotations

import atexit
import gc
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from io import TextIOWrapper
from typing import IO

from tui.command_line.arguments import Arguments, UsageError, parse
from tui.command_line.registry import HIDDEN

USAGE = 2
"""Exit status for an invalid command line, or a file that it names and that can't be opened."""

INTERRUPTED = 130
"""Exit status after SIGINT."""


def main(words: Sequence[str] | None = None) -> int:
    """Runs the command; returns the exit status. `words` None: those of this process."""
    if words is None:
        # Most objects live as long as the command: examining them after each 700 new ones takes up to a third of it.
        gc.set_threshold(20_000)
        atexit.register(_spare_collections)
        # numpy's linear algebra is unused, and starting its threads would take a tenth of a short command.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        return _run(sys.argv[1:] if words is None else words)
    except KeyboardInterrupt:
        return INTERRUPTED


def _spare_collections() -> None:
    """Exempts all objects from the collections at exit, which take up to a sixth of a command. Without these, DuckDB
    would report its objects as leaks.
    """
    if "duckdb" not in sys.modules:
        gc.freeze()


def _run(words: Sequence[str]) -> int:
    if words[:1] == [HIDDEN]:
        from tui.command_line.completion import complete

        return _print(complete(words[1:]))
    try:
        arguments = parse(words)
        text = _text(arguments)
    except UsageError as error:
        _complain(str(error))
        return USAGE
    if text is not None:
        return _print(text)
    if not arguments.command and not arguments.reports and not _takes_this_folder(arguments):
        from tui.command_line.help_text import short_usage

        return _print(short_usage(), sys.stderr) or USAGE
    if arguments.command == "tour":
        if not has_terminal(os.environ):
            _complain("the tour needs a terminal")
            return USAGE
        from tui.app.start import tour

        return _shown(tour, arguments)
    as_text = any(map(arguments.is_given, ("json", "jvms", "once")))
    is_shown = not arguments.command or (arguments.command in ("listen", "watch") and not as_text)
    if is_shown and has_terminal(os.environ):
        # Imported objects are permanent. Examining them repeatedly takes a fifth of the time to the first screen, and
        # later longer than a frame may: `tui.app.garbage` does it in idle moments.
        gc.disable()
        from tui.app.start import browse, listen, watch

        commands: Mapping[str, Callable[[Arguments], int]] = {"listen": listen, "watch": watch}
        return _shown(commands.get(arguments.command, partial(browse, arguments.reports)), arguments)
    if arguments.command == "dump" and arguments.word and not arguments.is_given("json") and has_terminal(os.environ):
        from tui.app.start import browse_dump

        return _shown(browse_dump, arguments)
    from tui.headless.run import run

    return run(arguments)


def _shown(show: Callable[[Arguments], int], arguments: Arguments) -> int:
    """Runs a command of the browser; returns the exit status."""
    from parsers.model.report import ReportError

    try:
        return show(arguments)
    except ReportError as error:
        _complain(str(error))
        return USAGE


def _text(arguments: Arguments) -> str | None:
    """The text of the program that was requested; None: an answer about a report. Raises `UsageError`."""
    if arguments.is_given("version"):
        from tui.command_line.version import version_text

        return version_text()
    if arguments.is_given("engine"):
        from tui.command_line.version import engine_text

        return engine_text()
    if arguments.is_given("help"):
        from tui.command_line.help_text import help_text

        return help_text(arguments.command)
    if arguments.command == "help" and arguments.word == "man":
        from tui.command_line.man_page import man_page

        return man_page()
    if arguments.command == "help":
        from tui.command_line.help_text import topic_text

        return topic_text(arguments.word)
    if arguments.command == "completion":
        from tui.command_line.completion import script

        return script(arguments.word)
    return None


def _takes_this_folder(arguments: Arguments) -> bool:
    """Makes the current folder the report if it has any; for the browser, which can enter them, also subfolders."""
    from parsers.formats.folder import find_reports
    from parsers.formats.subfolders import has_reports
    from parsers.model.report import ReportError

    try:
        has_any = find_reports(os.curdir) or (has_terminal(os.environ) and has_reports(os.curdir))
        arguments.reports = [os.curdir] if has_any else []
    except ReportError as error:
        _complain(str(error))
    return bool(arguments.reports)


def has_terminal(environment: Mapping[str, str]) -> bool:
    """True if the browser can be shown: on a terminal that can draw, or through a web page."""
    if environment.get("TEXTUAL_DRIVER"):
        return True
    from tui.terminal.tty import is_terminal

    if environment.get("TERM", "dumb") in ("dumb", "") or not is_terminal(1):
        return False
    try:
        os.close(os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY))
    except OSError:
        return False
    return True


def _print(text: str, stream: IO[str] | None = None) -> int:
    """Prints a text of the program; returns the exit status."""
    stream = stream or sys.stdout
    try:
        if stream is not None:
            if isinstance(stream, TextIOWrapper):
                stream.reconfigure(errors="backslashreplace")
            print(text, file=stream, flush=True)
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
