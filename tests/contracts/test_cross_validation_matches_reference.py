"""Cross-validated cost-complexity paths against growing and pruning the tree of every fold."""

import random
from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import clone

import treewright as tw
from reference import cross_validation_reference as cross_validation
from reference.compare_trees import assert_same_tree, near
from reference.cost_complexity_reference import error_risk, rpart_path
from reference.grown_cases import Grown, for_every_classifier, grown_models, in_chunks
from reference.problem import Problem
from reference.prunable import prunable

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


@for_every_classifier
@in_chunks
def test_cross_validation_judges_the_subtrees_as_the_reference_does(family, first):
    for seed, grown in enumerate(grown_models(family, first), start=first):
        problem = grown.problem
        folds = [row % 3 for row in range(len(problem.target))]
        random.Random(seed).shuffle(folds)
        parts = [without_fold(problem, folds, fold) for fold in range(3)]
        if grown.case.priors is not None or any(lacks_a_class(part) for part in parts):
            continue
        steps = rpart_path(grown.root, error_risk(grown.prices))
        losses = [{} for _ in steps]
        for fold, part in enumerate(parts):
            path_without = path_of_part(grown, part)
            prices = replace(grown.prices, problem=part)
            for at, price in enumerate(cross_validation.prices_to_judge_at(steps)):
                subtree = cross_validation.subtree_for(path_without, price)
                for row in range(len(folds)):
                    if folds[row] == fold:
                        losses[at][row] = cross_validation.loss_of_row(part, subtree, prices, row)
        estimates = [cross_validation.held_out(problem, of_step) for of_step in losses]
        found = tw.cost_complexity_path(grown.model, *grown.case.rows, risk="error", folds=folds)
        assert found.held_out.risks.tolist() == near([e.risk for e in estimates]), problem
        errors = [e.standard_error for e in estimates]
        assert found.held_out.standard_errors.tolist() == near(errors), problem
        chosen = steps[cross_validation.simplest(estimates, 1.0)].root
        pruned = grown.prune("cost_complexity", *grown.case.rows, risk="error", folds=folds)
        assert_same_tree(pruned.tree_, chosen, problem)


def without_fold(problem: Problem, folds: list[int], fold: int) -> Problem:
    weights = [0 if f == fold else w for f, w in zip(folds, problem.weights, strict=True)]
    return replace(problem, weights=tuple(weights))


def lacks_a_class(problem: Problem) -> bool:
    return len({problem.target[row] for row, _ in problem.all_rows}) < problem.n_classes


def path_of_part(grown: Grown, part: Problem):
    """The path of the tree that the estimator grows on the rows of positive weight."""
    X, y, weights = grown.case.rows
    rows = np.array([row for row, _ in part.all_rows])
    model = clone(grown.model).fit(X[rows], y[rows], weights[rows])
    prices = replace(grown.prices, problem=part)
    return rpart_path(prunable(model.tree_, part), error_risk(prices))
