"""Views that take long to make are made beside: keys go on, and what is chosen last is what is shown."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from conftest import TESTS
from stage import Stage, browsing
from text_samples import open_recording

from parsers.formats.hprof.profiles.views import profile_makers
from parsers.model.view import UnknownReference
from parsers.profile.views import choices as choosing
from parsers.profile.views.call_views import CallView

TEXT = TESTS / "corpus" / "hprof" / "text"
SAMPLES = TEXT / "javac-samples-depth16-thread.txt.xz"


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cache_folder: Path) -> None:
    """Gives each test its own stored state, and builds all views in the background."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr(choosing, "QUICK", 0)


def call_tree() -> CallView:
    view = profile_makers(open_recording(str(SAMPLES)))["Call tree"]()
    assert isinstance(view, CallView)
    return view


def test_a_view_that_is_being_made_has_no_rows() -> None:
    view = call_tree()

    preparation = view.preparation()

    assert preparation is not None
    assert not view.is_ready and not len(view.tree.roots()) and view.find_key(("method", "main")) is None
    assert view.waits_for == "merging 573 traces"
    with pytest.raises(UnknownReference):
        view.resolve("node:0")
    assert view.preparation() is None


def test_background_results_equal_foreground_results() -> None:
    view, other = call_tree(), call_tree()
    preparation = view.preparation()
    assert preparation is not None

    preparation.run()

    assert preparation.finish()
    assert view.is_ready and view.is_prepared and view.preparation() is None
    assert [view.row(node) for node in range(200)] == [other.row(node) for node in range(200)]


def test_a_choice_made_meanwhile_makes_it_again() -> None:
    view = call_tree()
    preparation = view.preparation()
    assert preparation is not None
    view.choose("merge", "by class")
    preparation.run()

    assert not preparation.finish()
    again = view.preparation()
    assert again is not None
    again.run()
    assert again.finish()
    assert view.row(0).kind in ("class", "unknown")


@asynccontextmanager
async def profile(size: tuple[int, int] = (116, 24)) -> AsyncIterator[Stage]:
    async with browsing(SAMPLES, size) as stage:
        await stage.until(lambda: stage.browser.report.is_complete and stage.browser.tree_view.row_count)
        yield stage


async def test_the_first_view_comes_when_it_is_made() -> None:
    async with profile() as stage:
        assert stage.browser.view.name == "CPU samples"
        assert "Attr$ResultInfo.check" in stage.screen()


async def test_another_view_is_shown_when_it_is_made() -> None:
    async with profile() as stage:
        stage.browser.interaction.viewing.show_view("Callers")
        assert stage.browser.view.name == "CPU samples"
        assert stage.status == "Callers: merging 573 traces …"
        await stage.until(lambda: stage.browser.view.name == "Callers")
        assert stage.browser.tree_view.row_count


async def test_of_two_views_the_last_one_is_shown() -> None:
    async with profile() as stage:
        stage.browser.interaction.viewing.show_view("Callers")
        stage.browser.interaction.viewing.show_view("Call tree")
        await stage.until(lambda: stage.browser.view.name == "Call tree")
        await stage.quiet()
        assert stage.browser.view.name == "Call tree"


async def test_the_cursor_stays_on_its_method_when_switches_change() -> None:
    async with profile() as stage:
        await stage.press("g j")
        before = stage.name
        stage.browser.interaction.viewing.switch("t", "main 200001")
        assert not stage.browser.view.is_ready
        await stage.until(lambda: stage.browser.view.is_ready and stage.browser.tree_view.row_count)
        assert stage.name == before
        await stage.press("f m j Enter")
        await stage.until(lambda: stage.browser.view.is_ready and stage.browser.tree_view.row_count)
        assert (stage.row.kind, stage.row.label) == ("class", "com.sun.tools.javac.comp.Resolve")


async def test_the_list_of_views_makes_none() -> None:
    async with profile() as stage:
        await stage.press("v")
        assert "Callers" in stage.screen()
        assert not stage.browser.report.view("Callers").is_prepared  # type: ignore[attr-defined]  # of profiles
