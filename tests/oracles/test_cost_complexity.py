"""Cost-complexity paths are those of rpart (the cp table, by error) and scikit-learn (by impurity).

Risks of held out rows are compared on the lines that rpart itself gives again when the columns
come in another order or with another sign, and when each fold is fitted and pruned by hand.
"""

from functools import cache
from typing import Any

import numpy as np
import pytest

import treewright as tw
from oracles.goldens import cases, golden_of, problem, with_all_classes
from oracles.known_differences import compare
from oracles.test_rpart import below_ties, model_for, unstable_rows
from treewright.pruning.cost_complexity_path import CostComplexityPath
from treewright.single_trees.cart import CARTClassifier, CARTRegressor

RELATIVE = 1e-8
ROUNDED = 1e-9  # prices this close are one price, which rounding may have parted in the oracle

for_every_table = pytest.mark.parametrize(("name", "variant"), cases("rpart_pruned"))
for_every_path = pytest.mark.parametrize(("name", "variant"), cases("sklearn_paths"))


@cache
def rpart_path(name: str, variant: str) -> tuple[Any, CostComplexityPath]:
    """Our model for a golden, and its path with the risks of held out rows."""
    data = problem(name)
    folds = np.arange(len(data.y)) % 10 if data.folds is None else data.folds
    known = np.flatnonzero(~np.all([column.is_missing for column in data.table.columns], axis=0))
    rows = data.rows(known)  # rpart drops rows that know nothing
    table, y, weights = with_all_classes(rows)
    model = model_for(golden_of("rpart", name, variant), data)
    model.fit(table, y, sample_weight=weights)
    path = tw.cost_complexity_path(model, rows.table, rows.y, risk="error", folds=folds[known])
    return model, path


def table_lines(name: str, variant: str) -> list[tuple[int, list[Any]]]:
    """The lines of rpart's table, the largest tree first, and where they stand in it."""
    table = golden_of("rpart_pruned", name, variant)["cptable"]
    kept: list[tuple[int, list[Any]]] = []
    for at, line in enumerate(table):
        if not (kept and np.isclose(line[0], kept[-1][1][0], rtol=RELATIVE)):
            kept.append((at, line))
    return kept[::-1]


@for_every_table
def test_the_path_by_error_is_the_cp_table_of_rpart(name: str, variant: str) -> None:
    compare(f"rpart/{name}/{variant}/path", table_differences, name, variant)


def table_differences(name: str, variant: str) -> list[str]:
    path = rpart_path(name, variant)[1]
    lines = [line for _, line in table_lines(name, variant)]
    if len(lines) != len(path):
        return [f"{len(path)} subtrees, rpart {len(lines)}"]
    found = []
    for step, (cp, n_splits, relative_error, *_) in enumerate(lines):
        ours = path.cps[step], path.n_splits[step], path.relative_risks[step]
        if not np.allclose(ours, (cp, n_splits, relative_error), rtol=RELATIVE, atol=1e-12):
            found.append(f"{ours}, rpart {(cp, n_splits, relative_error)}")
    return found


def has_lines_without_ties(name: str, variant: str) -> bool:
    """Whether rpart gives a line of the table whatever the order of the columns is."""
    return any(line[3] is not None for _, line in table_lines(name, variant))


@pytest.mark.parametrize(
    ("name", "variant"),
    [case for case in cases("rpart_pruned", "cptable") if has_lines_without_ties(*case)],
)
def test_held_out_rows_cost_what_they_cost_in_rpart(name: str, variant: str) -> None:
    compare(f"rpart/{name}/{variant}/held out", held_out_differences, name, variant)


def held_out_differences(name: str, variant: str) -> list[str]:
    path = rpart_path(name, variant)[1]
    lines = [line for _, line in table_lines(name, variant)]
    if len(lines) != len(path):
        return [f"{len(path)} subtrees, rpart {len(lines)}"]
    held_out = path.held_out
    found = []
    for step, (cp, _, _, risk, error) in enumerate(lines):
        ours = held_out.risks[step] / held_out.root, held_out.standard_errors[step] / held_out.root
        if risk is not None and not np.allclose(ours, (risk, error), rtol=RELATIVE):
            found.append(f"cp {cp}: {ours}, rpart {(risk, error)}")
    return found


@pytest.mark.parametrize(("name", "variant"), cases("rpart_pruned", "pruned"))
def test_each_pruned_tree_answers_as_that_of_rpart(name: str, variant: str) -> None:
    compare(f"rpart/{name}/{variant}/pruned", pruned_differences, name, variant)


def pruned_differences(name: str, variant: str) -> list[str]:
    """Rows that get another answer from a subtree than from rpart's, but for ties."""
    model, path = rpart_path(name, variant)
    golden = golden_of("rpart", name, variant)
    predictions = golden_of("rpart_pruned", name, variant)["pruned"]
    table = problem(name).table
    in_doubt = below_ties(model.tree_, golden)[model.apply(table)]
    in_doubt[unstable_rows(golden, "predictions")] = True
    found = []
    for at, (cp, *_) in table_lines(name, variant):
        pruned = tw.prune(model, "cost_complexity", alpha=cp * path.risks[-1], risk="error")
        differs = ~np.isclose(pruned.predict(table), predictions[at], rtol=RELATIVE) & ~in_doubt
        found += [f"cp {cp}, row {row}" for row in np.flatnonzero(differs)]
    return found


def fitted_as_sklearn(name: str, variant: str) -> Any:
    data = problem(name)
    kind = CARTRegressor if data.classes is None else CARTClassifier
    options = golden_of("sklearn_paths", name, variant)["options"]
    return kind(**options, prune=None).fit(data.table, data.y)


@for_every_path
def test_the_path_by_impurity_is_that_of_scikit_learn(name: str, variant: str) -> None:
    golden = golden_of("sklearn_paths", name, variant)
    path = tw.cost_complexity_path(fitted_as_sklearn(name, variant))
    alphas, impurities = np.array(golden["alphas"]), np.array(golden["impurities"])
    last = np.append(np.diff(alphas) > ROUNDED * alphas[1:], True)  # of those that are one price
    np.testing.assert_allclose(path.alphas, alphas[last], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(path.risks, impurities[last], rtol=1e-9, atol=1e-12)


@for_every_path
def test_each_price_gives_the_tree_of_scikit_learn(name: str, variant: str) -> None:
    data = problem(name)
    options = golden_of("sklearn_paths", name, variant)["options"]
    kind = CARTRegressor if data.classes is None else CARTClassifier
    for golden in golden_of("sklearn_paths", name, variant)["pruned"]:
        model = kind(
            **options, ccp_alpha=golden["alpha"], prune=None if not golden["alpha"] else "auto"
        ).fit(data.table, data.y)
        assert model.get_n_leaves() == golden["n_leaves"]
        assert model.get_depth() == golden["depth"]
        np.testing.assert_allclose(model.predict(data.table), golden["predictions"])
