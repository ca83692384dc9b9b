"""Colors: of classes, of text and lines, and what each becomes in a dark theme.

The colors of classes are as far apart as possible for color-blind readers, too. None of them is
red: on a page, red means that something is wrong, and a class is not.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from typing import Any

import numpy as np

from treewright.documents.theme import DARK, LIGHT
from treewright.errors import ParameterError
from treewright.plain_text import plain
from treewright.tree.tree import Tree

PALETTE = (
    "#4477aa",  # blue
    "#d58a0e",  # amber
    "#228833",  # green
    "#4d379b",  # indigo
    "#33c4ce",  # cyan
    "#828afc",  # periwinkle
    "#155c48",  # pine
    "#3f9f8d",  # teal
)
REST = "#8a8f96"  # classes beyond the palette
INK, FAINT_INK, LINE, EDGE, PAPER = (
    LIGHT[name] for name in ("text", "faint", "rim", "line", "paper")
)
PATH = LIGHT["way"]  # the path of a row
OF_THEME = {LIGHT[name]: DARK[name] for name in ("text", "faint", "rim", "line", "paper", "way")}


@dataclass(frozen=True, slots=True)
class ClassColors:
    """The color of each class, and the classes with an entry in the legend."""

    of_class: tuple[str, ...]
    named: tuple[int, ...]
    n_rest: int  # classes that share the last color


Colors = Mapping[Any, str] | Sequence[str]  # by class, or one for each class in their order


def class_colors(tree: Tree, chosen: Colors | None = None) -> ClassColors:
    """One color for each class, or for the most frequent ones at the root.

    `chosen` are colors for all classes, in their order, or for some of them by name.
    """
    usual = usual_colors(tree)
    if not chosen:
        return usual
    assert tree.classes is not None
    own = colors_by_class(tree.classes, chosen)
    of_class = list(usual.of_class)
    free = [color for color in PALETTE if color not in own.values()]
    for at in usual.named:  # two classes never get the same color by accident
        if at not in own and of_class[at] in own.values() and free:
            of_class[at] = next((color for color in free if color not in of_class), free[0])
    for at, color in own.items():
        of_class[at] = color
    named = tuple(sorted({*usual.named, *own}))
    return ClassColors(tuple(of_class), named, len(of_class) - len(named))


def usual_colors(tree: Tree) -> ClassColors:
    """The colors of the palette."""
    n_classes = tree.n_values
    if n_classes <= len(PALETTE):
        return ClassColors(PALETTE[:n_classes], tuple(range(n_classes)), 0)
    frequent = np.argsort(-tree.probabilities[0], kind="stable")[: len(PALETTE)]
    named = tuple(sorted(frequent.tolist()))
    of_class = [REST] * n_classes
    for color, at in zip(PALETTE, named, strict=True):
        of_class[at] = color
    return ClassColors(tuple(of_class), named, n_classes - len(named))


def mixed(color: str, share: float, background: str = PAPER) -> str:
    """A mixture: `share` of a color, the rest of the background.

    >>> mixed("#000000", 0.5)
    '#808080'
    """
    parts = zip(rgb(color), rgb(background), strict=True)
    return "#" + "".join(f"{round(share * top + (1 - share) * low):02x}" for top, low in parts)


def rgb(color: str) -> Sequence[int]:
    return [int(color[at : at + 2], 16) for at in (1, 3, 5)]


# --------------------------------------------------------------------------- colors that users give

NAMES = {
    "blue": "#4477aa",
    "amber": "#d58a0e",
    "orange": "#d58a0e",
    "green": "#228833",
    "indigo": "#4d379b",
    "cyan": "#33c4ce",
    "periwinkle": "#828afc",
    "pine": "#155c48",
    "teal": "#3f9f8d",
    "purple": "#8250b4",
    "pink": "#d38cc0",
    "brown": "#7a5230",
    "red": "#c8323c",
    "gray": "#8a8f96",
    "grey": "#8a8f96",
    "black": "#22272e",
}


def colors_by_class(classes: Sequence[Any], chosen: Colors) -> dict[int, str]:
    """The given colors by the position of their class."""
    if isinstance(chosen, str) or not isinstance(chosen, Mapping | Sequence):
        raise ParameterError(
            f"colors is {chosen!r}", hint='use a dict such as {"yes": "#228833"}, or a list'
        )
    if not isinstance(chosen, Mapping):
        if len(chosen) != len(classes):
            raise ParameterError(
                f"colors has {len(chosen)} entries, and there are {len(classes)} classes",
                hint="give one color for each class, or a dict of some",
            )
        return {at: checked_color(color) for at, color in enumerate(chosen)}
    positions = {plain(str(name)): at for at, name in enumerate(classes)}
    found = {}
    for name, color in chosen.items():
        text = plain(str(name))
        if text not in positions:
            near = get_close_matches(text, positions, n=1)
            known = f"did you mean `{near[0]}`?" if near else f"classes: {', '.join(positions)}"
            raise ParameterError(f"colors names the class `{text}`, which is unknown", hint=known)
        found[positions[text]] = checked_color(color)
    return found


def checked_color(color: object) -> str:
    """A color as `#rrggbb`.

    >>> checked_color("#48A"), checked_color("teal")
    ('#4488aa', '#3f9f8d')
    """
    text = str(color).strip().lower()
    if text in NAMES:
        return NAMES[text]
    digits = text[1:]
    if text.startswith("#") and len(digits) in (3, 6) and not {*digits} - {*"0123456789abcdef"}:
        return text if len(digits) == 6 else "#" + "".join(2 * digit for digit in digits)
    near = get_close_matches(text, NAMES, n=1)
    names = f"did you mean `{near[0]}`?" if near else f"use #rrggbb or {', '.join(NAMES)}"
    raise ParameterError(f"`{color}` is not a color", hint=names)


# ---------------------------------------------------------------------------- the dark theme

# Lightness and colorfulness are those of Oklab, in which equal steps look equal.
DARKEST, LIGHTEST = 0.2, 0.92  # lightness of dark paper, and how much of it white paper loses
COLORFUL = 0.08  # from here on a color keeps its lightness, within limits
DIMMEST, BRIGHTEST = 0.6, 0.8


@lru_cache(maxsize=4096)
def on_dark(color: str) -> str:
    """What a color becomes in a dark theme: paper dark, ink light, and each hue as it is.

    >>> on_dark("#ffffff"), on_dark("#e3ebf2"), on_dark("#4477aa")
    ('#15181c', '#1f252a', '#5184b8')
    """
    if color in OF_THEME:
        return OF_THEME[color]
    lightness, green_red, blue_yellow = oklab(color)
    if math.hypot(green_red, blue_yellow) > COLORFUL:
        lightness = min(max(lightness, DIMMEST), BRIGHTEST)
    else:
        lightness = min(DARKEST + LIGHTEST * (1 - lightness), 1.0)
    while True:  # less colorful until a screen can show it
        found = from_oklab(lightness, green_red, blue_yellow)
        if all(-0.001 <= part <= 1.001 for part in found):
            return "#" + "".join(f"{round(255 * min(max(part, 0.0), 1.0)):02x}" for part in found)
        green_red, blue_yellow = 0.95 * green_red, 0.95 * blue_yellow


def oklab(color: str) -> tuple[float, float, float]:
    """Lightness, green to red, blue to yellow (B. Ottosson, "A perceptual color space", 2020)."""
    red, green, blue = (linear(part / 255) for part in rgb(color))
    long = math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue)
    middle = math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue)
    short = math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue)
    return (
        0.2104542553 * long + 0.7936177850 * middle - 0.0040720468 * short,
        1.9779984951 * long - 2.4285922050 * middle + 0.4505937099 * short,
        0.0259040371 * long + 0.7827717662 * middle - 0.8086757660 * short,
    )


def from_oklab(lightness: float, green_red: float, blue_yellow: float) -> tuple[float, ...]:
    """Red, green and blue; below 0 or above 1 if no screen can show the color."""
    long = (lightness + 0.3963377774 * green_red + 0.2158037573 * blue_yellow) ** 3
    middle = (lightness - 0.1055613458 * green_red - 0.0638541728 * blue_yellow) ** 3
    short = (lightness - 0.0894841775 * green_red - 1.2914855480 * blue_yellow) ** 3
    parts = (
        4.0767416621 * long - 3.3077115913 * middle + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * middle - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * middle + 1.7076147010 * short,
    )
    return tuple(encoded(part) for part in parts)


def linear(part: float) -> float:
    """The light of a part of a color, 0 to 1."""
    return part / 12.92 if part <= 0.04045 else float(((part + 0.055) / 1.055) ** 2.4)


def encoded(light: float) -> float:
    return 12.92 * light if light <= 0.0031308 else float(1.055 * light ** (1 / 2.4) - 0.055)


def contrast(one: str, other: str) -> float:
    """The contrast of two colors by WCAG, 1 to 21.

    >>> round(contrast("#ffffff", "#000000"))
    21
    """
    lights = sorted(luminance(color) for color in (one, other))
    return (lights[1] + 0.05) / (lights[0] + 0.05)


def luminance(color: str) -> float:
    red, green, blue = (linear(part / 255) for part in rgb(color))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
