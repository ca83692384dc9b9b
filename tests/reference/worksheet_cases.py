"""Random tables with a model fitted to each: every kind of estimator, column, hole and weight."""

import random
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial

import numpy as np

import treewright as tw
from reference.cost_complexity_reference import altered_factors
from reference.problem import Problem, RefColumn, RefSettings, class_weights
from reference.prunable import PNode, prunable
from reference.pruning_problems import table_of, with_every_class
from reference.pruning_units import Prices
from reference.random_problems import (
    C45,
    ID3,
    NOMINAL_SPLITS,
    POLICIES,
    SettingsOf,
    any_classification,
    any_regression,
    longer_problem,
    random_problem,
)

OTHER_PRUNING = (
    ("pessimistic", {}),
    ("pessimistic", {"order": "bottom_up", "standard_errors": 0.5}),
    ("minimum_error", {}),
    ("minimum_error", {"m": 2.0}),
    ("mdl", {}),
    ("critical_value", {"value": 0.2}),
    ("cost_complexity", {"alpha": 0.02}),
)

LIMITS = ("max_depth", "min_samples_split", "min_samples_leaf", "min_weight_fraction_leaf")


@dataclass(frozen=True)
class SheetCase:
    """A problem, and a model that was fitted to it."""

    problem: Problem  # with the settings and class factors that growth sees
    model: object
    X: tw.Table
    y: np.ndarray
    weights: np.ndarray | None
    prices: Prices | None  # how the leaves predict; None for a numeric target

    def sheet(self, **options: object) -> tw.Worksheet:
        return tw.worksheet(self.model, self.X, self.y, self.weights, **options)

    @cached_property
    def nodes(self) -> list[PNode]:
        """The nodes with their rows, in the numbers of the tree."""
        root = prunable(self.model.tree_, self.problem)
        return sorted(root.walk(), key=lambda node: node.number)


def a_case(family: str, seed: int) -> SheetCase:
    """The case of a seed, its model fitted."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return FAMILIES[family](random.Random(seed))


# Tables.


def _a_problem(rng: random.Random, settings_of: SettingsOf) -> Problem:
    seed = rng.randrange(2**32)
    if rng.random() < 0.6:
        problem = random_problem(seed, settings_of)
    else:
        problem = longer_problem(seed, settings_of, rng.randint(10, 30))
    if problem.n_classes:
        problem = with_every_class(problem, rng)
    return problem


def _with_rows_of_no_weight(problem: Problem, rng: random.Random) -> Problem:
    """Some rows weigh nothing; the others still have every class."""
    weights = [0 if rng.random() < 0.15 else weight for weight in problem.weights]
    left = {problem.target[row] for row, weight in enumerate(weights) if weight}
    has_all = len(left) > 1 and (not problem.n_classes or left == set(problem.target))
    return replace(problem, weights=tuple(weights)) if has_all else problem


def _in_whole_weights(problem: Problem) -> Problem:
    """Quarters as whole weights, since a model would scale others to a mean of 1."""
    unit = 1 if all(weight == int(weight) for weight in problem.weights) else 4
    return replace(problem, weights=tuple(int(unit * weight) for weight in problem.weights))


def _with_counts(problem: Problem) -> Problem:
    """The problem whose limits count whole weights as rows, as those of models do."""
    positive = [weight for weight in problem.weights if weight]
    are_counts = set(positive) != {1} and all(weight == int(weight) for weight in positive)
    settings = replace(problem.settings, weights_are_counts=are_counts)
    return replace(problem, settings=settings)


def _fitted(problem: Problem, model: object, prices: Prices | None, factors=None) -> SheetCase:
    """The case; `factors` multiply the weights of the classes before anything is fitted."""
    problem = _in_whole_weights(problem)
    X = table_of(problem.columns, len(problem.target))
    y = np.array(problem.target, dtype=float)
    if problem.n_classes:
        y = np.array([f"class {code}" for code in problem.target])
    weights = np.array([float(weight) for weight in problem.weights])
    given = None if set(problem.weights) == {1} else weights
    model.fit(X, y, sample_weight=given)
    if factors is not None:
        pairs = zip(problem.weights, problem.target, strict=True)
        problem = replace(problem, weights=tuple(w * factors[code] for w, code in pairs))
        prices = Prices.of(problem)
    problem = _with_counts(problem)
    return SheetCase(problem, model, X, y, given, prices)


# Families of models.


def _general(rng: random.Random, numeric: str = "threshold") -> SheetCase:
    problem = _a_problem(rng, any_classification)
    if rng.random() < 0.3:
        problem = _with_rows_of_no_weight(problem, rng)
    settings = replace(problem.settings, costs=None, missing=rng.choice(POLICIES), numeric=numeric)
    if settings.criterion == "cost_gini":
        settings = replace(settings, criterion="entropy")
    model = tw.TreeClassifier(**_general_options(settings), **_growth_order(rng))
    problem = replace(problem, settings=replace(settings, use_once=False))
    return _fitted(problem, model, Prices.of(problem))


def _general_options(settings: RefSettings) -> dict[str, object]:
    names = ("criterion", "nominal", "numeric", "missing", "min_gain", *LIMITS)
    return {name: getattr(settings, name) for name in names}


def _growth_order(rng: random.Random) -> dict[str, object]:
    """Now and then the best split first, with a limit."""
    if rng.random() < 0.7:
        return {}
    return {rng.choice(("max_leaf_nodes", "max_splits")): rng.randint(2, 5)}


def _priced(rng: random.Random) -> SheetCase:
    """Priors and costs, in CART or in a general tree."""
    problem = _a_problem(rng, any_classification)
    k = problem.n_classes
    costs = tuple(
        tuple(0.0 if i == j else rng.choice((0.5, 1.0, 2.0, 4.0)) for j in range(k))
        for i in range(k)
    )
    parts = [rng.randint(1, 6) for _ in range(k)]
    priors = tuple(part / sum(parts) for part in parts)
    given_costs, given_priors = rng.choice(((costs, None), (None, priors), (costs, priors)))
    criterion = rng.choice(("gini", "entropy", *(("cost_gini",) if given_costs else ())))
    settings = replace(
        problem.settings,
        criterion=criterion,
        costs=given_costs,
        missing=rng.choice(POLICIES),
        use_once=False,
    )
    options = {
        "costs": None if given_costs is None else [list(row) for row in given_costs],
        "priors": None if given_priors is None else list(given_priors),
    }
    if rng.random() < 0.5 and criterion != "cost_gini":
        settings = replace(settings, nominal="subset", missing="surrogate", min_gain=None)
        shared = {name: getattr(settings, name) for name in ("criterion", *LIMITS)}
        model = tw.CARTClassifier(**shared, **options, prune=None)
    else:
        model = tw.TreeClassifier(**_general_options(settings), **options)
    problem = replace(problem, settings=settings)
    prices = Prices.of(problem, given_priors, given_costs)
    factors = altered_factors(problem, prices)
    problem = replace(problem, settings=replace(settings, class_factor=factors))
    return _fitted(problem, model, prices)


def _class_weighted(rng: random.Random) -> SheetCase:
    """`class_weight` multiplies the weights of rows, whatever the measure."""
    problem = _a_problem(rng, any_classification)
    settings = replace(
        problem.settings, criterion=rng.choice(("information_gain", "gini")), costs=None
    )
    problem = replace(problem, settings=replace(settings, use_once=False))
    totals = class_weights(problem, problem.all_rows)
    # Balanced weights are not exact: which of two equal sides is heavier would be left to rounding.
    if rng.random() < 0.4 and settings.missing in ("fractional", "learned", "branch", "stop"):
        factors = [Fraction(sum(totals)) / (len(totals) * Fraction(total)) for total in totals]
        given: object = "balanced"
    else:
        factors = [rng.randint(1, 12) for _ in totals]
        given = {f"class {code}": float(factor) for code, factor in enumerate(factors)}
    model = tw.TreeClassifier(**_general_options(settings), class_weight=given)
    return _fitted(problem, model, Prices.of(problem), factors)


def _id3(rng: random.Random) -> SheetCase:
    """Columns of levels; numbers and orders become levels before growth sees them."""
    criterion = rng.choice(("information_gain", "gain_ratio", "gini", "chi2"))
    problem = _a_problem(
        rng, lambda rng, _k: replace(ID3, criterion=criterion, missing=rng.choice(POLICIES))
    )
    problem = _in_whole_weights(problem)
    order = None
    if rng.random() < 0.2:
        order = tuple(rng.sample(range(len(problem.columns)), len(problem.columns)))
    model = tw.ID3Classifier(
        criterion=criterion,
        missing=problem.settings.missing,
        column_order=order,
        discretize=rng.choice(("mdl", "equal_width", "equal_frequency")),
        n_bins=3,
        max_depth=problem.settings.max_depth,
    )
    case = _fitted(problem, model, Prices.of(problem))
    columns = tuple(
        _as_levels(column, model.cut_points_.get(f"c{at}", ()))
        for at, column in enumerate(problem.columns)
    )
    settings = replace(problem.settings, column_order=order)
    return replace(case, problem=replace(problem, columns=columns, settings=settings))


def _as_levels(column: RefColumn, cuts: tuple[float, ...]) -> RefColumn:
    """The column as ID3 sees it: numbers are the intervals that they lie in."""
    if column.kind != "numeric":
        return replace(column, kind="nominal")
    codes = (None if v is None else sum(v > cut for cut in cuts) for v in column.values)
    return RefColumn("nominal", tuple(codes), len(cuts) + 1)


def _c45(rng: random.Random, **pruning: object) -> SheetCase:
    settings = replace(
        C45,
        min_samples_leaf=rng.choice((1, 2, 2, 3)),
        min_samples_split=0,
        average_gain_filter=rng.random() < 0.7,
        mdl_correction=rng.random() < 0.7,
        data_value_thresholds=rng.random() < 0.7,
        j48_gaps=rng.random() < 0.5,
        nominal=rng.choice(("branches", "branches", *NOMINAL_SPLITS)),
        missing=rng.choice(("fractional", "fractional", *POLICIES)),
        min_gain=rng.choice((0.0, 0.0, 0.05)),
    )
    problem = _a_problem(rng, lambda _rng, _k: settings)
    if rng.random() < 0.3:
        problem = _with_rows_of_no_weight(problem, rng)
    same = ("min_samples_leaf", "average_gain_filter", "mdl_correction", "nominal", "missing")
    model = tw.C45Classifier(
        **{name: getattr(settings, name) for name in same},
        min_gain=settings.min_gain,
        midpoint_thresholds=not settings.data_value_thresholds,
        j48_gaps=settings.j48_gaps,
        max_depth=problem.settings.max_depth,
        **(pruning or {"prune": None, "collapse": rng.random() < 0.5}),
    )
    return _fitted(problem, model, Prices.of(problem))


def _pruned(rng: random.Random) -> SheetCase:
    """C4.5 as it is used, CART with a price for each split, any tree by any other method."""
    kind = rng.choice(("C4.5", "C4.5", "CART", "others"))
    if kind == "others":
        case = _general(rng)
        method, options = rng.choice(OTHER_PRUNING)
        return replace(case, model=tw.prune(case.model, method, **options))
    if kind == "C4.5":
        return _c45(rng, prune="error_based", subtree_raising=rng.random() < 0.6)
    problem = _a_problem(rng, any_classification)
    settings = replace(
        problem.settings,
        criterion=rng.choice(("gini", "entropy")),
        nominal="subset",
        missing="surrogate",
        costs=None,
        use_once=False,
        min_gain=None,
    )
    shared = {name: getattr(settings, name) for name in ("criterion", *LIMITS)}
    if rng.random() < 0.5:
        model = tw.CARTClassifier(**shared, cp=rng.choice((0.0, 0.05, 0.2)))
        settings = replace(settings, min_gain=0.0)
    else:
        model = tw.CARTClassifier(**shared, ccp_alpha=rng.choice((0.01, 0.05)))
    problem = replace(problem, settings=settings)
    return _fitted(problem, model, Prices.of(problem))


def _regression(rng: random.Random) -> SheetCase:
    problem = _a_problem(rng, any_regression)
    if rng.random() < 0.3:
        problem = _with_rows_of_no_weight(problem, rng)
    settings = replace(problem.settings, missing=rng.choice(POLICIES))
    if rng.random() < 0.3:
        settings = replace(settings, nominal="subset", missing="surrogate", min_gain=None)
        shared = {name: getattr(settings, name) for name in ("criterion", *LIMITS)}
        model = tw.CARTRegressor(**shared)
    else:
        model = tw.TreeRegressor(**_general_options(settings), **_growth_order(rng))
    return _fitted(replace(problem, settings=settings), model, None)


FAMILIES: dict[str, Callable[[random.Random], SheetCase]] = {
    "general": _general,
    "intervals": partial(_general, numeric="intervals"),
    "priors and costs": _priced,
    "class weights": _class_weighted,
    "ID3": _id3,
    "C4.5": _c45,
    "pruned": _pruned,
    "regression": _regression,
}
