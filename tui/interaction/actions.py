"""Requests to the JVM that writes a report: confirmed first if they can do harm, with a typed argument."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parsers.model.capabilities import HasActions
from parsers.model.report import Action
from tui.input.keys.keyboard import CommandError
from tui.interaction.prompts.prompt import Purpose
from tui.screen.sanitise import safe

if TYPE_CHECKING:
    from tui.interaction.report_screen import ShownScreen
    from tui.interaction.screen_interaction import ScreenInteraction


def writer_of(screen: ShownScreen) -> HasActions | None:
    """The source of requests on a screen: the report of a browser, or the JVM under the cursor in a list."""
    found = screen.report if screen.writer is None else screen.writer
    return found if isinstance(found, HasActions) else None


def actions_of(screen: ShownScreen) -> tuple[Action, ...]:
    """The requests that are possible on a screen now."""
    writer = writer_of(screen)
    return () if writer is None else tuple(writer.actions)


def open_action(interaction: ScreenInteraction, name: str, text: str | None = None) -> None:
    """Sends a request: asks for its argument unless given, then shows its dangers."""
    action = next((each for each in actions_of(interaction.screen) if each.name == name), None)
    if action is None:
        names = ", ".join(each.name for each in actions_of(interaction.screen))
        raise CommandError(f"{safe(name)} is not a request" + (f": there are {names}" if names else " here"))
    if action.argument and text is None:
        interaction.open_prompt(
            Purpose(
                f"{action.title}, {action.argument}: ",
                accept=lambda typed: _ask_first(interaction, action, typed),
                proposal=action.default,
            )
        )
    else:
        _ask_first(interaction, action, text or "")


def _ask_first(interaction: ScreenInteraction, action: Action, text: str) -> None:
    if not action.asks:
        _act(interaction, action, text)
        return
    from tui.interaction.prompts.question import ask

    yes = f"yes: {action.title}"
    choices = (
        ("no", lambda: interaction.screen.show_message("Not requested.")),
        (yes, lambda: _act(interaction, action, text)),
    )
    ask(interaction, f"{action.title}?", action.asks, choices)


def _act(interaction: ScreenInteraction, action: Action, text: str) -> None:
    writer = writer_of(interaction.screen)
    if writer is not None:
        interaction.screen.show_message(writer.act(action.name, text, confirmed=bool(action.asks)))
