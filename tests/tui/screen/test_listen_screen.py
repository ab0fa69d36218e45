"""JVMs that connect, on the screen: listed, opened while they send, asked, left. Sockets here play the JVM."""

from __future__ import annotations

import socket
import struct
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from heap_summaries import HEADER, summaries, summary
from stage import Stage, browsing

from parsers.io.cache import Cache
from parsers.runtime.live.address import Address
from parsers.runtime.live.client import Listening
from parsers.runtime.opening import open_report
from tui.app.app import CoffeetreeApp
from tui.live.listen_screen import ListenScreen
from tui.live.watch import Watch

HEAP, SAMPLES = 1, 2
"""Flags of CONTROL_SETTINGS."""
GC_COMMAND, SAMPLES_COMMAND, END = b"\x01", b"\x07", b"\xff"
SIGNS_OF_LIFE = b"\x04\x08"
"""Heap summaries and switches."""


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Gives each test its own stored state."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


class Jvm:
    """A fake agent of a JVM, controlled by tests."""

    def __init__(self, address: Address, flags: int = HEAP) -> None:
        self._socket = socket.create_connection((address.host, address.port))
        self.peer = "{}:{}".format(*self._socket.getsockname()[:2])
        self._received = b""
        self._summaries = 0
        self.send(HEADER + struct.pack(">BIIIH", 0x0E, 0, 6, flags, 8))

    def send(self, data: bytes) -> None:
        """Sends some bytes."""
        self._socket.sendall(data)

    def send_summaries(self, count: int) -> None:
        """Sends further heap summaries, one a second."""
        for _ in range(count):
            self._summaries += 1
            number = self._summaries
            self.send(summary(number * 1_000_000, number * 1000, number, number * 2000, number * 2))

    def commands(self) -> bytes:
        """Returns the first byte of each received command, except keep-alive commands."""
        self._socket.setblocking(False)
        try:
            while data := self._socket.recv(65536):
                self._received += data
        except BlockingIOError:
            pass
        finally:
            self._socket.setblocking(True)
        found, at = b"", 0
        while at < len(self._received):
            tag = self._received[at : at + 1]
            found += tag
            if tag == END:
                break
            at += 9 + int.from_bytes(self._received[at + 5 : at + 9])
        return found.translate(None, SIGNS_OF_LIFE)

    def close(self) -> None:
        """The JVM ends."""
        self._socket.close()


class Waiting(Stage):
    """A screen that waits for JVMs."""

    listening: Listening
    watch: Watch

    jvms: list[Jvm]
    """Connected JVMs, referenced to keep them open."""

    @property
    def list_screen(self) -> ListenScreen:
        """The list of JVMs."""
        return self.watch.screen

    async def command(self, line: str) -> None:
        """Types a command."""
        await self.press(":")
        await self.type(line)
        await self.press("Enter")

    async def choose(self, words: str) -> None:
        """Chooses from the list of requests to a JVM."""
        await self.press("A /")
        await self.type(words)
        await self.press("Enter Enter")

    async def connects(self, flags: int = HEAP, count: int = 3) -> Jvm:
        """A JVM that has sent some summaries and is listed."""
        jvm = Jvm(self.listening.address, flags)
        self.jvms.append(jvm)
        jvm.send_summaries(count)
        await self.until(lambda: any(stream.peer == jvm.peer and stream.whole for stream in self.listening.streams))
        self.watch.poll()
        await self.quiet()
        return jvm


@pytest.fixture
async def stage(tmp_path: Path) -> AsyncIterator[Waiting]:
    """`coffeetree listen`, on any port."""
    listening = Listening.start(Address.parse("0"), str(tmp_path / "live"))
    cache, watches = Cache(), list[Watch]()

    def screen(app: CoffeetreeApp) -> ListenScreen:
        watches.append(Watch(app, listening, cache))
        app.asks_before_quitting = watches[0].asks_before_quitting
        app.call_later(watches[0].start)
        return watches[0].screen

    app, jvms = CoffeetreeApp(choose_from=screen), list[Jvm]()
    try:
        async with app.run_test(size=(100, 20)) as pilot:
            stage = Waiting(app, pilot)
            stage.jvms = jvms
            stage.listening, stage.watch = listening, watches[0]
            await pilot.pause()
            yield stage
    finally:
        if app.report is not None:
            app.report.close()
        for jvm in jvms:
            jvm.close()
        listening.close()
        cache.close()


async def test_without_connections_it_shows_how_to_connect(stage: Waiting) -> None:
    address = f"127.0.0.1:{stage.listening.address.port}"
    assert f"waiting for JVMs on {address}" in stage.lines()[0]
    assert f"java -agentlib:hprof=net={address},format=b,cpu=samples" in stage.screen()
    await stage.press("yy")
    assert stage.copied == [f"java -agentlib:hprof=net={address},format=b,cpu=samples"]


async def test_jvms_are_listed_as_they_connect_and_end(stage: Waiting) -> None:
    first = await stage.connects(HEAP)
    second = await stage.connects(SAMPLES)
    assert "2 of 2 connected" in stage.lines()[0]
    assert [line[2:].split()[0] for line in stage.lines()[2:4]] == [first.peer, second.peer]
    assert "3.0 KB" in stage.lines()[2] and "connected" in stage.lines()[2]
    second.close()
    await stage.until(lambda: "ended" in stage.lines()[3])
    assert "1 of 2 connected" in stage.lines()[0]


async def test_a_jvm_is_opened_and_its_chart_grows_while_it_sends(stage: Waiting) -> None:
    jvm = await stage.connects(count=3)
    await stage.press("Enter")
    await stage.until(lambda: stage.browser.view.name == "Heap summaries")
    await stage.press("G")
    assert stage.row.label == "3.000 s"
    jvm.send_summaries(4)
    await stage.until(lambda: stage.browser.tree_view.row_count == 7)
    assert stage.row.label == "7.000 s"
    assert f"JVM {jvm.peer}: connected" in stage.lines()[0]


async def test_while_matches_are_shown_rows_stay_and_the_title_shows_that_there_are_more(stage: Waiting) -> None:
    jvm = await stage.connects(SAMPLES, count=3)
    await stage.press("Enter")
    await stage.until(lambda: stage.browser.view.name == "Heap summaries")
    await stage.press('/ "3.000" Enter')
    jvm.send_summaries(2)
    await stage.until(lambda: "Esc shows more" in stage.lines()[0])
    assert stage.browser.tree_view.row_count == 3
    await stage.press("Esc")
    await stage.until(lambda: stage.browser.tree_view.row_count == 5)
    assert "Esc shows" not in stage.lines()[0]


async def test_a_list_of_views_shows_those_that_have_come(stage: Waiting) -> None:
    jvm = await stage.connects(SAMPLES)
    await stage.press("Enter")
    await stage.until(lambda: stage.browser.view.name == "Heap summaries")
    await stage.until(lambda: stage.browser.report.is_complete)
    await stage.press("v")
    assert "Traces" not in stage.screen(2)
    jvm.send(struct.pack(">BIIIII", 0x05, 0, 12, 300_001, 0, 0))
    await stage.until(lambda: "Traces" in stage.screen(2))


async def test_a_chart_shows_how_a_jvm_is_asked_all_the_time(stage: Waiting) -> None:
    jvm = await stage.connects(HEAP)
    await stage.press("Enter")
    await stage.until(lambda: stage.browser.view.name == "Heap summaries")
    jvm.send_summaries(1)
    await stage.until(lambda: ":ask watch requests them every second" in stage.status)


async def test_a_report_is_left_for_the_list_and_found_again_where_it_was_left(stage: Waiting) -> None:
    await stage.connects(count=5)
    await stage.press("Enter")
    await stage.until(lambda: stage.browser.view.name == "Heap summaries")
    await stage.press("l l q")
    assert "1 of 1 connected" in stage.lines()[0]
    await stage.press("Enter")
    await stage.until(lambda: stage.browser.view.name == "Heap summaries")
    await stage.until(lambda: stage.row.label == "3.000 s")


async def test_an_ended_stream_opens_as_any_file(stage: Waiting) -> None:
    jvm = await stage.connects(count=2)
    jvm.close()
    await stage.until(lambda: "ended" in stage.lines()[2])
    await stage.press("Enter")
    await stage.until(lambda: stage.browser.report.is_complete)
    assert stage.browser.report.totals["heap_summary"] == 2
    await stage.press("A")
    assert "No JVM is connected." in stage.status


async def test_an_ended_jvm_is_not_offered_to_be_asked(stage: Waiting) -> None:
    assert "A ask" not in stage.list_screen.key_line.text
    jvm, other = await stage.connects(), await stage.connects()
    assert "A ask" in stage.list_screen.key_line.text
    await stage.press("Enter")
    await stage.until(lambda: stage.app.browser is not None)
    await stage.until(lambda: "A ask the JVM" in stage.keys)
    jvm.close()
    await stage.until(lambda: "ended" in stage.lines()[0])
    await stage.quiet()
    assert "A ask the JVM" not in stage.keys
    await stage.press("q")
    assert "A ask" not in stage.list_screen.key_line.text
    await stage.press("A")
    assert "This JVM accepts no more requests." in stage.screen()
    await stage.press("j")
    assert "A ask" in stage.list_screen.key_line.text
    other.close()
    await stage.until(lambda: "A ask" not in stage.list_screen.key_line.text)


async def test_a_jvm_is_asked_from_the_list_and_from_its_report(stage: Waiting) -> None:
    jvm = await stage.connects(SAMPLES)
    await stage.command("ask gc")
    await stage.until(lambda: jvm.commands() == GC_COMMAND)
    # It has no answer of its own: the next record shows that it was done.
    jvm.send_summaries(1)
    await stage.press("Enter")
    await stage.until(lambda: stage.app.browser is not None)
    await stage.press("^p")
    await stage.type("collect garbage")
    await stage.press("Enter")
    assert f"asked {jvm.peer}: collect garbage" in stage.status
    await stage.until(lambda: jvm.commands() == GC_COMMAND * 2)


async def test_requests_that_can_end_a_jvm_need_confirmation(stage: Waiting) -> None:
    jvm = await stage.connects()
    await stage.choose("heap dump")
    assert "heap dump?" in stage.lines()[0]
    assert "aborts (status 9) when it exits" in stage.screen()
    assert [line.strip("█ ") for line in stage.lines() if "no" in line.split() or "yes:" in line] == [
        "no",
        "yes: heap dump",
    ]
    await stage.press("Enter")
    await stage.command("ask gc")
    await stage.until(lambda: jvm.commands())
    assert jvm.commands() == GC_COMMAND


async def test_an_argument_is_typed_in_place_of_the_one_that_is_proposed(stage: Waiting) -> None:
    jvm = await stage.connects(SAMPLES)
    await stage.choose("samples so far")
    assert stage.list_screen.interaction.prompt is not None
    await stage.press('"2" Enter')
    assert "'2' is no CUTOFF" in stage.screen()
    await stage.choose("samples so far")
    await stage.press("Enter")
    await stage.until(lambda: jvm.commands() == SAMPLES_COMMAND)


async def test_quitting_shows_the_consequences_for_connected_jvms(stage: Waiting) -> None:
    jvm = await stage.connects()
    await stage.press("q")
    assert "1 JVM is connected: no more requests" in stage.screen()
    await stage.press("j Enter")
    assert stage.app.is_running and "1 of 1 connected" in stage.lines()[0]
    await stage.press("Q Enter")
    assert stage.app.return_code == 0
    words = stage.watch.farewell()
    assert jvm.peer in words and "stored in the background" in words
    await stage.until(lambda: jvm.commands() == END)
    jvm.send_summaries(1)
    jvm.close()
    path = Path(stage.listening.streams[0].path)
    await stage.until(lambda: path.stat().st_size == 31 + 15 + 4 * 33)


async def test_without_connections_it_ends_at_once(stage: Waiting) -> None:
    await stage.press("q")
    assert stage.app.return_code == 0


# -- a report that is read again --------------------------------------------------------------------------------------


async def test_visible_rows_stay_when_the_file_has_grown(tmp_path: Path) -> None:
    path = tmp_path / "a.hprof"
    path.write_bytes(summaries(20))
    async with browsing(path, (70, 20)) as stage:
        await stage.until(lambda: stage.browser.report.is_complete)
        stage.browser.begin()
        stage.browser.interaction.viewing.show_view("Heap summaries")
        await stage.press("l l + j Space f n")
        assert stage.row.label == "2.000 s"
        before = stage.screen(2)

        path.write_bytes(summaries(20) + summary(40_000_000, 1, 1, 1, 1))
        old, report = stage.browser.report, open_report([str(path)], cache=Cache(keep=False))
        report.wait()
        stage.browser.interaction.filters.apply_choices(report.view("Heap summaries"))
        stage.browser.renew_report(report)
        old.close()
        stage.app.report = report
        await stage.quiet()

        assert stage.row.label == "2.000 s"
        assert stage.browser.tree_view.row_count == 21
        assert stage.screen(2).replace("of 21", "of 20") == before
