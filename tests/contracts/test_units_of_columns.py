"""The unit of a column is no information: every tree-based model grows the same tree in any unit.

Numeric columns are multiplied by powers of two, which is exact. Thresholds must be multiplied by
the same factors, bit for bit, and everything else must stay as it is.
"""

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_classifier

import treewright as tw
from treewright import registry
from treewright.rulesets.condition import Condition
from treewright.tree.layout import INTERVALS, OBLIQUE, THRESHOLD
from treewright.tree.tree import Tree

N_ROWS = 320  # more than 255 different values: histograms then cut at quantiles
NUMERIC = ("size", "count", "load")
EXPONENTS = (-100, -27, -1, 3, 40, 100)
FEW = {"n_estimators": 3}
BOOSTED = {**FEW, "learning_rate": 0.3, "min_samples_leaf": 4, "max_leaf_nodes": 6}

Factors = dict[str, float]


@dataclass(frozen=True)
class Case:
    """A model, and what of it may depend on units."""

    make: Callable[[], Any]
    is_of_one_unit: bool = False  # columns are summed: only a factor for all of them is tried
    has_exact_thresholds: bool = True


CASES = {
    "ID3": Case(lambda: tw.ID3Classifier(max_depth=3)),
    "ID3, equal width": Case(lambda: tw.ID3Classifier(discretize="equal_width", max_depth=3)),
    "ID3, equal frequency": Case(
        lambda: tw.ID3Classifier(discretize="equal_frequency", max_depth=3)
    ),
    "ID3, k-means": Case(lambda: tw.ID3Classifier(discretize="kmeans", max_depth=3)),
    "C4.5": Case(tw.C45Classifier),
    "C4.5, midpoints": Case(lambda: tw.C45Classifier(midpoint_thresholds=True, prune=None)),
    "C4.5 rules": Case(tw.C45Rules),
    "C4.5 rules, simple": Case(lambda: tw.C45Rules(simple=True, max_depth=4)),
    "CART": Case(tw.CARTClassifier),
    "CART, rpart's rules": Case(lambda: tw.CARTClassifier(cp=0.01)),
    "CART, cross-validated": Case(lambda: tw.CARTClassifier(prune="cv")),
    "CART of numbers": Case(tw.CARTRegressor),
    "CART, absolute error": Case(
        lambda: tw.CARTRegressor(prune=None, criterion="absolute_error", max_depth=4)
    ),
    "CART, Poisson": Case(lambda: tw.CARTRegressor(prune=None, criterion="poisson", max_depth=4)),
    "Tree": Case(tw.TreeClassifier),
    "Tree, intervals": Case(lambda: tw.TreeClassifier(numeric="intervals")),
    "Tree, at most 4 intervals": Case(
        lambda: tw.TreeClassifier(numeric="intervals", max_intervals=4, max_depth=3)
    ),
    "Tree, gain ratio, branch for missing": Case(
        lambda: tw.TreeClassifier(criterion="gain_ratio", missing="branch")
    ),
    "Tree, chi-square": Case(lambda: tw.TreeClassifier(criterion="chi2", significance=0.05)),
    "Tree of numbers": Case(lambda: tw.TreeRegressor(missing="learned", max_leaf_nodes=12)),
    "Oblique tree": Case(tw.ObliqueTreeClassifier, is_of_one_unit=True, has_exact_thresholds=False),
    "Optimal tree": Case(lambda: tw.OptimalTreeClassifier(max_depth=2)),
    "Readable tree": Case(lambda: tw.ReadableTreeClassifier(max_leaf_nodes=4, distil=False)),
    "Readable tree of numbers": Case(
        lambda: tw.ReadableTreeRegressor(max_leaf_nodes=4, distil=False)
    ),
    "Optimal tree, penalty": Case(lambda: tw.OptimalTreeClassifier(max_depth=3, penalty=0.02)),
    "Model tree": Case(tw.M5Regressor),
    "Model tree, not smoothed": Case(lambda: tw.M5Regressor(smoothing=False, prune=False)),
    "Random forest": Case(lambda: tw.RandomForestClassifier(**FEW)),
    "Random forest, exact": Case(lambda: tw.RandomForestClassifier(splits="exact", **FEW)),
    "Random forest of C4.5 and ID3": Case(
        lambda: tw.RandomForestClassifier(
            inductors=[tw.C45Classifier(), tw.ID3Classifier(max_depth=2)], **FEW
        )
    ),
    "Random forest of numbers": Case(lambda: tw.RandomForestRegressor(**FEW)),
    "Extra trees": Case(lambda: tw.ExtraTreesClassifier(**FEW)),
    "Extra trees of numbers": Case(lambda: tw.ExtraTreesRegressor(**FEW)),
    "Isolation forest": Case(lambda: tw.IsolationForest(**FEW)),
    "Boosted trees": Case(lambda: tw.BoostedTreesClassifier(**BOOSTED)),
    "Boosted trees, symmetric": Case(
        lambda: tw.BoostedTreesClassifier(
            growth="symmetric", **{**BOOSTED, "max_leaf_nodes": None, "max_depth": 3}
        )
    ),
    "Boosted trees of numbers": Case(
        lambda: tw.BoostedTreesRegressor(monotonic_cst={"size": 1}, max_bins=20, **BOOSTED)
    ),
}
for_every_case = pytest.mark.parametrize("case", CASES.values(), ids=CASES)


def table() -> pd.DataFrame:
    """Numbers of many and of few different values, some missing; a category."""
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(
        {
            "color": rng.choice(["red", "green", "blue"], N_ROWS),
            "size": rng.normal(size=N_ROWS),
            "count": rng.integers(0, 9, N_ROWS).astype(float),
            "load": rng.exponential(size=N_ROWS).round(2),
        }
    )
    frame.loc[rng.random(N_ROWS) < 0.1, "load"] = np.nan
    return frame


def target(model: Any, frame: pd.DataFrame) -> np.ndarray:
    """Three classes, or counts."""
    noise = np.random.default_rng(4).normal(scale=0.5, size=N_ROWS)
    score = frame["size"] + 0.3 * frame["count"] + (frame["color"] == "red") + noise
    score = score + (frame["size"] > 0.5) * frame["count"]
    score = (score + frame["load"].fillna(1.0)).to_numpy()
    if is_classifier(model):
        return np.array(["low", "mid", "high"])[np.digitize(score, np.quantile(score, [0.4, 0.7]))]
    return np.floor(score - score.min())


def in_other_units(frame: pd.DataFrame, factors: Factors) -> pd.DataFrame:
    return frame.assign(**{name: frame[name] * factor for name, factor in factors.items()})


def factors_of(*exponents: int) -> Factors:
    return {name: 2.0**k for name, k in zip(NUMERIC, exponents, strict=True)}


def factors_to_try(case: Case) -> Iterator[Factors]:
    """One factor for all columns; then one for each."""
    for k in EXPONENTS:
        yield factors_of(k, k, k)
    if not case.is_of_one_unit:
        yield factors_of(100, -100, 7)
        yield factors_of(-3, 61, -88)


def test_every_model_of_trees_is_tried():
    public = [getattr(tw, name) for name in tw.__all__]
    with_fit = [one for one in public if inspect.isclass(one) and hasattr(one, "fit")]
    imported = {getattr(tw, name) for name in registry.IMPORTED}  # which nobody fits
    of_trees = {one for one in with_fit if {"tree_", "trees_"} & set(words_of(one))} - imported
    assert {type(case.make()) for case in CASES.values()} == of_trees


def words_of(kind: type) -> list[str]:
    """What a class says of its attributes."""
    return inspect.getdoc(kind).partition("Attributes\n")[2].split()


@for_every_case
def test_the_tree_is_the_same_in_any_unit(case):
    frame = table()
    model = case.make()
    y = target(model, frame)
    one = clone(model).fit(frame, y)
    for factors in factors_to_try(case):
        moved = in_other_units(frame, factors)
        other = clone(model).fit(moved, y)
        for a, b in zip(trees_of(one), trees_of(other), strict=True):
            assert_same_tree(a, b, factors, exact=case.has_exact_thresholds)
        np.testing.assert_array_equal(predictions(one, frame), predictions(other, moved))
        assert cut_points_of(one, factors) == cut_points_of(other, {})
    assert any(asks_numbers(tree) for tree in trees_of(one)) or any(cut_points_of(one, {}).values())


@pytest.mark.parametrize("simple", [False, True])
def test_the_rules_are_the_same_in_any_unit(simple):
    frame = table()
    model = tw.C45Rules(simple=simple)
    y = target(model, frame)
    one = clone(model).fit(frame, y)
    for factors in factors_to_try(CASES["C4.5 rules"]):
        other = clone(model).fit(in_other_units(frame, factors), y)
        assert len(one.rules_) == len(other.rules_) > 3
        for a, b in zip(one.rules_, other.rules_, strict=True):
            in_units = tuple(in_unit(condition, factors) for condition in a.conditions)
            assert in_units == b.conditions
            assert replace(a, conditions=b.conditions) == b


SCALED = {
    "k nearest neighbors": tw.KNeighborsClassifier,
    "k nearest neighbors, standardized": lambda: tw.KNeighborsRegressor(scale="standard"),
    "K-Means, standardized": lambda: tw.KMeans(n_clusters=3, scale="standard"),
    "K-Means, by range": lambda: tw.KMeans(n_clusters=3, scale="range"),
    "K-Prototypes": lambda: tw.KPrototypes(n_clusters=3),
    "linear regression": tw.GradientDescentRegressor,
    "logistic regression": tw.GradientDescentClassifier,
}


@pytest.mark.parametrize("make", SCALED.values(), ids=SCALED)
def test_models_that_scale_columns_themselves_predict_the_same_in_any_unit(make):
    model = make()
    frame = table()[list(NUMERIC)] if isinstance(model, tw.KMeans) else table()
    moved = in_other_units(frame, factors_of(30, -40, 7))
    y = target(model, table())
    one, other = clone(model).fit(frame, y), clone(model).fit(moved, y)
    np.testing.assert_array_equal(one.predict(frame), other.predict(moved))


def in_unit(condition: Condition, factors: Factors) -> Condition:
    factor = factors.get(condition.columns[0].name, 1.0)
    questions = [
        replace(
            question,
            low=None if question.low is None else question.low * factor,
            high=None if question.high is None else question.high * factor,
        )
        for question in condition.questions
    ]
    return replace(condition, questions=tuple(questions))


def predictions(model: Any, X: pd.DataFrame) -> np.ndarray:
    if isinstance(model, tw.IsolationForest):
        return model.score_samples(X)
    return model.predict_proba(X) if is_classifier(model) else model.predict(X)


def trees_of(model: Any) -> list[Tree]:
    return [model.tree_] if hasattr(model, "tree_") else list(model.trees_)


def cut_points_of(model: Any, factors: Factors) -> dict[str, list[float]]:
    """Where columns were cut in advance, multiplied by the factors."""
    cut_points = getattr(model, "cut_points_", {})
    return {
        name: [cut * factors.get(name, 1.0) for cut in cuts] for name, cuts in cut_points.items()
    }


def asks_numbers(tree: Tree) -> bool:
    return bool(np.isin(tree.kind, (THRESHOLD, INTERVALS, OBLIQUE)).any())


def assert_same_tree(one: Tree, other: Tree, factors: Factors, *, exact: bool) -> None:
    """Thresholds multiplied by the factors of their columns, all other arrays equal."""
    factor = np.array([factors.get(name, 1.0) for name in one.schema.names] + [1.0])
    of_node = factor[one.feature]
    scaled = {
        "threshold": one.threshold * of_node,
        "cut": one.cut * np.repeat(of_node, np.diff(one.cut_start)),
        "surrogate_threshold": one.surrogate_threshold * factor[one.surrogate_feature],
        "competitor_threshold": one.competitor_threshold * factor[one.competitor_feature],
    }
    if len(one.term_feature):  # sums of columns in one unit
        of_sum = np.diff(one.term_start) > 0
        scaled["threshold"][of_sum] *= factors[NUMERIC[0]]
    for field in fields(Tree):
        if field.name in ("schema", "classes", "unseen", "costs"):
            continue
        expected = scaled.get(field.name, getattr(one, field.name))
        found = getattr(other, field.name)
        if field.name == "threshold" and not exact:
            np.testing.assert_allclose(found, expected, rtol=0.01, err_msg=field.name)
        else:
            np.testing.assert_array_equal(found, expected, err_msg=field.name)
