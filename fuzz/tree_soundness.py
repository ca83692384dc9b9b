"""A second opinion on trees that were accepted: a plain walk, apart from the library's own check.

It shares no code with `treewright.tree.check`, so that a hole in one is seen by the other.
"""

import math

from treewright.tree.layout import BRANCHES, INTERVALS, LEAF, OBLIQUE, SUBSET, THRESHOLD
from treewright.tree.tree import Tree


def tree_faults(tree: Tree) -> str:
    """What is wrong with a tree, in words; nothing if it can be walked."""
    n_nodes = len(tree.kind)
    met = [0] * n_nodes
    waiting = [0]
    while waiting:
        node = waiting.pop()
        met[node] += 1
        if met[node] > 1:
            return f"node {node} is reached twice"
        fault = node_fault(tree, node)
        if fault:
            return f"node {node}: {fault}"
        if tree.kind[node] != LEAF:
            first, n = int(tree.first_child[node]), int(tree.n_children[node])
            if not node < first <= first + n <= n_nodes:
                return f"node {node}: children {first} to {first + n} of {n_nodes}"
            waiting.extend(range(first, first + n))
    return "" if all(met) else "a node that no way leads to"


def node_fault(tree: Tree, node: int) -> str:
    numbers = [*tree.value[node].tolist(), float(tree.weight[node]), float(tree.threshold[node])]
    if not all(map(math.isfinite, numbers)):
        return "a number is not finite"
    if tree.classes is not None and min(numbers[:-2]) < 0:
        return "a class of negative weight"
    kind, n_children = int(tree.kind[node]), int(tree.n_children[node])
    if kind == LEAF:
        return ""
    if kind not in (THRESHOLD, BRANCHES, INTERVALS, SUBSET, OBLIQUE):
        return "no such kind"
    if not -2 <= int(tree.missing_child[node]) < n_children or n_children < 2:
        return "no such child for missing values"
    return question_fault(tree, node, kind, n_children)


def question_fault(tree: Tree, node: int, kind: int, n_children: int) -> str:
    """What is wrong with what a node asks."""
    columns = tree.schema.columns
    if kind == OBLIQUE:
        terms = range(int(tree.term_start[node]), int(tree.term_start[node + 1]))
        asked = [int(tree.term_feature[at]) for at in terms]
        fine = asked and all(0 <= at < len(columns) and columns[at].is_numeric for at in asked)
        return "" if fine else "a sum of columns that are not there"
    if not 0 <= int(tree.feature[node]) < len(columns):
        return "no such column"
    spec = columns[int(tree.feature[node])]
    if kind in (THRESHOLD, INTERVALS):
        cuts = tree.cut[int(tree.cut_start[node]) : int(tree.cut_start[node + 1])].tolist()
        rising = all(math.isfinite(cut) for cut in cuts) and cuts == sorted(set(cuts))
        fits = n_children >= (2 if kind == THRESHOLD else len(cuts) + 1)
        return "" if rising and fits and spec.kind != "nominal" else "cuts that do not fit"
    entries = range(int(tree.level_start[node]), int(tree.level_start[node + 1]))
    sound = all(
        0 <= int(tree.level_code[at]) < len(spec.levels)
        and 0 <= int(tree.level_child[at]) < n_children
        for at in entries
    )
    return "" if sound and entries and not spec.is_numeric else "levels that do not fit"
