"""Every short cut of the core can be left out, and gives the result of the plain way.

Each is tried on models and tables that take it: the bytes of the model file and of the predictions
must be the same. Weights and targets are quarters, and targets have the mean 0, so that no sum is
rounded and the order in which rows are added up cannot show. `counted_tallies` has formulas of its
own, so gains may differ in their last digits. The short cuts of optimal trees may find another one
of several best trees.
"""

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from contracts.test_core_matches_reference import (
    core_tree,
    settings_of,
    table_of,
    target_of,
    weights_of,
)
from reference.random_problems import (
    FAMILIES,
    longer_problem,
    many_levels_problem,
    random_problem,
    wide_problem,
)
from treewright._kernels.short_cuts import ENVIRONMENT, NAMES, leave_out, left_out, met
from treewright.induction.growth import grow_tree
from treewright.verbs.load import model_bytes

OTHER_FORMULA = {"counted_tallies"}
EXACT = [name for name in NAMES if name not in OTHER_FORMULA]


# ------------------------------------------------------------------ tables that take short cuts


@cache
def long_table(n_rows: int = 6000) -> tuple[pd.DataFrame, np.ndarray]:
    """Numbers of few and many values, flags, levels, holes; a score in quarters."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({f"x{i}": rng.normal(size=n_rows) for i in range(3)})
    frame["tenths"] = frame["x0"].round(1) + rng.integers(0, 2, n_rows) / 10
    for i in range(5):
        frame[f"flag{i}"] = rng.random(n_rows) < 0.2
    for name, n_levels in {"few": 5, "some": 40, "many": 300}.items():
        frame[name] = pd.Categorical.from_codes(
            rng.integers(0, n_levels, n_rows), [f"level {code}" for code in range(n_levels)]
        )
    score = 2 * frame["x0"] * frame["x1"] + frame["flag0"] + frame["many"].cat.codes % 7
    frame.loc[rng.random(n_rows) < 0.03, ["x2", "tenths"]] = np.nan
    return frame, balanced((score + rng.normal(size=n_rows)).to_numpy())


@cache
def matrix(n_rows: int = 3000, n_columns: int = 10) -> tuple[np.ndarray, np.ndarray]:
    """Numbers side by side, so that columns are gathered; some of them equal."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n_rows, n_columns)).round(2)
    X[: n_rows // 10] = X[n_rows // 10 : n_rows // 10 * 2]
    return X, balanced(X[:, 0] + X[:, 1] * X[:, 2])


def balanced(score: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
    """The same in quarters, with the mean 0 by weights that are quarters too."""
    quarters = np.round(4 * (score - score.mean())).astype(int)
    shares = np.ones(len(score), int) if weights is None else (4 * weights).astype(int)
    light = np.flatnonzero(shares == 1)
    each, rest = divmod(int(shares @ quarters), len(light))
    quarters[light] -= each
    quarters[light[:rest]] -= 1
    return quarters / 4


def classes(score: np.ndarray, n: int) -> np.ndarray:
    return np.digitize(score, np.quantile(score, np.arange(1, n) / n))


def content(model, X, *more: np.ndarray) -> bytes:
    """The file of a model and what it predicts: for the first rows one by one, for all, and again.

    A model that has predicted many rows may be arranged for it.
    """
    ask = model.predict_proba if hasattr(model, "predict_proba") else model.predict
    if isinstance(model, tw.KMeans):
        ask = model.transform
    rows = X.iloc if isinstance(X, pd.DataFrame) else X

    def singles() -> list[np.ndarray]:
        return [ask(rows[at : at + 1]) for at in range(8)]

    parts = (*singles(), ask(X), *singles(), *more)
    return model_bytes(model) + b"".join(part.tobytes() for part in parts)


# ------------------------------------------------------------------ what is made both ways


def two_classes() -> bytes:
    X, score = long_table()
    return content(tw.CARTClassifier(prune=None, max_depth=9).fit(X, classes(score, 2)), X)


def four_classes() -> bytes:
    X, score = long_table()
    model = tw.TreeClassifier(criterion="gain_ratio", nominal="branches", missing="learned")
    return content(model.set_params(max_depth=6).fit(X, classes(score, 4)), X)


def weighted_numbers() -> bytes:
    X, score = long_table()
    weights = np.arange(len(score)) % 4 / 2 + 0.25  # their mean is 1
    target = balanced(score, weights)
    return content(
        tw.CARTRegressor(prune=None, max_depth=7).fit(X, target, sample_weight=weights), X
    )


def numbers_of_a_matrix() -> bytes:
    X, score = matrix()
    single = X.astype(np.float32)
    model = tw.TreeRegressor(min_samples_leaf=3).fit(single, score)
    return content(model, single) + content(tw.TreeRegressor(max_depth=5).fit(X, score), X)


def classes_of_a_matrix() -> bytes:
    X, score = matrix()
    model = tw.TreeClassifier(min_samples_leaf=3, max_depth=6)
    return content(model.fit(X, classes(score, 3)), X)


@cache
def tall_matrix() -> tuple[np.ndarray, np.ndarray]:
    X, score = matrix(270_000, 3)
    return X, classes(score, 2)


def many_rows() -> bytes:
    X, y = tall_matrix()
    return content(tw.TreeClassifier(max_depth=3).fit(X, y), X[:100])


def pruned() -> bytes:
    X, score = matrix()
    return content(tw.C45Classifier(subtree_raising=True).fit(X, classes(score, 3)), X)


def cross_validated() -> bytes:
    """Trees of folds, of which only the best columns matter."""
    X, score = long_table()
    found = []
    for model, y in (
        (tw.CARTClassifier(max_depth=8), classes(score, 2)),
        (tw.CARTClassifier(criterion="entropy", max_depth=6), classes(score, 3)),
        (tw.CARTRegressor(max_depth=6), score),
    ):
        held_out = model.fit(X, y).pruning_.path.held_out
        found += [content(model, X), held_out.risks.tobytes()]
    return b"".join(found)


def forests() -> bytes:
    X, score = long_table()
    several = {"n_estimators": 4, "max_depth": 9, "random_state": 1}
    forest = tw.RandomForestClassifier(**several).fit(X, classes(score, 3))
    numbers = tw.ExtraTreesRegressor(**several).fit(X, score)
    return content(forest, X) + content(numbers, X)


def boosted() -> bytes:
    X, score = long_table()
    leaves = {"n_estimators": 5, "min_samples_leaf": 5}
    plain = tw.BoostedTreesClassifier(**leaves).fit(X, classes(score, 3))
    even = tw.BoostedTreesRegressor(**leaves, growth="symmetric", max_depth=4).fit(X, score)
    deep = tw.BoostedTreesRegressor(n_estimators=2, max_leaf_nodes=200).fit(X, score)
    numbers, of_numbers = matrix()
    walked = tw.BoostedTreesRegressor(n_estimators=2, max_leaf_nodes=200).fit(numbers, of_numbers)
    narrow = X.drop(columns="many")  # columns of so many categories have no planes
    planes = tw.BoostedTreesClassifier(**leaves).fit(narrow, classes(score, 3))
    asked = ((plain, X), (even, X), (deep, X), (walked, numbers), (planes, narrow))
    return b"".join(content(model, rows) for model, rows in asked)


def shapley() -> bytes:
    X, score = matrix(600, 6)
    model = tw.BoostedTreesRegressor(n_estimators=4).fit(X, score)
    by_weight = tw.shap_values(model, X[:40]).values
    against = tw.shap_values(model, X[:40], background=X[:30]).values
    return np.round(np.concatenate([by_weight, against]), 9).tobytes()


def neighbors() -> bytes:
    X, score = matrix(1200, 5)
    voting = tw.KNeighborsClassifier(ties="all", n_jobs=2).fit(X, classes(score, 3))
    frame, target = long_table()
    mixed = frame.iloc[:700].drop(columns="many")
    numbers = tw.KNeighborsRegressor(n_neighbors=3, weights="distance").fit(mixed, target[:700])
    return content(voting, X[:200]) + content(numbers, mixed[:200])


def clusters() -> bytes:
    X, _ = matrix(6000, 6)
    model = tw.KMeans(n_clusters=9, n_init=2, random_state=0, n_jobs=2).fit(X)
    return content(model, X, model.labels_)


def optimal(n_columns: int = 4, max_cuts: int | None = 8) -> bytes:
    """Of several best trees another may be found: what is the same is how good it is."""
    X, score = matrix(260, n_columns)
    y = classes(score, 3)
    found = [
        tw.OptimalTreeClassifier(max_depth=depth, max_cuts=max_cuts, penalty=penalty).fit(X, y)
        for depth, penalty in [(2, 0.0), (3, 0.0), (3, 0.01)]
        if depth == 2 or max_cuts
    ]
    right = [int((model.predict(X) == y).sum()) for model in found]
    return str([right, [model.get_n_leaves() for model in found]]).encode()


def optimal_of_many_thresholds() -> bytes:
    return optimal(8, None)


COUNTED = (two_classes, four_classes, weighted_numbers)
MADE: dict[str, tuple[Callable[[], bytes], ...]] = {
    "threads": (two_classes, weighted_numbers, forests, neighbors, clusters),
    "gathered_columns": (numbers_of_a_matrix, pruned),
    "radix_sort": (numbers_of_a_matrix, boosted),
    "counted_columns": COUNTED,
    "counted_rows": COUNTED,
    "bit_bundles": (two_classes, four_classes),
    "class_tables": (two_classes, four_classes),
    "smaller_side": (two_classes, boosted),
    "traced_scan": (two_classes, numbers_of_a_matrix),
    "two_class_subset": (two_classes,),
    "local_subtrees": (two_classes, weighted_numbers),
    "binned_columns": (many_rows,),
    "sorted_subtrees": (classes_of_a_matrix,),
    "gain_to_beat": (cross_validated,),
    "prediction_lanes": (numbers_of_a_matrix, boosted),
    "compared_numbers": (pruned,),
    "bin_guide": (boosted,),
    "few_rows_listed": (forests,),
    "split_shortlist": (boosted,),
    "tree_forms": (forests, boosted),
    "wide_lanes": (boosted,),
    "trees_at_once": (boosted,),
    "shapley_lanes": (shapley,),
    "shapley_masks": (shapley,),
    "quick_distances": (neighbors,),
    "box_bounds": (neighbors,),
    "quick_centers": (clusters,),
    "center_bounds": (clusters,),
    "cut_bounds": (optimal_of_many_thresholds,),
    "stump_scan": (optimal_of_many_thresholds,),
    "pair_counts": (optimal,),
}
EVERYTHING = tuple(dict.fromkeys(make for makes in MADE.values() for make in makes))


@cache
def by_short_cuts(make: Callable[[], bytes]) -> bytes:
    with left_out():
        return make()


def test_every_short_cut_is_tried():
    assert {*MADE, *OTHER_FORMULA} == {*NAMES}


def is_of_this_processor(name: str) -> bool:
    """Whether this processor has what the short cut is for."""
    return name != "wide_lanes" or "avx2" in Path("/proc/cpuinfo").read_text()


@pytest.mark.parametrize("name", MADE)
def test_the_plain_way_gives_the_same_bytes(name):
    for make in MADE[name]:
        by_all = by_short_cuts(make)
        met()
        with left_out(name):
            assert make() == by_all, make.__name__
        if is_of_this_processor(name):
            assert name in met(), f"{make.__name__} does not come to it"


@pytest.mark.parametrize("make", EVERYTHING, ids=lambda make: make.__name__)
def test_without_any_short_cut_the_bytes_are_the_same(make):
    with left_out(*EXACT):
        assert make() == by_short_cuts(make)


# ------------------------------------------------------------------ random small tables


def check_problem_both_ways(problem) -> None:
    with left_out():
        tree = core_tree(problem)
    counts_rows = {*problem.weights} == {1} and problem.settings.missing != "fractional"
    for names in (EXACT, NAMES):
        with left_out(*names):
            plain = core_tree(problem)
        for part in ("kind", "feature", "threshold", "missing_child", "level_child", "cut"):
            np.testing.assert_array_equal(
                getattr(plain, part), getattr(tree, part), err_msg=f"{part} of {problem}"
            )
        for part in ("value", "weight", "gain", "impurity"):
            np.testing.assert_allclose(
                getattr(plain, part), getattr(tree, part), rtol=1e-12, atol=1e-12, err_msg=part
            )
        if names is EXACT and problem.n_classes and counts_rows:
            assert plain.same_as(tree), problem


@pytest.mark.parametrize("family", FAMILIES)
def test_random_tables_grow_the_same_tree_both_ways(family):
    for seed in range(25):
        check_problem_both_ways(random_problem(seed, FAMILIES[family]))
        check_problem_both_ways(wide_problem(seed, FAMILIES[family]))
    for seed in range(4):
        check_problem_both_ways(longer_problem(seed, FAMILIES[family], 150))


@pytest.mark.parametrize("family", FAMILIES)
def test_without_competitors_random_tables_grow_the_same_splits(family):
    """Columns that cannot win are not looked at to the end."""
    for seed in range(40):
        for make in (random_problem, wide_problem):
            problem = make(seed, FAMILIES[family])
            settings = replace(settings_of(problem), n_competitors=0)
            rows = table_of(problem), target_of(problem), weights_of(problem)
            alone = grow_tree(*rows, settings)
            with left_out("gain_to_beat"):
                assert alone.same_as(grow_tree(*rows, settings)), problem


@pytest.mark.parametrize(("family", "seed"), [("altered priors", 1221), ("intervals", 2574)])
def test_few_rows_of_one_value_are_a_leaf_for_the_same_reason_both_ways(family, seed):
    check_problem_both_ways(random_problem(seed, FAMILIES[family]))


@pytest.mark.parametrize(
    ("family", "seed"),
    [("classification", 13), ("classification", 1151), ("altered priors", 484), ("C4.5", 1068)],
)
def test_minus_infinity_is_cut_off_at_the_same_place_both_ways(family, seed):
    check_problem_both_ways(wide_problem(seed, FAMILIES[family]))


def test_random_tables_of_many_levels_grow_the_same_tree_both_ways():
    for seed in range(300):
        check_problem_both_ways(many_levels_problem(seed))


@pytest.mark.large
@pytest.mark.parametrize("family", FAMILIES)
def test_thousands_of_random_tables_grow_the_same_tree_both_ways(family):
    for seed in range(3000):
        check_problem_both_ways(random_problem(seed, FAMILIES[family]))
        check_problem_both_ways(wide_problem(seed, FAMILIES[family]))
    for seed in range(300):
        check_problem_both_ways(longer_problem(seed, FAMILIES[family], 400))


# ------------------------------------------------------------------ how they are left out


def test_an_unknown_short_cut_is_refused_by_name():
    with pytest.raises(tw.ParameterError, match=r"no short cut is called `bit_bundels`\n.*threads"):
        leave_out(["bit_bundels"])


@pytest.mark.parametrize(("text", "n_left_out"), [("all", len(NAMES)), ("threads, bin_guide", 2)])
def test_the_environment_names_what_is_left_out(text, n_left_out):
    code = "from treewright._kernels.short_cuts import leave_out; print(leave_out(()).bit_count())"
    ran = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, ENVIRONMENT: text},
        capture_output=True,
        text=True,
        check=True,
    )
    assert int(ran.stdout) == n_left_out


def test_what_held_before_holds_again():
    before = leave_out(("threads",))
    try:
        with left_out("bin_guide"):
            pass
        assert leave_out(("threads",)) == 1 << NAMES.index("threads")
    finally:
        leave_out(name for at, name in enumerate(NAMES) if before >> at & 1)
