"""Runs one command without the browser and converts its outcome to an exit status. No traceback is printed."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib import import_module
from io import TextIOWrapper
from typing import IO, TYPE_CHECKING, Protocol, runtime_checkable

from parsers.io.cache import Cache
from parsers.model.capability import Capability
from parsers.model.report import ReportError
from parsers.model.view import UnknownReference
from parsers.runtime.opening import open_compared, open_report
from tui.command_line.registry import command_named
from tui.headless.asked import asked_of
from tui.headless.problems import CANNOT, show_problems
from tui.headless.session import CommandSession, Invocation, Output, Remarks, show_private

if TYPE_CHECKING:
    from types import FrameType

    from parsers.model.report import Report
    from tui.command_line.arguments import Arguments


HEAD_ROWS = 100
"""Rows printed if a browser was requested without a terminal."""

AGAIN = 0.02
"""Seconds after which a signal is sent again that could not stop the work."""


class StoppedBySignal(BaseException):
    """Raised by a signal that ends this process."""

    def __init__(self, number: int) -> None:
        self.number = number


class Interrupted(KeyboardInterrupt):
    """Raised by SIGINT. Python's own KeyboardInterrupt, raised in generated code such as that of dataclasses, makes
    Python kill itself with that signal in the end, whatever the exit status
    (`_PyRuntime.signals.unhandled_keyboard_interrupt` of CPython's `pythonrun.c`)."""


class _Heard:
    """The last signal that requested the end of this process."""

    number: int | None = None


def run(arguments: Arguments) -> int:
    """Runs the command; returns the exit status."""
    try:
        with _streams() as (answers, messages), _signals() as heard:
            return _run_command(arguments, answers, messages, heard)
    except StoppedBySignal as stopped:
        return 128 + stopped.number
    except KeyboardInterrupt:
        return 128 + signal.SIGINT


def _run_command(arguments: Arguments, answers: IO[str], messages: IO[str], heard: _Heard) -> int:
    """Runs the command or prints the error; returns the exit status."""
    remarks = Remarks(messages, arguments.is_given("verbose"))
    try:
        output = Output(answers, arguments.is_given("json"), os.environ)
        remarks.before = output.flush
        try:
            status = _with_cache(arguments, output, remarks)
            output.flush()
        finally:
            remarks.before = lambda: None
        return status
    except (ReportError, UnknownReference) as error:
        remarks.show_message(f"coffeetree: {error.args[0] if error.args else error}")
        return CANNOT
    except BrokenPipeError:
        _silence(answers)
        return 128 + signal.SIGPIPE
    except OSError as error:
        _silence(answers)
        remarks.show_message(f"coffeetree: {error.filename or 'writing the answer'}: {error.strerror or error}")
        return CANNOT
    except Exception as error:
        if heard.number is not None:
            # During class creation Python raises another exception instead of the signal's.
            raise StoppedBySignal(heard.number) from error
        remarks.show_message(f"coffeetree: {', '.join(arguments.reports or [arguments.word])}: {_what_happened(error)}")
        return CANNOT


def _with_cache(arguments: Arguments, output: Output, remarks: Remarks) -> int:
    cache = arguments.cache()
    invocation = Invocation(arguments, cache, output, remarks)
    try:
        remarks.detail(f"cache: {cache.folder}")
        if cache.complaint:
            remarks.show_message(f"coffeetree: {cache.complaint}")
        command = command_named(arguments.command)
        if command.opens_reports or not command.has_reports:
            module = import_module(f"tui.headless.commands.{arguments.command}")
            status: int = module.run(invocation)
            return status
        if arguments.command == "export" and arguments.is_given("each"):
            from tui.headless.commands.export_tables import export_each

            return export_each(invocation, lambda path: answer(invocation, [path]))
        if len(arguments.reports) == 1 and os.path.isdir(arguments.reports[0]):
            from tui.headless import folder

            if folder.is_listed(invocation):
                return folder.run(invocation)
        return answer(invocation, arguments.reports)
    finally:
        remarks.done()
        cache.close()


def answer(invocation: Invocation, paths: list[str]) -> int:
    """Opens a report and runs the command; returns 3 if the report is damaged, whatever the answer."""
    whole = _open(invocation.arguments, paths, invocation.cache)
    try:
        arguments, report = asked_of(invocation, whole)
    except BaseException:
        whole.close()
        raise
    show_private(report, arguments)
    session = CommandSession(replace(invocation, arguments=arguments), report)
    try:
        if not arguments.command:
            from tui.headless.commands import tree

            return tree.print_head(session, HEAD_ROWS)
        if arguments.command != "index":
            session.remarks.wait_for(report)
            folder = report.index_folder or "none needed"
            session.remarks.detail(f"{report.format_title}, {report.size:,} bytes, index: {folder}")
        command = import_module(f"tui.headless.commands.{arguments.command}")
        if isinstance(command, ChoosesView):
            command.choose_view(session)
        session.make_views()
        status: int = command.run(session)
        return show_problems(report, paths, session) or status
    except (ReportError, UnknownReference, OSError):
        raise
    except Exception:
        # An unexpected error. If the stored index was damaged, the next opening rebuilds it.
        report.forget_index()
        raise
    finally:
        whole.close()


def _open(arguments: Arguments, paths: list[str], cache: Cache) -> Report:
    """Opens the requested report; for `diff`, the comparison of two."""
    if arguments.command != "diff":
        return open_report(paths, format=arguments.text("format"), cache=cache)
    return open_compared(paths[0], arguments.word, format=arguments.text("format"), cache=cache)


@contextmanager
def _signals() -> Iterator[_Heard]:
    """Makes SIGTERM and SIGHUP unwind the stack, as SIGINT does. Only possible in the main thread."""
    heard = _Heard()
    if threading.current_thread() is not threading.main_thread():
        yield heard
        return

    has_stopped, main, show_ignored = False, threading.get_ident(), sys.unraisablehook

    def stop(number: int, frame: FrameType | None) -> None:
        # Only once: the clean-up must not be interrupted.
        nonlocal has_stopped
        if not has_stopped:
            has_stopped = True
            heard.number = number
            raise StoppedBySignal(number)

    def interrupt(number: int, frame: FrameType | None) -> None:
        heard.number = number
        raise Interrupted

    def ignored(lost: sys.UnraisableHookArgs) -> None:
        # Raised where Python ignores exceptions: in a finaliser, or in callbacks of `import`.
        nonlocal has_stopped
        if not isinstance(lost.exc_value, StoppedBySignal | KeyboardInterrupt):
            show_ignored(lost)
            return
        number = lost.exc_value.number if isinstance(lost.exc_value, StoppedBySignal) else signal.SIGINT
        has_stopped = False
        threading.Timer(AGAIN, signal.pthread_kill, (main, number)).start()

    # Signals ignored because of nohup stay ignored.
    handlers = {signal.SIGINT: interrupt, signal.SIGTERM: stop, signal.SIGHUP: stop}
    heeded = [number for number in handlers if signal.getsignal(number) is not signal.SIG_IGN]
    sys.unraisablehook = ignored
    before = {number: signal.signal(number, handlers[number]) for number in heeded}
    try:
        yield heard
    finally:
        has_stopped = True
        sys.unraisablehook = show_ignored
        for number, handler in before.items():
            signal.signal(number, handler)


@runtime_checkable
class ChoosesView(Protocol, metaclass=Capability):
    """A module of a command that selects its view itself."""

    def choose_view(self, session: CommandSession) -> None:
        """Sets the view of the session."""
        ...


@contextmanager
def _streams() -> Iterator[tuple[IO[str], IO[str]]]:
    """Standard output and error; the null device for closed ones. Characters that they can't encode are escaped."""
    opened: list[IO[str]] = []

    def usable(stream: IO[str] | None) -> IO[str]:
        if stream is None or stream.closed:
            stream = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115  # closed below, with its like
            opened.append(stream)
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
        return stream

    try:
        yield usable(sys.stdout), usable(sys.stderr)
    finally:
        for stream in opened:
            stream.close()


def _silence(stream: IO[str]) -> None:
    """Discards buffered output after the reader is gone, so that the process ends without a message."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    except (OSError, ValueError):
        return


def _what_happened(error: Exception) -> str:
    """An unexpected error in one line, with the place where it was raised."""
    place = error.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    where = f" ({os.path.basename(place.tb_frame.f_code.co_filename)}:{place.tb_lineno})" if place else ""
    return f"unexpected {type(error).__name__}: {error}{where}"
