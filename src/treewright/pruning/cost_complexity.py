"""Cost-complexity pruning (Breiman and others, 1984): every leaf has a cost.

The price is given, or chosen by cross-validation: of the subtrees of the path, the smallest one
whose error on held out rows is within one standard error of the least.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from treewright.pruning.bottom_up import Judgment, judge_bottom_up
from treewright.pruning.cost_complexity_path import (
    CostComplexityPath,
    PathRule,
    least_price,
    node_prices,
    path_of,
)
from treewright.pruning.cross_validation import folds_for, judged_where_needed
from treewright.pruning.report import Grounds, Pruned, cut_to_leaves
from treewright.pruning.row_loss import PruningRows
from treewright.tree.rebuild import make_leaves
from treewright.tree.tree import Tree


def cost_complexity(  # noqa: PLR0913 -- keywords: the options of the method
    tree: Tree,
    rows: PruningRows | None = None,
    *,
    alpha: float | None,
    risk: str | None,
    folds: int | Sequence[int],
    standard_errors: float,
    min_cp: float | None,
    random_state: int | None,
) -> Pruned:
    """The subtree of least risk + alpha x leaves; without `alpha`, that of cross-validation."""
    risk = risk or ("error" if alpha is None else "impurity")
    rule = PathRule(risk, min_cp if risk == "error" else None)
    path = path_of(tree, rule)
    options: dict[str, Any] = {"risk": risk}
    if rule.min_cp is not None:
        options["min_cp"] = rule.min_cp
    if alpha is None and len(path) == 1:  # nothing to choose from
        step, alpha = 0, float(path.alphas[0])
    elif alpha is None:
        assert rows is not None
        fold_of_row = folds_for(rows, folds, np.random.default_rng(random_state))
        path = judged_where_needed(path, rule, rows, fold_of_row)
        assert path.held_out is not None
        step = path.held_out.simplest(standard_errors)
        alpha = float(path.alphas[step])
        n_folds = int(fold_of_row.max()) + 1
        options |= {"folds": n_folds, "standard_errors": standard_errors}
    else:
        step = path.step_for(alpha)
    return cut_at_step(path, rule, step, {"alpha": alpha} | options)


def cut_at_step(
    path: CostComplexityPath, rule: PathRule, step: int, options: Mapping[str, Any]
) -> Pruned:
    """The subtree at one step, with what each cut saved."""
    judged = judge(path.tree, **options)
    measure = f"{rule.risk} per unit of weight + {options['alpha']:g} x leaves"
    grounds = Grounds("cost_complexity", options, measure, judged.as_leaf, judged.as_subtree)
    pruned = cut_to_leaves(path.tree, path.cut_at <= step, grounds)
    return replace(pruned, report=replace(pruned.report, path=path))


def judge(
    tree: Tree, *, alpha: float, risk: str, min_cp: float | None = None, **others: Any
) -> Judgment:
    """What every node costs as a leaf, and with the best pruned form of its subtree."""
    nodes = node_prices(tree, PathRule(risk, min_cp))
    return judge_bottom_up(tree, nodes.as_leaf + alpha, nodes.stopped)


def cut_by_cost(tree: Tree, cp: float) -> Tree:
    """The subtree whose every split is worth more than `cp` times the root's risk, as in rpart.

    From the leaves up, a subtree becomes a leaf when
    (risk of its node - risk of its leaves) / (leaves - 1) <= cp x risk of the root,
    so that at `cp=0` splits go that gain nothing. While the nodes above are weighed, a child
    that is worth less for each split than the node with it is taken for a leaf already: this
    is not the textbook's weakest link, but it is what rpart does.
    """
    rule = PathRule("error", cp)
    nodes = node_prices(tree, rule)
    useless = nodes.price <= least_price(nodes, rule)
    return make_leaves(tree, useless, "pruned") if useless.any() else tree
