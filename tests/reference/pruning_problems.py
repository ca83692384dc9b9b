"""Random tables to grow and prune trees on: holes, weights, costs, priors, every kind of column."""

import random
from dataclasses import dataclass, replace

import numpy as np

import treewright as tw
from reference.problem import Problem, RefColumn
from reference.random_problems import (
    FAMILIES,
    POLICIES,
    longer_problem,
    random_problem,
)
from treewright.data.column import NominalColumn, NumericColumn
from treewright.data.table import Table


@dataclass(frozen=True)
class Case:
    """A problem, and an estimator for it that does not prune."""

    problem: Problem
    model: object
    priors: tuple[float, ...] | None = None
    costs: tuple[tuple[float, ...], ...] | None = None

    @property
    def X(self) -> Table:
        return table_of(self.problem.columns, len(self.problem.target))

    @property
    def y(self) -> np.ndarray:
        return np.array(self.problem.target)

    @property
    def weights(self) -> np.ndarray:
        return np.array([float(weight) for weight in self.problem.weights])

    @property
    def rows(self) -> tuple[Table, np.ndarray, np.ndarray]:
        return self.X, self.y, self.weights


def table_of(columns: tuple[RefColumn, ...], n_rows: int) -> Table:
    made = []
    for at, column in enumerate(columns):
        if column.kind == "numeric":
            values = [np.nan if value is None else value for value in column.values]
            made.append(NumericColumn(f"c{at}", np.array(values, dtype=float)))
        else:
            codes = np.array([-1 if v is None else v for v in column.values], dtype=np.int32)
            levels = tuple(f"level {code}" for code in range(column.n_levels))
            is_ordered = column.kind == "ordered"
            made.append(NominalColumn(f"c{at}", codes, levels, is_ordered, declared=True))
    return Table(made, n_rows)


def classification_case(seed: int, *, altered: bool = True) -> Case:
    """A case with any missing policy; `altered`: perhaps with priors and costs."""
    rng = random.Random(seed)
    problem = with_every_class(_a_problem(rng, FAMILIES["classification"]), rng)
    k = problem.n_classes
    settings = problem.settings
    costs = settings.costs
    priors = None
    if altered and costs is None and rng.random() < 0.3:
        costs = tuple(
            tuple(0.0 if i == j else rng.choice((0.5, 1.0, 2.0, 4.0)) for j in range(k))
            for i in range(k)
        )
    if altered and rng.random() < 0.3:
        parts = [rng.randint(1, 6) for _ in range(k)]
        priors = tuple(part / sum(parts) for part in parts)
    if not altered and costs is not None:
        costs, settings = None, replace(settings, criterion="gini", costs=None)
    settings = replace(settings, missing=rng.choice(POLICIES), min_gain=None, costs=costs)
    model = tw.TreeClassifier(
        criterion=settings.criterion,
        nominal=settings.nominal,
        numeric=rng.choice(("threshold", "threshold", "intervals")),
        missing=settings.missing,
        max_depth=rng.choice((None, None, 3)),
        min_samples_leaf=rng.choice((1, 1, 1, 2)),
        costs=None if costs is None else [list(row) for row in costs],
        priors=None if priors is None else list(priors),
    )
    return Case(replace(problem, settings=settings), model, priors, costs)


def c45_case(seed: int) -> Case:
    rng = random.Random(seed)
    problem = with_every_class(_a_problem(rng, FAMILIES["C4.5"]), rng)
    model = tw.C45Classifier(prune=None, min_samples_leaf=rng.choice((1, 1, 2)))
    return Case(problem, model)


def regression_case(seed: int) -> Case:
    rng = random.Random(seed)
    problem = _a_problem(rng, FAMILIES["regression"])
    settings = replace(problem.settings, missing=rng.choice(POLICIES))
    model = tw.TreeRegressor(
        criterion=settings.criterion,
        nominal=settings.nominal,
        missing=settings.missing,
        min_samples_leaf=rng.choice((1, 2)),
    )
    return Case(replace(problem, settings=settings), model)


def validation_rows(case: Case, seed: int) -> Problem:
    """Other rows of the same columns, with more holes than training had."""
    rng = random.Random(seed)
    n_rows = rng.randint(4, 40)
    pool = case.problem
    columns = tuple(
        replace(
            column,
            values=tuple(
                None if rng.random() < 0.1 else rng.choice(column.values) for _ in range(n_rows)
            ),
        )
        for column in pool.columns
    )
    target = [rng.choice(pool.target) for _ in range(n_rows)]
    if pool.n_classes:
        target[:2] = [0, 1]
    weights = tuple(rng.choice((1, 1, 2, 4)) for _ in range(n_rows))
    return replace(pool, columns=columns, target=target, weights=weights)


def _a_problem(rng: random.Random, settings_of) -> Problem:
    """A problem in whole weights: estimators would scale others to a mean of 1."""
    problem = _any_problem(rng, settings_of)
    unit = 1 if all(weight == int(weight) for weight in problem.weights) else 4
    return replace(problem, weights=tuple(int(unit * weight) for weight in problem.weights))


def _any_problem(rng: random.Random, settings_of) -> Problem:
    seed = rng.randrange(2**32)
    if rng.random() < 0.4:
        return random_problem(seed, settings_of)
    return longer_problem(seed, settings_of, rng.randint(12, 60))


def with_every_class(problem: Problem, rng: random.Random) -> Problem:
    """The same with at least two classes, numbered without gaps."""
    target = list(problem.target)
    if len(set(target)) < 2:
        target = [at % 2 for at in range(len(target))]
    present = sorted(set(target))
    costs = problem.settings.costs
    if costs is not None:
        costs = tuple(tuple(costs[i][j] for j in present) for i in present)
    return replace(
        problem,
        target=[present.index(label) for label in target],
        n_classes=len(present),
        settings=replace(problem.settings, costs=costs),
    )
