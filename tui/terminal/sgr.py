"""Conversion of segments to terminal text with a minimum of SGR codes.

Rich writes a whole style before each segment and a reset after it. A `Pen` knows the terminal's present look and sends
only changes, about half the bytes of a screen of short segments. Colours that exist in the palette of 256 are sent by
number, which is shorter than red, green and blue; without colours none is sent, whatever the style. Hyperlinks of a
style are dropped, as they are not used.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

from rich.color import Color, ColorSystem, ColorType
from rich.segment import Segment
from rich.style import Style

from tui.screen.palettes import colours_of
from tui.screen.sanitise import safe
from tui.screen.theme import Palette

ATTRIBUTES: tuple[tuple[str, str], ...] = (
    ("bold", "1"),
    ("dim", "2"),
    ("italic", "3"),
    ("underline", "4"),
    ("blink", "5"),
    ("reverse", "7"),
    ("conceal", "8"),
    ("strike", "9"),
)
"""Supported attributes of a Rich style, with their codes."""

OFF = {"1": "22", "2": "22", "3": "23", "4": "24", "5": "25", "7": "27", "8": "28", "9": "29"}
"""The code that ends an attribute; 22 ends both bold and dim."""

SEEN_ON_BLANKS = frozenset("4789")
"""Attributes visible on a blank; without them only its background counts."""

ERASE_IN_COLOUR = (
    "xterm",
    "tmux",
    "linux",
    "rxvt",
    "kitty",
    "alacritty",
    "foot",
    "konsole",
    "vte",
    "gnome",
    "st-",
    "wezterm",
)
"""Prefixes of TERM for terminals with terminfo's bce (tmux has it, though its entry lacks it)."""

CUBE = {0: 0, 95: 1, 135: 2, 175: 3, 215: 4, 255: 5}
"""Steps of the colour cube in the palette of 256."""


class TextStyle(NamedTuple):
    """The look set on a terminal: codes of attributes, and of the two colours ("39" and "49" are its own)."""

    attributes: frozenset[str]
    front: str
    back: str


PLAIN = TextStyle(frozenset(), "39", "49")


class Pen:
    """Converts text to terminal text; remembers the terminal's look within one frame.

    colours: number of colours of the terminal: 0, 16, 256 or more. erases_in_colour: True if erased cells get the
    present background (terminfo's bce).
    """

    def __init__(self, colours: int, erases_in_colour: bool = False) -> None:
        self.colours = colours
        self.erases_in_colour = erases_in_colour
        self._looks: dict[Style | None, TextStyle] = {}
        self._same: dict[TextStyle, TextStyle] = {}
        self._blanks: dict[TextStyle, TextStyle] = {}
        self.now: TextStyle | None = None
        """The present look of the terminal; None: unknown."""

    def look(self, style: Style | None) -> TextStyle:
        """The look of a style; styles that look the same share one object."""
        look = self._looks.get(style)
        if look is None:
            look = look_of(style, self.colours)
            look = self._looks[style] = self._same.setdefault(look, look)
        return look

    def blank(self, look: TextStyle) -> TextStyle:
        """The visible part of a look on a blank; looks that are the same there share one object."""
        blank = self._blanks.get(look)
        if blank is None:
            seen = look if look.attributes & SEEN_ON_BLANKS else TextStyle(PLAIN.attributes, PLAIN.front, look.back)
            blank = self._blanks[look] = self._same.setdefault(seen, seen)
        return blank

    def can_erase(self, blank: TextStyle) -> bool:
        """True if erased cells can look like these blanks."""
        return not blank.attributes & SEEN_ON_BLANKS and (self.erases_in_colour or blank.back == PLAIN.back)

    def put(self, text: str, look: TextStyle) -> str:
        """The text in this look, at the cursor's position."""
        if not text.isprintable():
            # Last safety net: text that was not made safe is stopped here.
            text = safe(text)
        return self._set(look, text.isspace()) + text

    def erase(self, cells: int, blank: TextStyle) -> str:
        """Blanks from the cursor on, which does not move; 0 cells: to the end of the line."""
        return self._set(blank, True) + (f"\x1b[{cells}X" if cells else "\x1b[K")

    def _set(self, look: TextStyle, is_blank: bool) -> str:
        now = self.now
        if is_blank and now is not None:
            look = look_of_blank(now, look)
        self.now = look
        return change(now, look)

    def write(self, segments: Iterable[Segment]) -> str:
        """The text of segments without control segments, at the cursor's position."""
        return "".join([self.put(text, self.look(style)) for text, style, control in segments if text and not control])


@lru_cache(4096)
def change(now: TextStyle | None, wanted: TextStyle) -> str:
    """The shortest SGR sequence from one look to another; None is unknown."""
    whole = ["0", *sorted(wanted.attributes)]
    whole += [code for code, plain in ((wanted.front, PLAIN.front), (wanted.back, PLAIN.back)) if code != plain]
    if now is None:
        return sequence(whole)
    ended = sorted({OFF[code] for code in now.attributes - wanted.attributes})
    still = now.attributes - {"1", "2"} if "22" in ended else now.attributes
    steps = [*ended, *sorted(wanted.attributes - still)]
    steps += [wanted.front] * (wanted.front != now.front) + [wanted.back] * (wanted.back != now.back)
    return min(sequence(steps), sequence(whole), key=len) if steps else ""


@lru_cache(4096)
def look_of_blank(now: TextStyle, wanted: TextStyle) -> TextStyle:
    """A look whose blanks equal the wanted ones, but closer to the present look."""
    if (now.attributes | wanted.attributes) & SEEN_ON_BLANKS:
        return wanted
    return now._replace(back=wanted.back)


def erases_in_colour(environ: Mapping[str, str]) -> bool:
    """True if the terminal is known to erase with the present background. GNU screen does not."""
    return environ.get("TERM", "").startswith(ERASE_IN_COLOUR) or bool(environ.get("TMUX"))


def pen_for(palette: Palette, environ: Mapping[str, str]) -> Pen:
    """A pen for a palette on the terminal of an environment."""
    colours = 0 if palette.is_mono else max(16, colours_of(environ))
    return Pen(colours, erases_in_colour(environ))


def sequence(codes: list[str]) -> str:
    """The SGR sequence of codes; empty for none. A lone reset is written without its 0."""
    if codes == ["0"]:
        return "\x1b[m"
    return f"\x1b[{';'.join(codes)}m" if codes else ""


def look_of(style: Style | None, colours: int) -> TextStyle:
    """The look of a Rich style on a terminal with the given number of colours."""
    if style is None:
        return PLAIN
    attributes = frozenset(code for name, code in ATTRIBUTES if getattr(style, name))
    return TextStyle(attributes, colour_code(style.color, colours, 30), colour_code(style.bgcolor, colours, 40))


def colour_code(colour: Color | None, colours: int, base: int) -> str:
    """SGR code of a colour; base is 30 for the text, 40 for the background."""
    if colour is None or colour.type == ColorType.DEFAULT or not colours:
        return str(base + 9)
    if colours == 16:
        colour = colour.downgrade(ColorSystem.STANDARD)
    elif colour.triplet is not None:
        red, green, blue = colour.triplet
        number = palette_number(red, green, blue)
        if number is not None:
            return f"{base + 8};5;{number}"
        if colours > 256:
            return f"{base + 8};2;{red};{green};{blue}"
        colour = colour.downgrade(ColorSystem.EIGHT_BIT)
    number = colour.number or 0
    if number >= 16:
        return f"{base + 8};5;{number}"
    return str(base + number if number < 8 else base + 52 + number)


def palette_number(red: int, green: int, blue: int) -> int | None:
    """The number of a colour in the palette of 256; None if it is not in it exactly."""
    if red in CUBE and green in CUBE and blue in CUBE:
        return 16 + 36 * CUBE[red] + 6 * CUBE[green] + CUBE[blue]
    if red == green == blue and 8 <= red <= 238 and (red - 8) % 10 == 0:
        return 232 + (red - 8) // 10
    return None
