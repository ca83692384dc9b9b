"""Trees of R's partykit as `print(fit)` shows them, also rpart's by `as.party(fit)`.

Fitted party:
[1] root
|   [2] Petal.Length <= 1.9: setosa (n = 50, err = 0.0%)
|   [3] Type in Large, Van: 19.300 (n = 10, err = 22.1)
"""

import re
from collections.abc import Sequence

from treewright.errors import ModelFileError
from treewright.imports.foreign import UnsupportedError
from treewright.imports.printed_tree import (
    Line,
    PrintedTree,
    below,
    hang_by_depth,
    known_classes,
    lines_of,
    lower,
    midpoints,
    number_in,
    set_class_values,
    set_mean_values,
    significant_digits,
)

HEAD = "Fitted party:"
BRANCH = "|   "
MISSING = "how missing values go on is not printed: they go to the branch with more rows"
ROUNDED = "numbers of leaves are rounded as printed"


def recognizes(content: bytes) -> bool:
    """Whether a text has the head that partykit prints."""
    return HEAD.encode() in content[:100_000]


def printed_tree(content: bytes) -> PrintedTree:
    """The tree in a text."""
    texts = lines_of(content)
    heads = [at for at, text in enumerate(texts) if text.strip() == HEAD]
    if len(heads) != 1:
        raise ModelFileError(f"{len(heads)} trees as partykit prints them, not one")
    first = heads[0] + 1
    end = next((at for at in range(first, len(texts)) if not texts[at].strip()), len(texts))
    if first == end or not texts[first].startswith("[1] root"):
        raise ModelFileError("the root of the tree is missing")
    root, nodes, are_shares = Line(first + 1), [], set()
    for at in range(first + 1, end):
        depth, line, is_share = node_of(texts[at], at + 1)
        nodes.append((depth, line))
        if line.label:
            are_shares.add(is_share)
    hang_by_depth(root, nodes)
    lines = below(root)
    check_counts(lines, texts[end:])
    if len(are_shares) != 1:
        raise ModelFileError("the tree has no leaves, or leaves of several kinds")
    classes, note = None, ROUNDED
    if are_shares == {True}:
        classes = known_classes(lines, ())
        note = set_class_values(root, classes)
    else:
        set_mean_values(root)
    return PrintedTree(
        library="partykit",
        root=root,
        classes=classes,
        missing="majority",
        rounding=significant_digits(root),
        from_values=lower if any(line.sign == "<=" for line in lines) else midpoints,
        notes=(MISSING, *([note] if note else [])),
    )


def node_of(text: str, number: int) -> tuple[int, Line, bool]:
    """The depth of a node, its line, and whether its error is a share of rows."""
    line, depth = Line(number), 0
    while text.startswith(BRANCH, depth * len(BRANCH)):
        depth += 1
    rest = re.sub(r"^\[\d{1,9}\] ", "", text[depth * len(BRANCH) :])
    leaf = re.search(r" \(n = (\d{1,15}), err = ([0-9.]{1,30})(%?)\)$", rest)
    is_share = False
    if leaf is not None:
        rest, colon, line.label = rest[: leaf.start()].partition(": ")
        error = number_in(leaf[2], line.where)
        line.weight, is_share = float(leaf[1]), leaf[3] == "%"
        if not (colon and line.label) or (is_share and error > 100):
            raise ModelFileError(f"{line.where}: a leaf without a prediction")
        if is_share:
            line.errors = float(round(line.weight * error / 100))
        else:
            line.impurity = error / max(line.weight, 1.0)
    set_condition(line, rest)
    return depth, line, is_share


def set_condition(line: Line, text: str) -> None:
    """What leads to a node: `Age < 55` or `Type in Large, Van`."""
    found = re.fullmatch(r"(.{1,1000}) (<=|<|>=|>) (\S{1,40})", text)
    if found is not None:
        number_in(found[3], line.where)
        line.column, line.sign, line.bound = found[1], found[2], found[3]
        return
    line.column, word, levels = text.partition(" in ")
    line.sign, line.levels = "=", tuple(one for one in levels.split(", ") if one != "NA")
    if not (line.column and word and all(line.levels) and line.levels):
        raise UnsupportedError(f"{line.where}: no condition that is known in `{text[:50]}`")


def check_counts(lines: Sequence[Line], after: Sequence[str]) -> None:
    """Compare with the numbers of nodes that are printed below the tree."""
    n_inner = sum(bool(line.children) for line in lines)
    expected = {"inner": n_inner, "terminal": len(lines) - n_inner}
    for kind, count in expected.items():
        found = [re.match(rf"Number of {kind} nodes: +(\d{{1,9}})$", text) for text in after]
        if not any(one is not None and int(one[1]) == count for one in found):
            raise ModelFileError(f"{count} {kind} nodes, other than the lines below the tree say")
    if any(bool(line.children) == bool(line.label) for line in lines):
        raise ModelFileError("a leaf without a prediction, or an inner node with one")
