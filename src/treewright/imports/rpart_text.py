"""Trees of R's rpart as `print(fit)` shows them.

    node), split, n, loss, yval, (yprob)
          * denotes terminal node

    1) root 150 100 setosa (0.33333333 0.33333333 0.33333333)
      2) Petal.Length< 2.45 50   0 setosa (1.00000000 0.00000000 0.00000000) *

The children of node k are 2 k and 2 k + 1. Classes have their names only where they are predicted.
"""

import re
from collections.abc import Sequence

import numpy as np

from treewright.arrays import Floats
from treewright.errors import ModelFileError
from treewright.imports.foreign import UnsupportedError
from treewright.imports.printed_tree import (
    Line,
    PrintedTree,
    lines_of,
    midpoints,
    number_in,
    significant_digits,
)

HEADS = {
    "node), split, n, loss, yval, (yprob)": True,
    "node), split, n, deviance, yval": False,
}
MOST_NUMBER = 2**32  # of a node: rpart's trees have at most 30 levels
SURROGATES = "surrogate splits are not printed: a missing value goes to the branch with more rows"
WEIGHTED = "weights, priors or losses: class weights are the printed shares times the rows"


def recognizes(content: bytes) -> bool:
    """Whether a text has the head that rpart prints."""
    return b"node), split, n, " in content[:100_000]


def printed_tree(content: bytes) -> PrintedTree:
    """The tree in a text."""
    texts = lines_of(content)
    heads = [at for at, text in enumerate(texts) if text.strip() in HEADS]
    if len(heads) != 1:
        raise ModelFileError(f"{len(heads)} trees as rpart prints them, not one")
    is_class = HEADS[texts[heads[0]].strip()]
    nodes: dict[int, Line] = {}
    shares: dict[int, Sequence[str]] = {}
    is_leaf: dict[int, bool] = {}
    for at in range(heads[0] + 1, len(texts)):
        start = re.match(r" *(\d{1,10})\) ", texts[at])
        if start is None:
            if nodes:
                break  # what else was printed
            continue
        number = int(start[1])
        if number in nodes or not 0 < number < MOST_NUMBER:
            raise ModelFileError(f"line {at + 1}: a node with the number {number}")
        nodes[number], own, is_leaf[number] = node_of(
            texts[at][start.end() :], at + 1, is_class=is_class
        )
        shares[number] = own
    check_shape(nodes, is_leaf, n_rows_of(texts[: heads[0]]))
    notes = [SURROGATES]
    classes = None
    if is_class:
        classes = set_shares(nodes, shares, notes)
    return PrintedTree(
        library="rpart",
        root=nodes[1],
        classes=classes,
        missing="majority",
        rounding=significant_digits(nodes[1]),
        from_values=midpoints,
        notes=tuple(notes),
    )


def n_rows_of(texts: Sequence[str]) -> int | None:
    """The number of training rows, which is printed above the tree."""
    found = [match for text in texts if (match := re.match(r"n= ?(\d{1,15})\b", text))]
    return int(found[-1][1]) if found else None


def node_of(text: str, number: int, *, is_class: bool) -> tuple[Line, Sequence[str], bool]:
    """A node, its shares of classes as printed, and whether it is a leaf."""
    line = Line(number)
    text = text.rstrip()
    is_leaf = text.endswith(" *")
    text = text.removesuffix("*").rstrip()
    shares: Sequence[str] = ()
    if is_class:
        text, _, listed = text.rpartition(" (")
        if not listed.endswith(")"):
            raise ModelFileError(f"{line.where}: the shares of classes are missing")
        shares = listed[:-1].split()
    words = list(re.finditer(r"\S+", text))
    # From the right: a prediction may have spaces, and so may a condition.
    last = len(words) - 3
    while is_class and last > 0 and not (is_whole(words[last]) and is_number(words[last + 1])):
        last -= 1
    if last < 1 or not is_whole(words[last]):
        raise ModelFileError(f"{line.where}: not a condition, a number of rows and a prediction")
    line.weight = float(words[last][0])
    line.label = text[words[last + 2].start() :]
    deviance = number_in(words[last + 1][0], line.where)
    if is_class:
        line.errors = deviance
    else:
        line.value = np.array([number_in(line.label, line.where)])
        line.impurity = max(deviance, 0.0) / max(line.weight, 1.0)
    set_condition(line, text[: words[last].start()].rstrip(" "))
    return line, shares, is_leaf


def is_whole(word: re.Match[str]) -> bool:
    return word[0].isascii() and word[0].isdigit() and len(word[0]) < 16


def is_number(word: re.Match[str]) -> bool:
    try:
        number_in(word[0], "")
    except ModelFileError:
        return False
    return True


def set_condition(line: Line, text: str) -> None:
    """What leads to a node: `Age< 55`, `Age>=55` or `Type=Large,Van`."""
    if text == "root":
        return
    for sign in ("< ", ">="):
        name, _, bound = text.rpartition(sign)
        if name and len(bound) < 40 and re.fullmatch(r"-?[0-9.]+(e[-+]?\d+)?", bound):
            number_in(bound, line.where)
            line.column, line.sign, line.bound = name, sign.strip(), bound
            return
    name, equals, levels = text.partition("=")
    if not (name and equals and levels):
        raise ModelFileError(f"{line.where}: no condition in `{text[:50]}`")
    line.column, line.sign, line.levels = name, "=", tuple(levels.split(","))


def check_shape(nodes: dict[int, Line], is_leaf: dict[int, bool], n_rows: int | None) -> None:
    """Give children to their parents, and raise if a line is missing or rows do not add up."""
    if 1 not in nodes or nodes[1].column or (n_rows not in (None, int(nodes[1].weight))):
        raise ModelFileError("the root of the tree is missing, or has another number of rows")
    for number, line in nodes.items():
        if number > 1 and not line.column:
            raise ModelFileError(f"{line.where}: a second root")
        children = [nodes[one] for one in (2 * number, 2 * number + 1) if one in nodes]
        if len(children) != (0 if is_leaf[number] else 2):
            raise ModelFileError(f"{line.where}: node {number} has {len(children)} children")
        if children and sum(child.weight for child in children) != line.weight:
            raise ModelFileError(f"{line.where}: the rows of its branches do not add up")
        if number > 1 and number // 2 not in nodes:
            raise ModelFileError(f"{line.where}: node {number} has no parent")
        line.children = children


# ---------------------------------------------------------------------------- classes


def set_shares(
    nodes: dict[int, Line], texts: dict[int, Sequence[str]], notes: list[str]
) -> list[str]:
    """Set the weights of classes at all nodes; the classes."""
    n_classes = len(texts[1])
    shares: dict[int, Floats] = {}
    counts: dict[int, Floats] = {}
    are_counts = True
    for number, line in nodes.items():
        if len(texts[number]) != n_classes or n_classes < 2:
            raise ModelFileError(f"{line.where}: not one share for each class")
        own = np.array([number_in(one, line.where) for one in texts[number]])
        decimals = [len(one.partition(".")[2]) for one in texts[number]]
        # Digits are significant ones: small shares have more decimals, and 0 has none.
        step = 10.0 ** -np.where(np.isin(own, (0, 1)), max(decimals), decimals)
        if not ((own >= 0) & (own <= 1)).all() or abs(own.sum() - 1) > step.sum():
            raise ModelFileError(f"{line.where}: the shares of classes are not shares")
        shares[number] = own
        counts[number] = np.round(own * line.weight)
        error = np.abs(counts[number] - own * line.weight)
        are_counts &= bool((error <= 0.51 * step * line.weight + 1e-9).all())
        are_counts &= counts[number].sum() == line.weight == counts[number].max() + line.errors
    for number, line in nodes.items():
        value = counts[number] if are_counts else shares[number] * line.weight
        line.value = value
    if not are_counts:
        notes.append(WEIGHTED)
    return class_names(nodes, notes)


def class_names(nodes: dict[int, Line], notes: list[str]) -> list[str]:
    """The classes in their order: a node predicts the class with the largest share."""
    first = nodes[1].value
    assert first is not None
    names: list[str | None] = [None] * len(first)
    for line in nodes.values():
        assert line.value is not None
        at = int(np.argmax(line.value))
        if names[at] not in (None, line.label):
            raise UnsupportedError(
                f"{line.where}: `{line.label[:50]}` has not the largest share: losses or rounded "
                "shares are not reproduced"
            )
        names[at] = line.label
    known = [one for one in names if one is not None]
    if len(set(known)) != len(known):
        raise UnsupportedError(f"`{known[0][:50]}` has not the largest share: losses")
    unknown = [f"class {at + 1}" for at, one in enumerate(names) if one is None]
    if unknown:
        notes.append(f"no node predicts {', '.join(unknown)}: the text does not name them")
    return [one if one is not None else f"class {at + 1}" for at, one in enumerate(names)]
