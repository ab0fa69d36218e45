"""What is chosen of the switches of a view. Views with switches derive from it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from parsers.model.report import Switch


class SwitchableView:
    """Derived ones say `switches`; whatever they have worked out for other choices stands in cached properties."""

    def __init__(self) -> None:
        self._chosen: dict[str, str] = {}

    @property
    def switches(self) -> tuple[Switch, ...]:
        """What can be chosen now."""
        return ()

    @property
    def chosen(self) -> Mapping[str, str]:
        """What is chosen, by the name of the switch."""
        found = {}
        for switch in self.switches:
            choice = self._chosen.get(switch.name, switch.choices[0])
            found[switch.name] = choice if choice in switch.choices else switch.choices[0]
        return found

    def meant(self, name: str, text: str) -> str | None:
        """The choice of a switch that a text names, or which may be typed so; None: there is none."""
        choices = next((each.choices for each in self.switches if each.name == name), ())
        return text if text in choices else None

    def choose(self, name: str, choice: str) -> None:
        """Makes the view in another way: its nodes are others then. Raises `KeyError` for what isn't there."""
        meant = self.meant(name, choice)
        if meant is None:
            raise KeyError(f"{name} {choice}")
        if self.chosen[name] != meant:
            self._chosen[name] = meant
            self._forget()

    def choose_all(self, chosen: Mapping[str, str]) -> bool:
        """Chooses all of these, and of the other switches what is first; what isn't there is passed by.

        False: the view is as it was.
        """
        before, now = dict(self.chosen), self._chosen
        self._chosen = {name: self.meant(name, choice) or choice for name, choice in chosen.items()}
        if dict(self.chosen) == before:
            self._chosen = now
            return False
        self._forget()
        return True

    def choice(self, name: str) -> str:
        """What is chosen of one switch; empty if there is no such one."""
        return self.chosen.get(name, "")

    def _forget(self) -> None:
        """All that was worked out for other choices."""
        for name in list(self.__dict__):
            if isinstance(getattr(type(self), name, None), cached_property):
                del self.__dict__[name]
