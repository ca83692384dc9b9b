"""The sentences of a worksheet: the rows of a node, the choice, why it is a leaf."""

from typing import Any

from treewright.documents.page import Run
from treewright.plain_text import plain, shortened
from treewright.tree.conditions import conditions_of
from treewright.worksheets.sheet_page import LONGEST_NAME, SheetPage
from treewright.worksheets.work import CandidateWork, Group, NodeWork

Words = list[str | Run]
MOST_CHILDREN = 12
LONGEST_BRANCH = 240  # characters of the condition of a branch

WHY_LEAF = {
    "pure": "all rows have the same target",
    "no candidate": "no column can split the rows further",
    "max_depth": "the maximum depth is reached",
    "max_leaf_nodes": "the maximum number of leaves is reached",
    "max_splits": "the maximum number of splits is reached",
    "min_samples_split": "too few rows to split",
    "min_samples_leaf": "every split would leave too few rows in a branch",
    "min_gain": "no column gains enough",
    "significance": "the best split is not significant",
    "error estimate": "the best split does not lower the estimated error",
    "validation": "further splits did not help on the held-out rows",
    "collapsed": "its subtree made no fewer errors than a leaf",
    "pruned": "pruning made it a leaf",
    "empty": "no training row reaches it, so it predicts like its parent",
    "written": "it was written by hand",
    "min_deviation": "its targets are nearly the same",
    "by hand": "a person left it a leaf",
}

MISSING_ROWS = {
    "fractional": "go down every branch",
    "surrogate": "follow the surrogates, or the heavier side if these are missing too",
    "learned": "go to the side where the gain is larger",
    "as a whole": "go to the side that leaves the whole tree fewest errors",
    "branch": "have a branch of their own",
    "majority": "go with the heavier side",
    "stop": "stop here and get the prediction of this node",
}


def rows_in_words(page: SheetPage, group: Group) -> Words:
    """`14 rows: 5 No, 9 Yes`; each name is a separate piece, because it may be right-to-left."""
    digits = page.digits
    weight = "" if group.weight == group.n_rows else f" of weight {digits.weight(group.weight)}"
    rows = f"{group.n_rows} row{'' if group.n_rows == 1 else 's'}{weight}"
    if not group.n_rows:
        return [f"{rows}."]
    if not page.classes:
        middle = ("mean", group.mean) if group.median != group.median else ("median", group.median)
        return [f"{rows}, {middle[0]} {digits.text(middle[1])}."]
    shown = page.classes_of(group)
    words: Words = []
    for at in shown:
        if group.counts[at]:
            words += [", " if words else f"{rows}: ", f"{digits.weight(group.counts[at])} "]
            words.append(shortened(page.classes[at], LONGEST_NAME))
    if len(shown) < len(page.classes):
        rest = sum(group.counts) - sum(group.counts[at] for at in shown)
        words.append(f", {digits.weight(rest)} of {len(page.classes) - len(shown)} other classes")
    return [*words, "."]


def missing_in_words(page: SheetPage, work: NodeWork) -> str:
    """Where rows with a missing value of the chosen column go; "" if there are none."""
    found = work.chosen
    if found is None or not found.missing_weight > 0:
        return ""
    policy = page.settings.missing
    if page.settings.chosen_as_a_whole:
        policy = "as a whole"
    if policy == "surrogate" and not page.tree.node(work.node).surrogates:
        weights = [branch.weight for branch in found.branches]
        policy = "stop" if weights.count(max(weights)) > 1 else "majority"
    text = (
        f"Rows of weight {page.digits.weight(found.missing_weight)} have a missing value in "
        f"{plain(found.column)}; they {MISSING_ROWS[policy]}"
    )
    if policy == "fractional" and len(found.branches) <= MOST_CHILDREN:
        whole = page.digits.weight(sum(branch.weight for branch in found.branches))
        parts = [f"{page.digits.weight(branch.weight)}/{whole}" for branch in found.branches]
        text += f", with {', '.join(parts)} of their weight"
    if found.missing_joins >= 0:
        text += f": {shortened(found.branches[found.missing_joins].condition)}"
    elif policy == "majority" and page.settings.missing == "surrogate":
        heaviest = max(found.branches, key=lambda branch: branch.weight)
        text += f", {shortened(heaviest.condition)}: there is no surrogate here"
    return f"{text}."


def missing_counted(page: SheetPage, found: CandidateWork) -> str:
    """The branch in which the gain counts missing rows; "" if none."""
    if found.missing_joins < 0:
        return ""
    return (
        f"Rows of weight {page.digits.weight(found.missing_weight)} have a missing value here; "
        f"they are counted with {shortened(found.branches[found.missing_joins].condition)}."
    )


def surrogates_in_words(page: SheetPage, node: int) -> str:
    """The surrogates of the chosen column and how often they agree; "" if there are none."""
    listed = [
        f"{shortened(one.condition)} (agrees in {page.digits.text(one.agreement)} of the rows)"
        for one in page.tree.node(node).surrogates
    ]
    return f"Surrogates, the first that is known decides: {'; '.join(listed)}." if listed else ""


def verdict(page: SheetPage, work: NodeWork) -> Words:
    """The choice and its margin, or why there is none."""
    if work.chosen is None:
        shown = prediction_text(page, work.prediction)
        if not work.stop_reason:
            return ["Prediction: ", Run(shown, "strong"), "."]
        return ["Leaf: ", Run(shown, "strong"), f", because {why_leaf(page, work)}."]
    text, name = page.digits.text, page.score_name
    words: Words = [
        "Chosen: ",
        Run(plain(work.chosen.column), "strong"),
        f", {name} {text(work.chosen.score)}",
    ]
    if work.runner_up is not None:
        words.append(
            f"; runner-up {plain(work.runner_up.column)}, {text(work.runner_up.score)}; "
            f"margin {text(work.margin)}"
        )
    words.append(".")
    if work.ties:
        words.append(f" Tied with {', '.join(map(plain, work.ties))}: the earlier column is taken.")
    return words


def why_leaf(page: SheetPage, work: NodeWork) -> str:
    """Why a node does not split; for a collapsed one with the errors that were compared."""
    tree, group = page.tree, work.group
    if work.stop_reason == "pruned" and work.cut is None and work.is_raised:
        return "growth stopped here; raising the subtree then brought further rows"
    why = WHY_LEAF.get(work.stop_reason, work.stop_reason)
    is_plain = tree.costs is None and bool((tree.class_factor == 1).all())
    if work.stop_reason != "collapsed" or not is_plain:
        return why
    errors = group.weight - group.counts[int(tree.node_class[work.node])]
    e, n = page.digits.weight(errors), page.digits.weight(group.weight)
    return f"{why}: {e} of {n} rows are wrong either way"


def prediction_text(page: SheetPage, prediction: Any) -> str:
    """A predicted class, or a rounded number."""
    return page.digits.text(prediction) if isinstance(prediction, float) else plain(str(prediction))


def children_in_words(page: SheetPage, work: NodeWork, shown: set[int]) -> Words:
    """Where the branches lead: conditions and node numbers."""
    tree = page.tree
    n_children = int(tree.n_children[work.node])
    if not n_children:
        return []
    words: Words = ["Branches: "]
    conditions = conditions_of(tree, work.node)
    first = int(tree.first_child[work.node])
    for number in range(min(n_children, MOST_CHILDREN)):
        child = first + number
        link = anchor(child) if child in shown else ""
        words += ["; " if number else "", f"{shortened(conditions[number], LONGEST_BRANCH)} to "]
        words.append(Run(f"node {child}", link=link))
    if n_children > MOST_CHILDREN:
        words.append(f"; and {n_children - MOST_CHILDREN} more")
    return [*words, "."]


def anchor(node: int) -> str:
    """The anchor of a node's heading."""
    return f"node-{node}"
