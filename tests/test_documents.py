"""The documents: their commands run, and the options, views, keys, links and pictures that they name exist."""

from __future__ import annotations

import importlib.util
import lzma
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from conftest import ROOT, TESTS, Answer

from parsers.formats.graalvm.builds.comparable import INTRODUCED_BY_VIEW
from tui.command_line.arguments import parse
from tui.command_line.registry import COMMANDS, OPTIONS, REFERENCES
from tui.input.keys.keymap import Keymap
from tui.input.keys.name import parse_sequence
from tui.input.keys.registry import every_command
from tui.settings.config import configure
from tui.settings.options import OPTION_HELP, Options

DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.glob("*.md"))]
WRITTEN = [page for page in PAGES if page.stem not in ("keys", "sql")]
"""Pages that are not made of declarations."""
LINKED = [*PAGES, ROOT / "ARCHITECTURE.md", ROOT / "CONTRIBUTING.md", *sorted((DOCS / "formats").glob("*.md"))]
FOR_DEVELOPERS = [page for page in LINKED if page not in PAGES]
CORPUS = TESTS / "corpus"

SAMPLES = {
    "call_tree.txt": "graalvm/real_23.0_h2/reports/call_tree_h2shell_20261121_024827.txt.xz",
    "object_tree.txt": "graalvm/real_23.0_h2/reports/object_tree_h2shell_20261121_024828.txt.xz",
    "reports": "graalvm/real_23.0_h2/reports",
    "monday": "graalvm/real_23.0_first_build/reports",
    "friday": "graalvm/real_23.0_second_build/reports",
    "hotspot.log": "hotspot/work_tiered_17.log.xz",
    "java.hprof.txt": "hprof/text/javac-samples-depth16-thread.txt.xz",
    "old.hprof.txt": "hprof/text/profiletest-samples-thread.txt.xz",
    "deadlock.hprof.txt": "hprof/text/deadlock-quit.txt.xz",
    "heap.hprof": "hprof/heap/jdk25-virtual-threads.hprof.xz",
    "old.hprof": "hprof/heap/jdk17-zgc.hprof.xz",
    "recording.trcxml": "tptp/gen_all_10M.trcxml.xz",
    "monday.trcxml": "tptp/gen_exec.trcxml",
    "threads.trcxml": "tptp/agent_thread.trcxml",
    "app.jfr": "jfr/jdk25-profile.jfr.xz",
    "old.jfr": "jfr/jdk25-all.jfr.xz",
}
"""Sample of the corpus for each report that commands of the documents name."""

MORE_SAMPLES = (
    "hprof/text/profiletest-times.txt.xz",
    "hprof/text/profiletest-sites.txt.xz",
    "hprof/binary/agent-orders.hprof.xz",
    "jdkprofilers/profiletest-old.txt.xz",
    "jdkprofilers/xprof_profiletest.txt",
    "jfr/jdk25-methods.jfr.xz",
)
"""Samples of further formats, for the names of their views."""

STATUSES = {"diff": 1, "check": 1}
"""Exit statuses other than 0: the builds differ, and the first rule of `rules.md` is broken."""

TERMS = {"Security → Code scanning", "Introduced by"}
"""Words in italics that are not views."""


def code_blocks(page: Path, language: str) -> Iterator[str]:
    """The texts of the fenced blocks in a language."""
    yield from re.findall(rf"^```{language}\n(.*?)^```", page.read_text("utf-8"), re.DOTALL | re.MULTILINE)


def prose_of(page: Path) -> str:
    """The text of a page without its fenced blocks."""
    return re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)


def commands_of(page: Path) -> Iterator[str]:
    """The commands of the shell blocks of a page that run Coffeetree, up to a pipe, redirection or comment."""
    for block in code_blocks(page, "sh"):
        for line in block.splitlines():
            parts = (part.split() and part.strip() for part in re.split(r" [|>]+ |  #", line))
            yield from (part for part in parts if part and re.match(r"coffeetree\b", part))


COMMAND_LINES = sorted({command for page in PAGES for command in commands_of(page)})
TESTED = [line for line in COMMAND_LINES if not re.match(r"coffeetree (listen|watch|dump|-$)", line)]


@pytest.fixture(scope="session")
def workplace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the reports that the documents name, and the rules of `rules.md`."""
    folder = tmp_path_factory.mktemp("documents")
    for name, sample in SAMPLES.items():
        source = CORPUS / sample
        shutil.copytree(source, folder / name) if source.is_dir() else shutil.copyfile(source, folder / name)
    (folder / "target" / "reports").mkdir(parents=True)
    (folder / "rules.toml").write_text(next(code_blocks(DOCS / "rules.md", "toml")), "utf-8")
    (folder / "baseline.toml").write_text("", "utf-8")
    return folder


@pytest.mark.parametrize("command", TESTED)
def test_a_command_of_the_documents_succeeds(
    command: str, workplace: Path, coffeetree: Callable[..., Answer], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(workplace)
    words = shlex.split(command)[1:]
    if words[:2] == ["sql", "builds"]:
        export = next(line for line in TESTED if "--to parquet builds" in line)
        assert coffeetree(*shlex.split(export)[1:], "--force").status == 0
    answer = coffeetree(*words, *(["--force"] if words[:1] == ["export"] else []))
    assert answer.status == STATUSES.get((words or [""])[0], 0), answer.err
    assert answer.out or "--to" in words


def test_the_answer_in_the_text_about_rules_is_that_of_the_program(
    workplace: Path, coffeetree: Callable[..., Answer], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(workplace)
    answer = coffeetree("check", "reports/", "--rules", "rules.toml").out.splitlines()
    shown = next(code_blocks(DOCS / "rules.md", "text")).splitlines()
    assert [line for line in shown if line != "…" and line not in answer] == []


@pytest.mark.parametrize("command", [line for line in COMMAND_LINES if line.split()[1:2] in (["listen"], ["watch"])])
def test_a_command_that_waits_begins_and_can_be_stopped(command: str, workplace: Path) -> None:
    words = ["0" if word == "7777" else word for word in shlex.split(command)[1:]]
    with subprocess.Popen(
        [sys.executable, "-m", "tui", *words],
        cwd=workplace,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        text=True,
    ) as process:
        assert process.stdout is not None
        assert "wait" in (line := process.stdout.readline()) or "listening" in line
        process.terminate()
        assert process.wait(60) == 128 + signal.SIGTERM


def test_a_report_is_read_from_a_pipe(workplace: Path) -> None:
    command = [sys.executable, "-m", "tui", "-"]
    with lzma.open(workplace / "java.hprof.txt") as file:
        answer = subprocess.run(command, input=file.read(), cwd=ROOT, capture_output=True, timeout=60, check=True)
    assert b"CPU samples" in answer.stdout


@pytest.mark.parametrize("command", [line for line in COMMAND_LINES if line.split()[1:2] == ["dump"]])
def test_a_command_for_running_jvms_is_a_valid_one(command: str) -> None:
    assert parse(shlex.split(command)[1:]).command == "dump"


def test_each_command_is_described() -> None:
    page = (DOCS / "command-line.md").read_text("utf-8")
    assert [command.name for command in COMMANDS if f"\n| `{command.name}" not in page] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_options_in_the_text_of_a_page_exist(page: Path) -> None:
    known = {f"--{option.name}" for option in OPTIONS}
    spans = " ".join(re.findall(r"`([^`\n]+)`", prose_of(page)))
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", spans)) <= known


def test_the_views_in_the_text_exist(workplace: Path, coffeetree: Callable[..., Answer]) -> None:
    reports = [*(workplace / name for name in SAMPLES), *(CORPUS / name for name in MORE_SAMPLES)]
    views = {view["name"] for report in reports for view in coffeetree("info", "--json", report).json["views"]}
    assert views > {"Call tree", "Suspects"}
    text = "\n".join(re.sub(r"`[^`\n]+`", "", prose_of(page)) for page in PAGES if page.stem != "keys")
    named = set(re.findall(r"\*([^\s*][^*\n]*)\*", text))
    assert "Suspects" in named
    assert named - views - {INTRODUCED_BY_VIEW} - TERMS == set()


@pytest.mark.parametrize(
    "page", [page for page in PAGES if page.stem not in ("keys", "sql")], ids=lambda page: page.stem
)
def test_the_keys_and_commands_in_the_text_exist(page: Path) -> None:
    registry = every_command()
    keymaps = [Keymap(registry.of(context)) for context in ("browser", "picker", "listening")]
    keys = set(re.findall(r"`([A-Za-z?!=&<>]{1,2})`", prose_of(page)))
    commands = set(re.findall(r"`:([a-z-]+)", prose_of(page)))
    unknown = {key for key in keys if not any(any(keymap.find(parse_sequence(key))) for keymap in keymaps)}
    assert unknown == set()
    assert commands - {command.name for command in registry} - REFERENCES.keys() == set()


def test_each_option_of_the_browser_is_described() -> None:
    page = (DOCS / "configuration.md").read_text("utf-8")
    assert [name for name in OPTION_HELP if f"\n| `{name}` |" not in page] == []


def test_the_configuration_in_the_text_is_a_valid_one(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text(next(code_blocks(DOCS / "configuration.md", "toml")), "utf-8")
    _, wrong = configure(path, Options(), every_command())
    assert [line for line in wrong if "from now on" not in line] == []


@pytest.mark.parametrize(("name", "target"), [("keys", "keys"), ("sql", "tables")])
def test_pages_made_of_declarations_are_up_to_date(name: str, target: str) -> None:
    specification = importlib.util.spec_from_file_location(f"make_{name}", DOCS / "make" / f"{name}.py")
    assert specification is not None and specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    assert (DOCS / f"{name}.md").read_text("utf-8") == module.page(), f"run `make {target}`"


def anchors_of(page: Path) -> set[str]:
    """The anchors of the headings of a page."""
    headings = re.findall(r"^#+ (.*)$", prose_of(page), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", LINKED, ids=lambda page: page.stem)
def test_the_links_and_pictures_of_a_page_exist(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", prose_of(page)):
        path, _, anchor = target.partition("#")
        linked = page.parent / path if path else page
        assert linked.exists(), target
        assert not anchor or anchor in anchors_of(linked), target


def in_code(text: str, pattern: str) -> list[str]:
    """The words in code font that are of a pattern as a whole."""
    return [word for word in re.findall(r"`([^`]+)`", text) if re.fullmatch(pattern, word)]


@pytest.mark.parametrize("page", FOR_DEVELOPERS, ids=lambda page: page.stem)
def test_the_modules_and_folders_of_a_page_for_developers_exist(page: Path) -> None:
    text = prose_of(page)
    folder = re.search(r"Folder:\s+`([\w/]+)`", text)
    near = [ROOT, ROOT / "parsers", *([ROOT / folder[1]] if folder else [])]
    for name in in_code(text, r"[\w./]+\.py|[\w/]+/"):
        found = next((place / name for place in near if (place / name).exists()), None)
        assert found is not None, name
        # Files named after it may be of the same folder, or of those above it.
        near += [found, found.parent, found.parent.parent]
    for name in in_code(text, r"python -m [\w.]+"):
        assert importlib.util.find_spec(name.split()[-1]), name


@pytest.mark.parametrize("page", FOR_DEVELOPERS, ids=lambda page: page.stem)
def test_the_names_of_a_page_for_developers_are_in_the_code(page: Path, names_in_code: set[str]) -> None:
    named = in_code(prose_of(page), r"(?!\w+\.(?:c|cpp|h|prof)$)[A-Za-z_][\w.]*(?:\(\))?")
    assert sorted({part for name in named for part in re.findall(r"\w+", name)} - names_in_code) == []


@pytest.fixture(scope="module")
def names_in_code() -> set[str]:
    """All words of the modules, the C file and the settings of the project."""
    folders = ("parsers", "tui", "kernel_build", "release", "bench", "tests")
    files = [path for folder in folders for path in (ROOT / folder).rglob("*.[pc]*") if path.suffix in (".py", ".c")]
    files += [ROOT / "pyproject.toml", ROOT / "Makefile"]
    return {word for path in files for word in (path.stem, *re.findall(r"\w+", path.read_text("utf-8")))}


def test_each_picture_is_shown_and_loads_nothing() -> None:
    shown = {name for page in PAGES for name in re.findall(r"pictures/([\w-]+\.svg)", page.read_text("utf-8"))}
    pictures = {path.name: path.read_text("utf-8") for path in (DOCS / "pictures").iterdir()}
    assert shown == set(pictures)
    assert [name for name, text in pictures.items() if re.search(r"url\((?!#)|/tmp/|@font-face", text)] == []


def test_the_first_page_is_short() -> None:
    lines = (ROOT / "README.md").read_text("utf-8").splitlines()
    assert len(lines) <= 160
    assert max(map(len, lines)) <= 120


def test_each_page_is_in_the_navigation_of_the_site() -> None:
    navigation = (ROOT / "mkdocs.yml").read_text("utf-8")
    pages = [path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")]
    assert [page for page in pages if f": {page}\n" not in navigation] == []


def test_the_theme_of_the_site_loads_nothing_from_the_network() -> None:
    configuration = (ROOT / "mkdocs.yml").read_text("utf-8")
    assert "name: mkdocs\n  highlightjs: false\n" in configuration
    assert "http" not in configuration


def test_the_blocks_of_the_notebook_run_in_order(workplace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(workplace)
    names: dict[str, object] = {}
    for block in code_blocks(DOCS / "notebook.md", "python"):
        exec(block, names)
    assert str(names["ref"]).startswith("object:0x")
