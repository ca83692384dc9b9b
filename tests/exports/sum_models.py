"""Small models of many trees that every exporter must carry: a name and a maker each."""

from dataclasses import replace
from functools import cache

import numpy as np
from sklearn.ensemble import AdaBoostClassifier, GradientBoostingClassifier
from sklearn.tree import DecisionTreeClassifier

import treewright as tw
from exports.export_models import ODD_NAMES, mixture
from treewright.data.column import NominalColumn, NumericColumn
from treewright.data.table import Table

ODD_CLASSES = np.array(["it's", 'say "hi"', "größe"])


def table(n_rows: int = 200) -> Table:
    return mixture(n_rows, holes=0.15, seed=5)


def numbers_for(rows: Table) -> np.ndarray:
    rng = np.random.default_rng(6)
    width = np.nan_to_num(rows.columns[0].values, nan=0.3)
    return width + 0.5 * rows.columns[2].codes + rng.normal(size=len(rows)) * 0.3


def classes_for(rows: Table, n_classes: int) -> np.ndarray:
    values = numbers_for(rows)
    return np.digitize(values, np.quantile(values, np.arange(1, n_classes) / n_classes))


def odd_table() -> tuple[Table, np.ndarray]:
    """Columns and levels with names that no language likes, and dates."""
    rng = np.random.default_rng(7)
    codes = rng.integers(0, len(ODD_NAMES), size=120).astype(np.int32)
    days = rng.integers(18_000, 19_000, size=120).astype(np.float64)
    columns = [
        NominalColumn(ODD_NAMES[6], codes, ODD_NAMES, ordered=False),
        NumericColumn(ODD_NAMES[11], days, "datetime64[D]"),
        *(NumericColumn(name, rng.normal(size=120)) for name in ODD_NAMES[7:11]),
    ]
    return Table(columns), codes % 5 + (days > 18_500) + columns[2].values


def model(name: str):
    rows = table()
    y, few = numbers_for(rows), {"n_estimators": 4, "random_state": 0}
    two, three, ten = (classes_for(rows, count) for count in (2, 3, 10))
    costs = [[0, 1], [5, 0]]
    models = {
        "forest of classes": lambda: tw.RandomForestClassifier(**few).fit(rows, ODD_CLASSES[three]),
        "forest that votes": lambda: tw.RandomForestClassifier(voting="hard", **few).fit(
            rows, three
        ),
        "forest of exact splits": lambda: tw.RandomForestClassifier(splits="exact", **few).fit(
            rows, two == 1
        ),
        "forest with costs": lambda: tw.RandomForestClassifier(costs=costs, **few).fit(rows, two),
        "forest of numbers": lambda: tw.RandomForestRegressor(min_samples_leaf=5, **few).fit(
            rows, y
        ),
        "extra trees that refuse": lambda: tw.ExtraTreesClassifier(
            handle_unknown="error", max_depth=4, **few
        ).fit(rows, two),
        "extra trees of numbers": lambda: tw.ExtraTreesRegressor(max_depth=5, **few).fit(rows, y),
        "boosted, two classes": lambda: tw.BoostedTreesClassifier(**few).fit(rows, two),
        "boosted, ten classes": lambda: tw.BoostedTreesClassifier(**few).fit(rows, ten),
        "boosted with costs": lambda: tw.BoostedTreesClassifier(costs=costs, **few).fit(rows, two),
        "boosted numbers": lambda: tw.BoostedTreesRegressor(**few).fit(rows, y),
        "boosted counts": lambda: tw.BoostedTreesRegressor(loss="poisson", **few).fit(
            rows, np.exp(y).round()
        ),
        "odd names and dates": lambda: tw.BoostedTreesRegressor(**few).fit(*odd_table()),
        "isolation forest": lambda: tw.IsolationForest(max_samples=40, **few).fit(rows),
        "imported, with a scale": lambda: tw.import_model(
            AdaBoostClassifier(
                DecisionTreeClassifier(max_depth=2), n_estimators=3, random_state=0
            ).fit(numbers_of(rows), three)
        ),
        "imported, float32": lambda: in_float32(two),
        "imported, three classes in float32": lambda: in_float32(three),
        "forest of C4.5 trees": lambda: tw.RandomForestClassifier(inductors=["c45"], **few).fit(
            table(90), classes_for(table(90), 3)
        ),
        "votes of C4.5 trees": lambda: tw.RandomForestClassifier(
            inductors=["c45"], voting="hard", **few
        ).fit(table(90), classes_for(table(90), 3)),
        "forest of CART trees": lambda: tw.RandomForestRegressor(inductors=["cart"], **few).fit(
            table(60), numbers_for(table(60))
        ),
        "forest of ID3 trees": lambda: tw.RandomForestClassifier(
            inductors=["id3"], handle_unknown="error", **few
        ).fit(table(90), classes_for(table(90), 2)),
        "model tree": lambda: tw.M5Regressor(min_samples_leaf=5).fit(*bent_table()),
        "model tree that refuses": lambda: tw.M5Regressor(
            smoothing=False, handle_unknown="error"
        ).fit(*bent_table()),
        "model tree of means": lambda: tw.M5Regressor(models=False).fit(rows, y),
        "more trees than a stage": lambda: tw.BoostedTreesRegressor(
            n_estimators=45, max_leaf_nodes=3, random_state=0
        ).fit(rows, y),
    }
    return models[name]()


def bent_table() -> tuple[Table, np.ndarray]:
    """Two slopes by the side of a number, and steps by category."""
    rows = table(300)
    rng = np.random.default_rng(8)
    slope = rng.normal(size=300)
    side = np.nan_to_num(rows.columns[0].values) > 0
    target = np.where(side, 3 * slope, 1 - slope) + rows.columns[2].codes * side
    return Table([*rows.columns, NumericColumn("slope", slope)]), target


def numbers_of(rows: Table) -> np.ndarray:
    """The columns that scikit-learn takes, without missing values."""
    return np.nan_to_num(np.stack([rows.columns[0].values, rows.columns[2].codes], axis=1))


def in_float32(y: np.ndarray):
    """An imported model with the arithmetic of XGBoost."""
    X = numbers_of(table())
    model = tw.import_model(GradientBoostingClassifier(n_estimators=3, max_depth=2).fit(X, y))
    return model.with_state(replace(model.state_, in_float32=True))


fitted = cache(model)

EVERY_SUM = (
    "forest of classes",
    "forest that votes",
    "forest of exact splits",
    "forest with costs",
    "forest of numbers",
    "extra trees that refuse",
    "extra trees of numbers",
    "boosted, two classes",
    "boosted, ten classes",
    "boosted with costs",
    "boosted numbers",
    "boosted counts",
    "odd names and dates",
    "isolation forest",
    "imported, with a scale",
    "more trees than a stage",
)
OF_INDUCTORS = (
    "forest of C4.5 trees",
    "votes of C4.5 trees",
    "forest of CART trees",
    "forest of ID3 trees",
)
MODEL_TREES = ("model tree", "model tree that refuses", "model tree of means")
IN_FLOAT32 = ("imported, float32", "imported, three classes in float32")
# For targets whose engine takes a second to start.
FEW_SUMS = (
    "forest of classes",
    "extra trees that refuse",
    "boosted, ten classes",
    "boosted with costs",
    "boosted counts",
    "odd names and dates",
    "isolation forest",
    "imported, with a scale",
    *IN_FLOAT32,
    "model tree",
    *OF_INDUCTORS[1:3],
)
