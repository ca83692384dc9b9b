"""The models that every exporter must carry, or refuse with a reason: a name and a maker each.

Small tables made here, so that each model has what its name says and is fitted in milliseconds.
`fitted(name)` fits once.
"""

import atexit
import warnings
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

import treewright as tw
from builders import (
    a_chain,
    a_mixed_schema,
    a_random_tree,
    build,
    leaf,
    numeric_schema,
    oblique,
    threshold,
)
from treewright.data.column import NominalColumn, NumericColumn
from treewright.data.table import Table
from treewright.exports.program import Program

ODD_NAMES = (
    "",
    " ",
    "größe",
    "体重",
    "🌳 emoji",
    "[a]<b>",
    'say "hi"',
    "back\\slash",
    "line\nbreak",
    "tab\tcomma,",
    "it's; DROP TABLE data; --",
    "*/ return 0; /*",
    "select",
    "class",
    "nan",
    "1",
    "a b",
    "a_b",
    "a.b",
    "%s {x} ${y} \\u000a",
    "NAME READ_ROW decide(add(is(",
)
ODD_LEVELS = ODD_NAMES


def numbers(n_rows: int = 120, n_columns: int = 3, *, holes: float = 0.0, seed: int = 0) -> Table:
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(n_rows, n_columns)).round(2)
    values[rng.random(values.shape) < holes] = np.nan
    names = ("width", "height", "weight of it", "age", "score")[:n_columns]
    return Table([NumericColumn(name, values[:, at]) for at, name in enumerate(names)])


def mixture(n_rows: int = 150, *, holes: float = 0.0, seed: int = 1) -> Table:
    """Two numbers, two nominal columns, one ordered."""
    rng = np.random.default_rng(seed)
    table = numbers(n_rows, 2, holes=holes, seed=seed)
    columns: list[Any] = list(table.columns)
    for name, levels in (
        ("color", ("red", "green", "blue", "gray")),
        ("shape", ("round", "square")),
        ("size", ("small", "medium", "large", "huge")),
    ):
        codes = rng.integers(0, len(levels), size=n_rows).astype(np.int32)
        codes[rng.random(n_rows) < holes] = -1
        columns.append(NominalColumn(name, codes, levels, ordered=name == "size"))
    return Table(columns)


def classes_for(table: Table, n_classes: int = 2, seed: int = 2) -> np.ndarray:
    """Classes that depend on all columns, with noise."""
    score = score_of(table, seed)
    cuts = np.quantile(score, np.linspace(0, 1, n_classes + 1)[1:-1])
    return np.array([f"class {k}" for k in np.searchsorted(cuts, score)])


def score_of(table: Table, seed: int = 2) -> np.ndarray:
    rng = np.random.default_rng(seed)
    score = rng.normal(size=len(table)) * 0.3
    for column in table.columns:
        if isinstance(column, NumericColumn):
            score += np.nan_to_num(column.values)
        else:
            effect = rng.normal(size=len(column.levels) + 1)
            score += effect[column.codes]
    return score


def classifier(table: Table, n_classes: int = 2, **params: Any) -> tw.TreeClassifier:
    return tw.TreeClassifier(**params).fit(table, classes_for(table, n_classes))


def sample(name: str, estimator: Any) -> Any:
    X, y = tw.load_sample(name)
    return estimator.fit(X, y)


def with_odd_names() -> tw.CARTClassifier:
    rng = np.random.default_rng(3)
    values = rng.normal(size=(400, len(ODD_NAMES))).round(2)
    table = Table([NumericColumn(name, values[:, at]) for at, name in enumerate(ODD_NAMES)])
    y = (values > 0).sum(axis=1) + rng.integers(0, 2, size=400)
    return tw.CARTClassifier(prune=None, max_depth=6).fit(table, y > np.median(y))


def with_odd_levels() -> tw.TreeClassifier:
    rng = np.random.default_rng(4)
    codes = rng.integers(0, len(ODD_LEVELS), size=300).astype(np.int32)
    table = Table([NominalColumn("'level' of \"it\"", codes, ODD_LEVELS), *numbers(300, 1).columns])
    y = np.array([f"{ODD_LEVELS[code]}?" for code in codes // 4])
    return tw.TreeClassifier(nominal="branches").fit(table, y)


def with_long_names() -> tw.CARTClassifier:
    table = numbers(80, 2)
    long = [column.renamed(at * "é" + 10_000 * "x") for at, column in enumerate(table.columns)]
    return tw.CARTClassifier(prune=None, max_depth=4).fit(Table(long), classes_for(table))


def with_dates() -> tw.CARTClassifier:
    rng = np.random.default_rng(5)
    days = rng.integers(-4000, 20_000, size=100).astype(np.float64)
    days[rng.random(100) < 0.1] = np.nan
    seconds = rng.integers(0, 2 * 10**9, size=100).astype(np.float64)
    table = Table(
        [
            NumericColumn("born on", days, "datetime64[D]"),
            NumericColumn("seen at", seconds, "datetime64[s]"),
            NumericColumn("took", rng.integers(0, 90, size=100) * 1.0, "timedelta64[m]"),
        ]
    )
    y = np.where(np.nan_to_num(days) / 20_000 + seconds / 1e9 > 1.2, "late", "early")
    y[:10] = "late"
    return tw.CARTClassifier(prune=None, max_depth=5).fit(table, y)


def with_typed_levels() -> tw.TreeClassifier:
    """Integer and boolean levels, integer classes."""
    rng = np.random.default_rng(6)
    floors = np.array([-3, 0, 7, 12])
    codes = rng.integers(0, 4, size=200).astype(np.int32)
    flags = rng.integers(-1, 2, size=200).astype(np.int32)
    table = Table(
        [
            NominalColumn("floor", codes, tuple(floors.tolist())),
            NominalColumn("has lift", flags, (False, True)),
            *numbers(200, 1).columns,
        ]
    )
    y = (codes % 2 + (flags == 1) + (table.columns[2].values > 0)).astype(np.int64)
    return tw.TreeClassifier(nominal="subset", missing="majority", handle_unknown="majority").fit(
        table, y
    )


def with_large_classes() -> tw.CARTClassifier:
    table = mixture()
    large = 2**40 + np.unique(classes_for(table, 3), return_inverse=True)[1].astype(np.int64)
    return tw.CARTClassifier(prune=None, max_depth=3).fit(table, -large)


def with_many_levels() -> tw.TreeClassifier:
    rng = np.random.default_rng(7)
    levels = tuple(f"town {k}" for k in range(300))
    codes = rng.integers(0, 290, size=2000).astype(np.int32)
    column = NominalColumn("town", codes, levels, declared=True)
    table = Table([column, *numbers(2000, 1).columns])
    y = np.where((codes % 7 < 3) ^ (table.columns[1].values > 0.5), "yes", "no")
    return tw.TreeClassifier(nominal="branches", max_depth=2, missing="branch").fit(table, y)


def with_extreme_numbers() -> tw.Tree:
    """Cuts and predictions at the ends of what a double can hold."""
    cuts = [-1.7976931348623157e308, -5e-324, 5e-324, 0.1 + 0.2, 1e15 + 0.3, 1e22, 1e308]
    predictions = [1e300, -1e-300, 1 / 3, -5e-324, 0.1, 123456789.123456789, 2.5e-308, -0.5]
    below = leaf(predictions[-1], weight=1)
    for cut, prediction in zip(reversed(cuts), reversed(predictions[:-1]), strict=True):
        below = threshold(0, cut, leaf(prediction, weight=1), below, missing=-1)
    return build(below, numeric_schema("x"), None)


def with_weights_of_rows() -> tw.C45Classifier:
    table = mixture(200, holes=0.2)
    weights = np.random.default_rng(8).uniform(0.1, 3, size=200)
    return tw.C45Classifier().fit(table, classes_for(table, 3), sample_weight=weights)


def an_oblique_tree() -> tw.Tree:
    low = oblique([(0, 0.3), (2, -1.7)], 0.25, leaf(4, 1), leaf(1, 3), missing=-1)
    root = oblique([(0, 1.0), (1, 0.1)], 1.1, low, leaf(0, 5), missing=1)
    return build(root, numeric_schema("a", "b", "c"), ("no", "yes"))


def a_tree_of_everything(seed: int) -> tw.Tree:
    """Every kind of node, missing routes and surrogates; random, but always the same."""
    rng = np.random.default_rng(seed)
    return a_random_tree(rng, a_mixed_schema(rng), n_splits=20, is_classifier=seed % 2 == 0)


def a_random_program(seed: int) -> Program:
    """For properties: any tree, as exporters see it."""
    rng = np.random.default_rng(seed)
    return Program(a_random_tree(rng, a_mixed_schema(rng)))


COSTS = [[0, 1, 5], [2, 0, 1], [1, 3, 0]]

EXPORT_MODELS: dict[str, Callable[[], Any]] = {
    "one leaf": lambda: tw.CARTClassifier(prune=None, min_samples_split=1000).fit(
        numbers(), classes_for(numbers())
    ),
    "one class": lambda: tw.CARTClassifier(prune=None).fit(numbers(), np.full(120, "all alike")),
    "large integers as classes": with_large_classes,
    "fractions as classes": lambda: build(
        threshold(0, 0.5, leaf(1, 2), leaf(3, 1)), numeric_schema("x"), (-0.25, 1e-7)
    ),
    "tennis by ID3": lambda: sample("tennis", tw.ID3Classifier()),
    "tennis by C4.5": lambda: sample("tennis", tw.C45Classifier()),
    "tennis by CART": lambda: sample("tennis", tw.CARTClassifier(prune=None)),
    "golf by C4.5": lambda: sample("golf", tw.C45Classifier()),
    "array without names": lambda: tw.CARTClassifier(prune=None, max_depth=4).fit(
        np.asarray(numbers(), dtype=np.float64), classes_for(numbers())
    ),
    "numbers grown to the end": lambda: tw.CARTClassifier(prune=None).fit(
        numbers(400), classes_for(numbers(400), 3)
    ),
    "numbers cut in advance by ID3": lambda: tw.ID3Classifier(
        discretize="equal_frequency", n_bins=4
    ).fit(mixture(holes=0.1), classes_for(mixture(holes=0.1))),
    "intervals": lambda: classifier(mixture(), numeric="intervals", missing="stop"),
    "ordered column": lambda: classifier(mixture(holes=0.1), max_depth=5, missing="majority"),
    "missing fractional": lambda: tw.C45Classifier().fit(
        mixture(holes=0.15), classes_for(mixture(holes=0.15), 3)
    ),
    "missing fractional, Laplace": lambda: tw.C45Classifier(laplace=True).fit(
        mixture(holes=0.15), classes_for(mixture(holes=0.15), 3)
    ),
    "missing by surrogates": lambda: tw.CARTClassifier(prune=None, max_depth=6).fit(
        mixture(holes=0.15), classes_for(mixture(holes=0.15))
    ),
    "missing learned": lambda: classifier(mixture(holes=0.15), 3, missing="learned", max_depth=6),
    "missing as a branch": lambda: classifier(mixture(holes=0.15), missing="branch", max_depth=6),
    "missing to the majority": lambda: classifier(mixture(holes=0.15), missing="majority"),
    "missing stops": lambda: classifier(mixture(holes=0.15), missing="stop", nominal="subset"),
    "unseen to the majority": lambda: classifier(
        mixture(holes=0.1), missing="stop", handle_unknown="majority", max_depth=6
    ),
    "unseen to the majority, fractional": lambda: tw.C45Classifier(handle_unknown="majority").fit(
        mixture(holes=0.1), classes_for(mixture(holes=0.1))
    ),
    "unseen to the majority, surrogates": lambda: tw.CARTClassifier(
        prune=None, handle_unknown="majority", max_depth=5
    ).fit(mixture(holes=0.1), classes_for(mixture(holes=0.1))),
    "unseen is an error": lambda: classifier(mixture(), handle_unknown="error", max_depth=4),
    "costs": lambda: tw.CARTClassifier(prune=None, costs=COSTS, max_depth=5).fit(
        mixture(), classes_for(mixture(), 3)
    ),
    "costs and fractions": lambda: tw.TreeClassifier(
        costs=COSTS, missing="fractional", max_depth=5
    ).fit(mixture(holes=0.2), classes_for(mixture(holes=0.2), 3)),
    "priors": lambda: tw.CARTClassifier(prune=None, priors=[0.2, 0.8], max_depth=5).fit(
        mixture(), classes_for(mixture())
    ),
    "weights of rows": with_weights_of_rows,
    "twelve classes": lambda: tw.C45Classifier().fit(
        mixture(400, holes=0.05), classes_for(mixture(400, holes=0.05), 12)
    ),
    "regression": lambda: tw.CARTRegressor(prune=None, max_depth=5).fit(
        numbers(), score_of(numbers())
    ),
    "regression, fractional": lambda: tw.TreeRegressor(missing="fractional", max_depth=5).fit(
        mixture(holes=0.15), score_of(mixture(holes=0.15))
    ),
    "regression, surrogates": lambda: tw.CARTRegressor(prune=None, max_depth=5).fit(
        mixture(holes=0.15), score_of(mixture(holes=0.15))
    ),
    "regression of extreme numbers": with_extreme_numbers,
    "odd names": with_odd_names,
    "odd levels and classes": with_odd_levels,
    "names of 10,000 letters": with_long_names,
    "dates and durations": with_dates,
    "integer and boolean levels": with_typed_levels,
    "300 levels": with_many_levels,
    "a chain of 1,200 splits": lambda: a_chain(1200),
    "oblique": an_oblique_tree,
    "everything, classes": lambda: a_tree_of_everything(0),
    "everything, numbers": lambda: a_tree_of_everything(1),
    "everything, other classes": lambda: a_tree_of_everything(2),
}

# One for each thing that tables and a loop must do; small trees, otherwise written as ifs.
MODELS_IN_TABLES = (
    "one leaf",
    "tennis by ID3",
    "intervals",
    "missing fractional",
    "missing by surrogates",
    "missing as a branch",
    "unseen to the majority",
    "unseen to the majority, surrogates",
    "unseen is an error",
    "costs and fractions",
    "regression, fractional",
    "regression of extreme numbers",
    "odd names",
    "odd levels and classes",
    "dates and durations",
    "integer and boolean levels",
    "oblique",
    "everything, classes",
    "everything, numbers",
    "everything, other classes",
)
EVERY_MODEL_AND_FORM = [
    *((name, "auto") for name in EXPORT_MODELS),
    *((name, "tables") for name in MODELS_IN_TABLES),
]


@cache
def fitted(name: str) -> Any:
    """The model of that name, made on first use."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return EXPORT_MODELS[name]()


# What is alive when the interpreter ends, the compiled module takes for a leak and says so.
atexit.register(fitted.cache_clear)
atexit.register(a_chain.cache_clear)
