"""Trees of Weka as its J48 and REPTree print them, alone or inside the output of a run.

    J48 pruned tree
    ------------------

    outlook = sunny
    |   humidity <= 75: yes (2.0)
    |   humidity > 75: no (3.0)
    outlook = overcast: yes (4.0/1.0)

    Number of Leaves  : 3

A leaf has the weight of its rows, and how much of it is of other classes. REPTree prints the rows
of growing in round and those of pruning in square brackets.
"""

import re
from collections.abc import Sequence

from treewright.errors import ModelFileError
from treewright.imports.foreign import UnsupportedError
from treewright.imports.printed_tree import (
    NUMBER,
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
)

J48, REPTREE = "J48", "REPTree"
HEADS = {"J48 pruned tree": J48, "J48 unpruned tree": J48, "REPTree": REPTREE}
BRANCH = "|   "
WEIGHT = r"(\d{1,15}(?:\.\d{1,6})?)"
LEAVES = {
    J48: re.compile(rf" \({WEIGHT}(?:/{WEIGHT})?\)$"),
    REPTREE: re.compile(rf" \({WEIGHT}/({NUMBER})\) \[{WEIGHT}/({NUMBER})\]$"),
}
COLONS = {J48: ": ", REPTREE: " : "}
DECIMALS = {J48: 6, REPTREE: 2}  # of thresholds
SIGNS = {J48: ("<=", ">", "=", "!="), REPTREE: ("<", ">=", "=")}
MISSING = "a missing value goes to all branches in proportion to their printed weights"
BOTH = "leaves hold the rows of growing and pruning together"


def recognizes(content: bytes) -> bool:
    """Whether a text has the head that Weka prints above a tree."""
    return (
        re.search(rb"^(J48 (un)?pruned tree\r?\n-+|REPTree\r?\n=+)\r?$", content, re.M) is not None
    )


def printed_tree(content: bytes) -> PrintedTree:
    """The tree in a text."""
    texts = [text.rstrip() for text in lines_of(content)]
    heads = [
        at
        for at, text in enumerate(texts[:-1])
        if text in HEADS and texts[at + 1] and not texts[at + 1].strip("-=")
    ]
    if len(heads) != 1:
        raise ModelFileError(f"{len(heads)} trees as Weka prints them, not one")
    program = HEADS[texts[heads[0]]]
    first = heads[0] + 3
    end = next((at for at in range(first, len(texts)) if not texts[at]), len(texts))
    root = Line(first)
    nodes = [node_of(texts[at], at + 1, program) for at in range(first, end)]
    if len(nodes) == 1 and not nodes[0][1].column:
        raise UnsupportedError("the tree is a single leaf, so that its columns are not known")
    hang_by_depth(root, nodes)
    lines = below(root)
    check_counts(lines, texts[end:])
    notes = [MISSING]
    classes = None
    if program == REPTREE and all(is_number(line.label) for line in lines if not line.children):
        set_mean_values(root)
        notes += [BOTH, "numbers of leaves are rounded as printed"]
    else:
        classes = known_classes(lines, listed_classes(texts[end:]))
        notes += [note for note in [set_class_values(root, classes)] if note]
        notes += [BOTH] if program == REPTREE else []
    return PrintedTree(
        library=f"Weka {program}",
        root=root,
        classes=classes,
        missing="spread",
        criterion="entropy" if classes is not None else "",
        rounding=lambda bound: 0.5000001 * 10.0 ** -DECIMALS[program],
        from_values=midpoints if program == REPTREE else lower,
        from_all_rows=program == J48,
        notes=tuple(notes),
    )


def is_number(text: str) -> bool:
    return len(text) < 40 and re.fullmatch(NUMBER, text) is not None


def node_of(text: str, number: int, program: str) -> tuple[int, Line]:
    """The depth of a node and its line."""
    line, depth = Line(number), 0
    while text.startswith(BRANCH, depth * len(BRANCH)):
        depth += 1
    rest = text[depth * len(BRANCH) :]
    leaf = LEAVES[program].search(rest)
    if leaf is not None:
        rest, colon, line.label = rest[: leaf.start()].partition(COLONS[program])
        line.weight = float(leaf[1]) + (float(leaf[3]) if program == REPTREE else 0.0)
        if not colon or not line.label:
            raise ModelFileError(f"{line.where}: a leaf without a prediction")
        if program == J48:
            line.errors = float(leaf[2] or 0)
        elif is_number(line.label):
            line.impurity = max(number_in(leaf[2], line.where), 0.0)
        else:
            line.errors = number_in(leaf[2], line.where) + number_in(leaf[4], line.where)
        if line.errors > line.weight + 0.02:  # both are rounded
            raise ModelFileError(f"{line.where}: more errors than rows")
    if rest.strip():
        set_condition(line, rest, SIGNS[program])
    return depth + 1, line


def set_condition(line: Line, text: str, signs: Sequence[str]) -> None:
    """What leads to a node: `humidity <= 75`, `outlook = sunny` or `outlook != sunny`."""
    found = {sign: text.find(f" {sign} ") for sign in signs}
    sign = min((one for one in signs if found[one] > 0), key=lambda one: found[one], default="")
    if not sign:
        raise UnsupportedError(f"{line.where}: no condition that is known in `{text[:50]}`")
    line.column, _, asked = text.partition(f" {sign} ")
    line.sign = sign
    if sign in ("=", "!="):
        line.levels = (asked,)
    else:
        number_in(asked, line.where)
        line.bound = asked


def check_counts(lines: Sequence[Line], after: Sequence[str]) -> None:
    """Compare with the size that is printed below the tree."""
    sizes = [re.match(r"Size of the tree :\s+(\d{1,9})$", text) for text in after]
    if not any(one is not None and int(one[1]) == len(lines) for one in sizes):
        raise ModelFileError(f"{len(lines)} nodes, other than `Size of the tree` says")
    if any(bool(line.children) == bool(line.label) for line in lines):
        raise ModelFileError("a leaf without a prediction, or an inner node with one")


def listed_classes(after: Sequence[str]) -> list[str]:
    """All classes in their order, if a confusion matrix is printed below the tree."""
    found: list[str] = []
    is_matrix = False
    for text in after:
        if text.endswith("<-- classified as"):
            found, is_matrix = [], True
        elif is_matrix and (row := re.search(r"\| +[a-z]{1,4} = (.+)$", text)):
            found.append(row[1])
        elif is_matrix:
            is_matrix = False
    return found
