"""DOT: a picture of the tree for Graphviz."""

from treewright.errors import ParameterError
from treewright.exports.program import Program
from treewright.tree.as_text import prediction_text
from treewright.tree.conditions import conditions_of, question_text
from treewright.tree.layout import LEAF, SPREAD, STOP
from treewright.tree.short_thresholds import with_thresholds_shown
from treewright.tree.tree import Tree

MAX_LINE = 60  # letters
HEAD = """\
digraph tree {
    node [shape=box, style="rounded,filled", fillcolor=white, fontname="sans-serif"];
    edge [fontname="sans-serif"];"""


def write(program: Program, *, max_depth: int | None = None, decimals: int | None = None) -> str:
    """The graph: questions in white boxes, predictions in gray ones, conditions at the edges.

    Nothing is drawn below `max_depth`; `decimals` rounds thresholds and means.
    """
    if max_depth is not None and max_depth < 0:
        raise ParameterError(f"max_depth is {max_depth}", hint="use 0 or more")
    tree = with_thresholds_shown(program.tree)
    lines = [HEAD]
    for node in range(tree.n_nodes):
        depth = int(tree.node_depth[node])
        if max_depth is not None and depth > max_depth:
            continue
        is_cut = max_depth is not None and depth == max_depth and tree.kind[node] != LEAF
        if tree.kind[node] == LEAF or is_cut:
            prediction = prediction_text(tree, node, decimals).removeprefix(": ")
            text = quoted([*prediction_lines(prediction), *(["..."] if is_cut else [])])
            lines.append(f"    {node} [label={text}, fillcolor=gray92];")
        else:
            lines += split_lines(tree, node, decimals)
    return "\n".join([*lines, "}"]) + "\n"


def split_lines(tree: Tree, node: int, decimals: int | None) -> list[str]:
    """A box with a question, and the edges to its children."""
    question = question_text(tree, node, decimals)
    missing = int(tree.missing_child[node])
    n_surrogates = int(tree.surrogate_start[node + 1] - tree.surrogate_start[node])
    notes = [question]
    if n_surrogates:
        notes.append(f"if missing: {n_surrogates} surrogate{'s' if n_surrogates > 1 else ''} first")
    if missing == STOP:
        notes.append(f"if missing{prediction_text(tree, node, decimals)}")
    elif missing == SPREAD:
        notes.append("if missing: all branches, in parts")
    lines = [f"    {node} [label={quoted(notes)}];"]
    first = int(tree.first_child[node])
    for child, condition in enumerate(conditions_of(tree, node, decimals)):
        takes_missing = child == missing and not condition.endswith("missing")
        texts = [condition, *(["or missing"] if takes_missing else [])]
        lines.append(f"    {node} -> {first + child} [label={quoted(texts)}];")
    return lines


def prediction_lines(prediction: str) -> list[str]:
    """The label, and the weight in parentheses below it."""
    label, _, weight = prediction.rpartition(" (")
    return [label, f"({weight}"] if label else [prediction]


def quoted(lines: list[str]) -> str:
    r"""Lines of text in DOT syntax: quotes and backslashes escaped, joined by `\n`."""
    short = [line if len(line) <= MAX_LINE else f"{line[:MAX_LINE]}..." for line in lines]
    escaped = [line.replace("\\", "\\\\").replace('"', '\\"') for line in short]
    return '"' + "\\n".join(escaped) + '"'
