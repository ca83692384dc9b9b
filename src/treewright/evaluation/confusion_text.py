"""Which class is taken for which, as lines for a terminal."""

from collections.abc import Sequence
from string import ascii_lowercase

import numpy as np
from numpy.typing import NDArray

from treewright.evaluation.lines import lined_up
from treewright.plain_text import plain
from treewright.tree.conditions import weight_text

FloatArray = NDArray[np.float64]
WIDEST = 100  # characters of a table with names above its columns
NARROWEST_NAME = len("true \\ predicted")
MOST_PAIRS = 20  # shown of very many classes


def confusion_lines(classes: Sequence[object], table: FloatArray) -> list[str]:
    """A matrix with names, or with letters where names are too wide, or the commonest mistakes."""
    labels = [plain(str(label)) for label in classes]
    named = lined_up(
        ["true \\ predicted", *labels],
        [[label, *cells] for label, cells in zip(labels, cells_of(table), strict=True)],
    )
    if max(map(len, named)) <= WIDEST:
        return named
    if len(labels) <= len(ascii_lowercase):
        lines = lettered(labels, table)
        if max(map(len, lines)) <= WIDEST:
            return lines
    return commonest(labels, table)


def cells_of(table: FloatArray, nothing: str = "0") -> list[list[str]]:
    """Weights as text."""
    return [[weight_text(cell) if cell else nothing for cell in line] for line in table.tolist()]


def lettered(labels: Sequence[str], table: FloatArray) -> list[str]:
    """A letter for each class; nothing is a dot, so that mistakes stand out."""
    letters = list(ascii_lowercase[: len(labels)])
    cells = cells_of(table, ".")
    matrix = lined_up(["", *letters], [["", *line] for line in cells])
    room = max(WIDEST - max(map(len, matrix)), NARROWEST_NAME)
    names = [f"{letter} = {label}" for letter, label in zip(letters, labels, strict=True)]
    rows = [[cut(name, room), *line] for name, line in zip(names, cells, strict=True)]
    return lined_up(["true \\ predicted", *letters], rows)


def cut(name: str, room: int) -> str:
    """A name that fits; all of it stands in the table of classes.

    >>> cut("phytophthora-rot", 10)
    'phytophth…'
    """
    return name if len(name) <= room else f"{name[: room - 1]}…"


def commonest(labels: Sequence[str], table: FloatArray) -> list[str]:
    """The pairs that are mistaken most often."""
    mistakes = table.copy()
    np.fill_diagonal(mistakes, 0.0)
    order = np.argsort(-mistakes, axis=None, kind="stable")
    pairs = [divmod(int(at), len(labels)) for at in order[:MOST_PAIRS]]
    rows = [
        [labels[true], labels[taken], weight_text(mistakes[true, taken])]
        for true, taken in pairs
        if mistakes[true, taken] > 0
    ]
    if not rows:
        return ["no class is taken for another"]
    lines = lined_up(["commonest mistakes", "taken for", "rows"], rows)
    n_left_out = int((mistakes > 0).sum()) - len(rows)
    return [*lines, f"... {n_left_out} more pairs"] if n_left_out else lines
