"""The choices of a view's switches. Views with switches derive from it."""

from __future__ import annotations

from collections.abc import Mapping

from parsers.model.late.cached import forget
from parsers.model.view import Switch


class SwitchableView:
    """A view with switches. Derived classes define `switches`; cached properties hold what depends on choices."""

    _chosen: Mapping[str, str] = {}

    @property
    def switches(self) -> tuple[Switch, ...]:
        """The switches available now."""
        return ()

    @property
    def chosen(self) -> Mapping[str, str]:
        """The choice of each switch, by its name."""
        return {switch.name: self._choice_of(switch) for switch in self.switches}

    def _choice_of(self, switch: Switch) -> str:
        choice = self._chosen.get(switch.name, switch.choices[0])
        return choice if choice in switch.choices else switch.choices[0]

    def meant(self, name: str, text: str) -> str | None:
        """The choice of a switch that a text names, or that may be typed so; None: there is none."""
        choices = next((each.choices for each in self.switches if each.name == name), ())
        return text if text in choices else None

    def choose(self, name: str, choice: str) -> None:
        """Sets a switch; all nodes change. Raises `KeyError` for an unknown name or choice."""
        meant = self.meant(name, choice)
        if meant is None:
            raise KeyError(f"{name} {choice}")
        if self.chosen[name] != meant:
            self._chosen = {**self._chosen, name: meant}
            self._forget()

    def choose_all(self, chosen: Mapping[str, str]) -> bool:
        """Sets these switches and resets the others; unknown ones are ignored.

        False: nothing changed.
        """
        before, now = dict(self.chosen), self._chosen
        self._chosen = {name: self.meant(name, choice) or choice for name, choice in chosen.items()}
        if dict(self.chosen) == before:
            self._chosen = now
            return False
        self._forget()
        return True

    def choice(self, name: str) -> str:
        """The choice of one switch; empty if there is no such switch."""
        return self.chosen.get(name, "")

    def _forget(self) -> None:
        """Clears everything that was computed for other choices."""
        forget(self)
