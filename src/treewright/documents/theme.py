"""The colors of all pages and pictures, in a light and in a dark theme, as CSS variables.

`--text` is for words, `--faint` for side remarks, `--paper` for the background, `--line` for thin
lines, `--rim` for the rims of boxes, `--accent` for links and what has the focus, `--panel` for
buttons and cards, `--way` for the path of a row, `--found` for what a search found, `--right` and
`--wrong` for the two hues of a confusion matrix, `--refused` for errors, `--shade` for the shadow
at an edge where content continues. Text on paper and on panels has a contrast of at least 4.5
in both themes.
"""

LIGHT = {
    "text": "#22272e",
    "faint": "#49525c",
    "paper": "#ffffff",
    "line": "#c9d1da",
    "rim": "#9aa5b1",
    "accent": "#1f5fbf",
    "panel": "#f3f5f7",
    "way": "#c5168c",
    "found": "#6a00f4",
    "numbers": "#4477aa",
    "right": "#4477aa",
    "wrong": "#d58a0e",
    "refused": "#a3001b",
    "shade": "#22272e73",
}
DARK = {
    "text": "#dfe3e8",
    "faint": "#a9b2bc",
    "paper": "#15181c",
    "line": "#363d45",
    "rim": "#5b6570",
    "accent": "#8ab8ff",
    "panel": "#22272d",
    "way": "#f06bbd",
    "found": "#b794ff",
    "numbers": "#6b9bd0",
    "right": "#6b9bd0",
    "wrong": "#d9962b",
    "refused": "#ff8f8f",
    "shade": "#c8d2dd59",
}


def variables(colors: dict[str, str]) -> str:
    """The declarations of the variables.

    >>> variables({"text": "#000000"})
    '--text: #000000;'
    """
    return " ".join(f"--{name}: {color};" for name, color in colors.items())


# On paper everything is light, whatever the screen is.
THEME = f"""\
:root {{ color-scheme: light dark; {variables(LIGHT)} }}
@media screen and (prefers-color-scheme: dark) {{ :root {{ {variables(DARK)} }} }}
@media print {{ :root {{ color-scheme: light; }} }}
"""
