"""Runs an app on the terminal and always restores the terminal afterwards.

Works with a report piped into standard input and a log on standard error. Served through TEXTUAL_DRIVER, the process
has pipes and a driver of its own; then nothing here touches a terminal.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

from tui.terminal.application import TerminalApp
from tui.terminal.crash import INTERNAL_ERROR, CrashLog
from tui.terminal.driver import TerminalDriver
from tui.terminal.signals import Signals
from tui.terminal.tty import Streams, Terminal

SWITCH = 0.0005
"""Seconds until a waiting thread is scheduled: the threads that read keys and write frames do very little, but with
Python's 5 ms both would wait that long for the event loop."""


def run(app: TerminalApp, *, takes_mouse: bool = True, environ: Mapping[str, str] = os.environ) -> int:
    """Runs an app to its end; returns its exit status, 128 + n after signal n, 70 after a crash."""
    log = CrashLog(environ)
    app.log_of_errors = log
    sys.setswitchinterval(SWITCH)
    try:
        if environ.get("TEXTUAL_DRIVER"):
            run_noting_errors(app, takes_mouse)
        else:
            run_on_terminal(app, takes_mouse, log)
        if app.signals is not None and app.signals.status is not None:
            return app.signals.status
        if log.error is not None:
            write_message(log.message)
            return INTERNAL_ERROR
        return app.return_code or 0
    finally:
        log.close()


def run_on_terminal(app: TerminalApp, takes_mouse: bool, log: CrashLog) -> None:
    """Runs an app on the controlling terminal, and restores the terminal."""
    terminal = Terminal.open()
    streams = Streams(log.descriptor)
    app.terminal, app.streams = terminal, streams
    app.driver_class = TerminalDriver
    app.signals = Signals(app.leave, terminal.reset)
    app.signals.install()
    log.watch()
    streams.hush()
    try:
        run_noting_errors(app, takes_mouse)
    finally:
        if isinstance(app.terminal_driver, TerminalDriver):
            app.terminal_driver.end()
        terminal.reset()
        if not terminal.is_closed:
            streams.restore()
        app.signals.uninstall()
        terminal.close()


def run_noting_errors(app: TerminalApp, takes_mouse: bool) -> None:
    """Runs an app; records an exception instead of raising it."""
    try:
        app.run(mouse=takes_mouse)
    except Exception as error:
        app.crashed(error)


def write_message(message: str) -> None:
    """Prints one line on standard error; errors are ignored."""
    try:
        print(message, file=sys.stderr, flush=True)
    except (OSError, ValueError, AttributeError):
        return
