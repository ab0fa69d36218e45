"""Makes the pictures of the documents: the real application, on the real samples, driven by keys.

Each scene is a report, a size, and the keys that lead to the screen. `make pictures` writes SVGs to `docs/pictures`.
"""

from __future__ import annotations

import asyncio
import lzma
import os
import re
import socket
import sys
import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PICTURES = ROOT / "docs" / "pictures"
sys.path.insert(0, str(ROOT / "tests" / "support"))

from stage import Stage  # noqa: E402

from parsers.io.cache import Cache  # noqa: E402
from parsers.model.report import Report  # noqa: E402
from parsers.reporting.comparison.compared_report import compared  # noqa: E402
from parsers.runtime.live.address import Address  # noqa: E402
from parsers.runtime.live.client import Listening  # noqa: E402
from tui.app.app import CoffeetreeApp  # noqa: E402
from tui.app.start import open_paths, picker  # noqa: E402
from tui.live.listen_screen import ListenScreen  # noqa: E402
from tui.live.watch import Watch  # noqa: E402
from tui.screen.palettes import PALETTES  # noqa: E402

CORPUS = ROOT / "tests" / "corpus"
SAMPLES = CORPUS / "graalvm"
LOG = CORPUS / "hotspot" / "work_tiered_17.log.xz"
PROFILE = CORPUS / "hprof" / "text" / "javac-samples-depth30.txt.xz"
LOCKS = CORPUS / "hprof" / "text" / "deadlock-quit.txt.xz"
HEAP = CORPUS / "hprof" / "text" / "graph-dump.txt.xz"
DUMP = CORPUS / "hprof" / "heap" / "jdk17.hprof.xz"
ORDERS = CORPUS / "hprof" / "binary" / "agent-orders.hprof.xz"
THREADS = CORPUS / "tptp" / "agent_thread.trcxml"
LISTEN = ROOT / "listen"
"""Used instead of a report: the screen that waits for JVMs, two of which have connected."""
PORT, PEERS = 7777, (51_374, 51_390)
STORED = "~/.local/state/coffeetree/live"
STORED_AT = "2026-11-21T10-15-00"
"""Shown as the folder of the streams, and as the beginning of their names."""
FONT_FACE = re.compile(r"\s*@font-face \{.*?\}", re.DOTALL)
"""Fonts that a picture would load from the network."""
H2 = SAMPLES / "real_23.0_h2" / "reports"
CALLS = H2 / "call_tree_h2shell_20261121_024827.txt.xz"
OBJECTS = H2 / "object_tree_h2shell_20261121_024828.txt.xz"
OLD = SAMPLES / "real_23.0_first_build" / "reports" / "call_tree_helloworld_20261121_024453.txt.xz"
NEW = SAMPLES / "real_23.0_second_build" / "reports" / "call_tree_pointsto_HelloWorld_20261121_023932.txt.xz"
BUILD = SAMPLES / "real_23.0_helloworld" / "reports"
CLOSE = ("o", '"jdbcconnection.close"', "Enter")
"""Keys to the declaration of a method."""


def view(name: str) -> tuple[str, ...]:
    """Returns the keys to a view."""
    words = [key for word in name.split() for key in ("space", f'"{word}"')]
    return ":", '"view"', *words, "Enter"


def command(text: str) -> tuple[str, ...]:
    """Returns the keys of a typed command."""
    return ":", " ".join("space" if character == " " else f'"{character}"' for character in text), "Enter"


@dataclass(frozen=True)
class Scene:
    """A screenshot: file name, report, keys, palette, size in cells."""

    name: str
    path: Path
    keys: tuple[str, ...] = ()
    """Keys; the screen settles after each."""
    palette: str = "dark"
    size: tuple[int, int] = (116, 28)
    older: Path | None = None
    """Older report for a comparison."""


SCENES = (
    Scene("call-tree", CALLS, (*CLOSE, "e zz")),
    Scene("call-tree-light", CALLS, (*CLOSE, "e zz"), "light"),
    Scene("call-tree-16-colours", CALLS, (*CLOSE, "e zz"), "ansi-dark"),
    Scene("call-tree-mono", CALLS, (*CLOSE, "e zz"), "mono"),
    Scene("call-tree-narrow", CALLS, (*CLOSE, "e zz"), size=(78, 20)),
    Scene("references", CALLS, (*CLOSE, "r")),
    Scene("why", CALLS, (*CLOSE, "W"), size=(116, 10)),
    Scene("entered-from", CALLS, command("why package:java.util.zip"), size=(116, 24)),
    Scene("callers", CALLS, (*CLOSE, "v", "j", "Enter", "l", "j", "l")),
    Scene("dominators", CALLS, (*view("Dominators"), "g", "l", "j")),
    Scene("cut", CALLS, (*command("cut org.h2.mvstore.MVStore.*"), "D", "j l j l j")),
    Scene("between", CALLS, command("between org.h2.tools.Shell.main* -> java.util.zip.Inflater.inflate*")),
    Scene("builds", NEW, ("E j j j j",), older=OLD),
    Scene("build", BUILD, ("Enter", *view("Classes"), "g", "g", "6 j")),
    Scene("search", CALLS, ("/", '"Transfer.*close"')),
    Scene("types", OBJECTS, ("v", "j", "Enter", "s", "g", "l")),
    Scene("object-tree", OBJECTS),
    Scene("folder", H2),
    Scene("help", CALLS, ("?",)),
    Scene("task", LOG, ("o", '"task:226"', "Enter", "l", "j", "l", "zt")),
    Scene("not-inlined", LOG, (*view("Inlining failures"), "l", "j")),
    Scene("story", LOG, (*view("Story"), "l", "j j j j j j")),
    Scene("compile-time", LOG, (*view("Compile time"), "G", "C")),
    Scene("profile", PROFILE, ("l", "j")),
    Scene("flame", PROFILE, (*view("Flame"), "f k", "f c", "G", "Enter", "g", "j j j")),
    Scene("deadlock", LOCKS, (*view("Monitors"), "g", "E", "j")),
    Scene("suspects", DUMP, (*view("Suspects"), "g", "j j j j"), size=(116, 30)),
    Scene("objects", HEAP, (*view("Classes"), "l", "j")),
    Scene("heap-summaries", ORDERS, (*view("Heap summaries"), "2 8 l")),
    Scene("heap-summaries-mono", ORDERS, (*view("Heap summaries"), "2 8 l"), "mono", (78, 20)),
    Scene("time-line", THREADS, (*view("Time line"), "8 j", "l l l", "+")),
    Scene("time-line-mono", THREADS, (*view("Time line"), "8 j", "l l l", "+"), "mono", (78, 20)),
    Scene("listen", LISTEN, size=(116, 8)),
    Scene("ask", LISTEN, ("A", "j j j j j"), size=(116, 24)),
)


@asynccontextmanager
async def waiting(scene: Scene) -> AsyncIterator[Stage]:
    """Starts the application as `coffeetree listen` does, with connected JVMs."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as ends:
        listening = Listening.start(Address("127.0.0.1", PORT), folder)
        watches: list[Watch] = []

        def screen(app: CoffeetreeApp) -> ListenScreen:
            watches.append(Watch(app, listening, Cache(keep=False)))
            app.call_later(watches[0].start)
            return watches[0].screen

        app = CoffeetreeApp(palette=PALETTES[scene.palette], choose_from=screen)
        async with app.run_test(size=scene.size) as pilot:
            await pilot.pause()
            stage = Stage(app, pilot)
            sent = lzma.decompress(ORDERS.read_bytes())
            for peer, size in zip(PEERS, (len(sent), 20_000), strict=True):
                jvm = ends.enter_context(socket.socket())
                jvm.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                jvm.bind(("127.0.0.1", peer))
                jvm.connect(("127.0.0.1", PORT))
                jvm.sendall(sent[:size])
            await stage.until(lambda: [each.bytes for each in listening.streams] == [len(sent), 20_000])
            await stage.until(lambda: "112 KB" in stage.screen())
            listening.folder = STORED
            for stream in listening.streams:
                stream.path = f"{STORED}/{STORED_AT}{os.path.basename(stream.path)[len(STORED_AT) :]}"
            yield stage
        listening.close()


@asynccontextmanager
async def opened(scene: Scene) -> AsyncIterator[Stage]:
    """Starts the application as `coffeetree PATH` does, without a terminal."""
    cache = Cache()
    path, palette = str(scene.path), PALETTES[scene.palette]
    if scene.path.is_dir():
        app = CoffeetreeApp(palette=palette, choose_from=partial(picker, path, cache, None))
    else:
        reopen: Callable[[], Report] = partial(open_paths, [path], None, cache)
        if scene.older is not None:
            reopen = partial(compared, partial(open_paths, [str(scene.older)], None, cache), reopen)
        report = reopen()
        report.start_index()
        report.wait()
        app = CoffeetreeApp(report, reopen, palette=palette)
    async with app.run_test(size=scene.size) as pilot:
        await pilot.pause()
        yield Stage(app, pilot)
    if app.report is not None:
        app.report.close()
    cache.close()


async def take(scene: Scene) -> str:
    """Returns the SVG of a scene."""
    async with waiting(scene) if scene.path == LISTEN else opened(scene) as stage:
        for keys in scene.keys:
            await stage.press(keys)
            # Answers of the worker arrive at any time; a screenshot shows the last one.
            await asyncio.sleep(1.0)
            await stage.quiet()
        picture = FONT_FACE.sub("", stage.app.export_screenshot(title="coffeetree"))
        # Some viewers drop blanks at the start of a text, even non-breaking ones, without this attribute.
        return picture.replace("<text ", '<text xml:space="preserve" ')


def main(names: list[str]) -> None:
    """Writes the scenes with these names, or all."""
    with tempfile.TemporaryDirectory() as private:
        for kind in ("CACHE", "STATE", "CONFIG"):
            os.environ[f"XDG_{kind}_HOME"] = os.path.join(private, kind.lower())
        os.environ.pop("NO_COLOR", None)
        os.environ["COLORTERM"] = "truecolor"
        for scene in SCENES:
            if not names or scene.name in names:
                (PICTURES / f"{scene.name}.svg").write_text(asyncio.run(take(scene)))
                print(scene.name)


if __name__ == "__main__":
    main(sys.argv[1:])
