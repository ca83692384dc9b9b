"""Trees of Weka as J48, REPTree, Id3 and M5P print them, alone or inside the output of a run.

    J48 pruned tree
    ------------------

    outlook = sunny
    |   humidity <= 75: yes (2.0)
    |   humidity > 75: no (3.0)
    outlook = overcast: yes (4.0/1.0)

    Number of Leaves  : 3

A leaf has the weight of its rows, and how much of it is of other classes. REPTree prints the rows
of growing in round and those of pruning in square brackets. Id3 prints no weights. M5P prints the
numbers or equations of its leaves below the tree, see `weka_m5p`.
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
from treewright.imports.weka_m5p import m5_tree

J48, REPTREE, ID3, M5P = "J48", "REPTree", "Id3", "M5P"
HEADS = {"J48 pruned tree": J48, "J48 unpruned tree": J48, "REPTree": REPTREE, "Id3": ID3}
HEADS |= {
    f"M5 {pruned} {kind} tree:": M5P
    for pruned in ("pruned", "unpruned")
    for kind in ("regression", "model")
}
BRANCHES = {J48: "|   ", REPTREE: "|   ", ID3: "|  ", M5P: "|   "}
WEIGHT = r"(\d{1,15}(?:\.\d{1,6})?)"
LEAVES = {
    J48: re.compile(rf" \({WEIGHT}(?:/{WEIGHT})?\)$"),
    REPTREE: re.compile(rf" \({WEIGHT}/({NUMBER})\) \[{WEIGHT}/({NUMBER})\]$"),
    M5P: re.compile(rf" \({WEIGHT}/({NUMBER})%\)$"),
}
COLONS = {J48: ": ", REPTREE: " : ", M5P: " : "}
DECIMALS = {J48: 6, REPTREE: 2, M5P: 3}  # of thresholds
SIGNS = {J48: ("<=", ">", "=", "!="), REPTREE: ("<", ">=", "="), ID3: ("=",), M5P: ("<=", "> ")}
MISSING = "a missing value goes to all branches in proportion to their printed weights"
NO_COUNTS = "Id3 prints no counts: probabilities are 0 and 1, and it refuses missing values"
USES_SMOOTHED = "(using smoothed linear models)"
BOTH = "leaves hold the rows of growing and pruning together"


def recognizes(content: bytes) -> bool:
    """Whether a text has the head that Weka prints above a tree."""
    heads = rb"J48 (un)?pruned tree\r?\n-+|REPTree\r?\n=+|Id3\r?\n\r?\n"
    heads += rb"|M5 (un)?pruned (regression|model) tree:"
    return re.search(rb"^(" + heads + rb")\r?$", content, re.M) is not None


def printed_tree(content: bytes) -> PrintedTree:
    """The tree in a text."""
    texts = [text.rstrip() for text in lines_of(content)]
    heads = [at for at in range(len(texts) - 1) if is_head(texts[at], texts[at + 1])]
    if len(heads) != 1:
        raise ModelFileError(f"{len(heads)} trees as Weka prints them, not one")
    program = HEADS[texts[heads[0]]]
    first = next((at for at in range(heads[0] + 2, len(texts)) if texts[at]), len(texts))
    end = next((at for at in range(first, len(texts)) if not texts[at]), len(texts))
    root = Line(first)
    nodes = [node_of(texts[at], at + 1, program) for at in range(first, end)]
    is_leaf = len(nodes) == 1 and not nodes[0][1].column
    if not nodes or (is_leaf and program != M5P):
        raise UnsupportedError("the tree is a single leaf, so that its columns are not known")
    if is_leaf:
        root = nodes[0][1]
    else:
        hang_by_depth(root, nodes)
    if program == ID3:
        return id3_tree(root, texts[end:])
    if program == M5P:
        return m5_tree(root, texts[end:], is_smoothed=texts[heads[0] + 1] == USES_SMOOTHED)
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


def is_head(text: str, following: str) -> bool:
    """Whether two lines are those above a tree."""
    program = HEADS.get(text)
    if program == M5P:
        return following in ("", USES_SMOOTHED)
    if program == ID3:
        return not following
    return program is not None and bool(following) and not following.strip("-=")


def id3_tree(root: Line, after: Sequence[str]) -> PrintedTree:
    """A tree of Id3: leaves have classes, and no weights."""
    lines = below(root)
    notes = [NO_COUNTS]
    if any(line.label == "null" for line in lines):
        notes.append("where Id3 predicts nothing (null), the node above predicts")
    for line in lines:
        line.children = [child for child in line.children if child.label != "null"]
    lines = below(root)
    for line in lines:
        if bool(line.children) == bool(line.label):
            raise ModelFileError(f"{line.where}: a leaf without a class, or an inner node with one")
    classes = known_classes(lines, listed_classes(after))
    set_class_values(root, classes)
    return PrintedTree(
        library=f"Weka {ID3}",
        root=root,
        classes=classes,
        missing="stated",
        criterion="entropy",
        rounding=lambda _: 0.0,
        from_values=midpoints,
        has_unnamed=True,
        notes=tuple(notes),
    )


def is_number(text: str) -> bool:
    return len(text) < 40 and re.fullmatch(NUMBER, text) is not None


def node_of(text: str, number: int, program: str) -> tuple[int, Line]:
    """The depth of a node and its line."""
    line, depth = Line(number), 0
    branch = BRANCHES[program]
    while text.startswith(branch, depth * len(branch)):
        depth += 1
    rest = text[depth * len(branch) :]
    rest = rest.removesuffix(" :") if program == M5P else rest
    if program == ID3:
        if ": " in rest:
            rest, _, line.label = rest.rpartition(": ")
        set_condition(line, rest, SIGNS[program])
        return depth + 1, line
    leaf = LEAVES[program].search(rest)
    if leaf is not None:
        rest, colon, line.label = rest[: leaf.start()].partition(COLONS[program])
        if program == M5P and not colon:  # a tree of a single leaf
            rest, colon, line.label = "", rest, rest
        line.weight = float(leaf[1]) + (float(leaf[3]) if program == REPTREE else 0.0)
        if not colon or not line.label:
            raise ModelFileError(f"{line.where}: a leaf without a prediction")
        if program == J48:
            line.errors = float(leaf[2] or 0)
        elif program == REPTREE and is_number(line.label):
            line.impurity = max(number_in(leaf[2], line.where), 0.0)
        elif program == REPTREE:
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
    line.sign = sign.strip()
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
