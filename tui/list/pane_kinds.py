"""Tests for panes that are lists or pages of text, without importing their classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeGuard

if TYPE_CHECKING:
    from tui.list.help_pane import HelpPane
    from tui.list.list_pane import ListPane
    from tui.screen.line_widget import Pane


def is_list(pane: Pane) -> TypeGuard[ListPane]:
    """True for a list: typing narrows it, and its rows can be sorted."""
    return pane.is_list


def is_page(pane: Pane) -> TypeGuard[HelpPane]:
    """True for a page of text: typing searches in it."""
    return pane.is_page
