"""The prompts of filters: a row pattern, and patterns to suppress and expand."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from tui.interaction.prompts.prompt import Purpose
from tui.interaction.target import row_pane

if TYPE_CHECKING:
    from parsers.model.names.patterns import Subject
    from parsers.model.view import Switch
    from tui.interaction.filters.filter_set import FilterSet
    from tui.interaction.report_screen import ReportScreen
    from tui.interaction.screen_interaction import ScreenInteraction


@dataclass(eq=False)
class FilterPrompts:
    """Prompts for the filters of one browser."""

    browser: ReportScreen
    interaction: ScreenInteraction
    filters: FilterSet

    def open_filter(self) -> None:
        """Opens the prompt for a row pattern (`&`)."""
        self.interaction.open_prompt(
            Purpose(
                "show only: ",
                accept=self._accept_filter,
                complete=partial(self.interaction.setup.typed.completions, "search"),
                history="search",
                proposal=self.filters.shown.state.pattern,
            )
        )

    def _accept_filter(self, text: str) -> None:
        self.interaction.setup.typed.add("search", text)
        self.filters.shown.set_pattern(text)

    def open_choice(self, switch: Switch, choose: Callable[[str], object]) -> None:
        """Prompts for a choice that is typed, such as a time range."""
        self.interaction.open_prompt(
            Purpose(f"{switch.title}, {switch.typed}: ", accept=lambda text: choose(text.strip()))
        )

    def open_patterns(self, verb: str, text: str) -> None:
        """Sets the patterns given on the command line, or prompts with a proposal for the row (`fs` etc.)."""
        subject, proposal = self.proposal(verb)
        option = verb if verb.endswith("_roots") else f"{verb}_{subject}"
        if text:
            self.filters.shown.set_patterns(option, text)
            return
        self.filters.shown.require_bounded()
        given = self.filters.shown.state.patterns.get(option, "")
        if proposal in given.split(","):
            proposal = ""
        if given and proposal:
            given += ","
        self.interaction.open_prompt(
            Purpose(
                f"{option.replace('_', ' ')}: ",
                accept=lambda typed: self._accept_patterns(option, typed.strip(" ,")),
                history=f"patterns-{verb}",
                text=given,
                proposal=proposal,
            )
        )

    def _accept_patterns(self, option: str, text: str) -> None:
        self.interaction.setup.typed.add(f"patterns-{option.rpartition('_')[0]}", text)
        self.filters.shown.set_patterns(option, text)

    def proposal(self, verb: str) -> tuple[str, str]:
        """The subject of this report's patterns, and the pattern that fits the row under the cursor."""
        place = row_pane(self.browser).place()
        view = place[0] if place is not None else self.browser.view
        patterns: Mapping[Subject, str] = {} if place is None else view.patterns(place[1])
        if verb.endswith("_roots"):
            return "roots", patterns.get("roots", "")
        subject: Subject = next((each for each in ("types", "methods") if each in patterns), view.pattern_subject)
        return subject, patterns.get(subject, "")
