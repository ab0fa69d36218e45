"""Profiles that were cut, changed and glued: whatever is left is shown, and everything leads somewhere."""

from __future__ import annotations

import lzma
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import TESTS

from parsers.io.cache import Cache
from parsers.model.report import Report, ReportError
from parsers.model.view import View
from parsers.runtime.opening import open_report

CORPUS = TESTS / "corpus"
SAMPLES = [
    CORPUS / "jdkprofilers" / "xprof_mixed.txt",
    CORPUS / "jdkprofilers" / "xprof_noisy_small.txt",
    CORPUS / "jdkprofilers" / "SYNTH_xaprof.txt",
    CORPUS / "jdkprofilers" / "SYNTH_jdk11_java.prof.xz",
    CORPUS / "hprof" / "text" / "quit-samples.txt.xz",
    CORPUS / "hprof" / "text" / "deadlock-quit.txt.xz",
    CORPUS / "hprof" / "text" / "profiletest-times.txt.xz",
    CORPUS / "hprof" / "text" / "profiletest-sites-samples.txt.xz",
]
MOST = 20_000
"""Bytes of a sample that are used, from its beginning and from its end."""


def content(path: Path) -> bytes:
    data = lzma.decompress(path.read_bytes()) if path.suffix == ".xz" else path.read_bytes()
    return data if len(data) <= 2 * MOST else data[:MOST] + data[-MOST:]


def damaged(data: bytes, other: bytes, chance: random.Random) -> Iterator[bytes]:
    """Draws a damaged profile: truncated, with changed bytes, with a missing piece, with another profile after it."""
    yield data[: chance.randrange(len(data))]
    changed = bytearray(data)
    for _ in range(30):
        changed[chance.randrange(len(changed))] = chance.choice(b"\n\r %+0()\xff.9/-\x00")
    yield bytes(changed)
    at = chance.randrange(len(data))
    yield data[:at] + data[at + chance.randrange(1, 3000) :]
    yield data + other
    yield data[: chance.randrange(len(data))] + other + data[chance.randrange(len(data)) :]


def walk(report: Report, view: View) -> None:
    """Everything that can be asked of some rows of a view."""
    tree = view.tree
    roots, targets = [*tree.roots()][:15], set[tuple[str, str | None]]()
    for order in view.orders:
        assert len(tree.roots(order)) == len(tree.roots())
    for node in [*roots, *(child for root in roots for child in [*tree.children(root)][:4])]:
        row = tree.row(node)
        assert view.path(node)[-1] == node
        # Groups below a method have its REF.
        assert tree.row(view.resolve(row.ref)).label == row.label or node not in roots
        in_sections = (each for part in view.sections(node) for each in part.rows if each.ref is not None)
        targets.update((each.view or view.name, each.ref) for each in (*view.links(node), *in_sections))
        found = view.references(node)
        assert all(report.view(found.view).tree.row(each) is not None for each in found.nodes[:3])
    for name, ref in targets:
        of = report.view(name)
        assert of.tree.row(of.resolve(ref)) is not None


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name.partition(".")[0])
def test_damaged_profiles_are_shown(path: Path, tmp_path: Path) -> None:
    chance = random.Random(path.name)
    for number, data in enumerate(damaged(content(path), content(chance.choice(SAMPLES)), chance)):
        file = tmp_path / f"damaged-{number}"
        file.write_bytes(data)
        try:
            report = open_report([str(file)], cache=Cache(keep=False))
        except ReportError:
            # Too little is left to recognise the format.
            continue
        try:
            report.wait()
            for view in report.views:
                walk(report, view)
            assert all(0 <= problem.offset <= len(data) for problem in report.problems if problem.offset is not None)
        finally:
            report.close()
